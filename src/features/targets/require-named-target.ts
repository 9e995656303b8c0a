/** Finds the target that a request names: its price depends on it, so nothing but the exact name or id counts. */
import { fail, type Failure } from '#core/failures.ts';
import { isUuid } from '#core/ids.ts';
import { countSlips } from '#core/nearest.ts';
import type { Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import {
  findTarget,
  selectTargetNames,
  selectTargetsByName,
  type NamedTarget,
  type TargetRow,
} from './store.ts';

const SHOWN = 5;
/** A name that differs in more than this share of its letters is another name. */
const SLIPS_SHARE = 0.4;

/** Case and spaces around the name do not matter. Several targets may have one name: then the id must decide. */
export async function requireNamedTarget(
  scope: Scope,
  sql: Sql,
  name: string,
  path: string,
): Promise<TargetRow> {
  const trimmed = name.trim();
  const id = isUuid(trimmed) ? trimmed : await findIdByName(scope, sql, trimmed, path);
  const target = id === undefined ? undefined : await findTarget(scope, sql, id);
  if (target !== undefined) return target;
  throw createUnknownFailure(path, isUuid(trimmed) ? [] : await findNearNames(scope, sql, trimmed));
}

async function findIdByName(scope: Scope, sql: Sql, name: string, path: string): Promise<string | undefined> {
  const [first, ...others] = await selectTargetsByName(scope, sql, name, SHOWN + 1);
  if (first === undefined || others.length === 0) return first?.id;
  const candidates = [first, ...others].slice(0, SHOWN).map(describeCandidate).join('; ');
  const more = others.length >= SHOWN ? '; and more' : '';
  const message = `several targets have this name; give the target_id of one: ${candidates}${more}`;
  throw fail('target_ambiguous', {}, { problems: [{ path, message }] });
}

function describeCandidate({ id, name, vendor_name: vendor, catalog_number: number }: NamedTarget): string {
  return `${id} (${name}, ${vendor} ${number})`;
}

function createUnknownFailure(path: string, near: readonly string[]): Failure {
  const advice = near.length === 0 ? 'list_targets searches it' : `the nearest names are ${near.join('; ')}`;
  const message = `no target of the catalog has this name or id; ${advice}`;
  return fail('target_not_found', {}, { problems: [{ path, message }] });
}

/** Names that contain the word come before names that are spelled like it. */
async function findNearNames(scope: Scope, sql: Sql, name: string): Promise<readonly string[]> {
  const containing = await selectTargetNames(scope, sql, name, SHOWN);
  if (containing.length > 0) return containing;
  const word = name.toLowerCase();
  const ranked = (await selectTargetNames(scope, sql, null))
    .map((name) => ({ name, slips: countSlips(word, name.toLowerCase()) }))
    .filter(({ name, slips }) => slips <= SLIPS_SHARE * Math.max(word.length, name.length))
    .sort((a, b) => a.slips - b.slips);
  return ranked.slice(0, SHOWN).map(({ name }) => name);
}
