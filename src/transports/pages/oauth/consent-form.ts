/** Reads a person's decision about a program from the form of the consent page. */
import { addMs, DAY_MS } from '#core/clock.ts';
import { rolePermissions, type Role } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectCodes } from '#features/experiments/store.ts';
import {
  programRights,
  WRITE_SCOPE,
  type ProgramChoice,
  type ProgramRight,
} from '#features/people/programs/rules.ts';
import { LIST_LENGTH_MAX } from '#features/tokens/attenuation.ts';
import { parseCents } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';

export const EXPERIMENT_FIELD = 'experiment:';
const lifetimesMs = { '1d': DAY_MS, '7d': 7 * DAY_MS } as const;
export const SESSION_LIFETIME = 'session';

/** The rights that a program may get: no more than it asked for, and than the role has. */
export function listRights(query: URLSearchParams, role: Role): readonly ProgramRight[] {
  const mayWrite = [...rolePermissions[role]].some((permission) => !/:(?:list|read)$/.test(permission));
  const isAsked = (query.get('scope') ?? '').split(' ').includes(WRITE_SCOPE);
  return mayWrite && isAsked ? programRights : ['read'];
}

export interface ConsentProblems {
  readonly right?: string;
  readonly experiments?: string;
  readonly spend?: string;
  readonly lifetime?: string;
}

export interface ConsentBounds {
  readonly organizationId: string;
  readonly rights: readonly ProgramRight[];
  readonly now: Date;
}

/** Returns the choice, or a problem for each field that needs another value. */
export async function readChoice(
  sql: Sql,
  form: Form,
  { organizationId, rights, now }: ConsentBounds,
): Promise<{ readonly choice: ProgramChoice } | { readonly problems: ConsentProblems }> {
  const right = rights.find((each) => each === getField(form, 'right'));
  const experiments = await readExperiments(sql, form, organizationId);
  const spend = right === 'order' ? readSpend(form) : null;
  const endsAt = readEnd(form, now);
  const problems = {
    ...(right === undefined ? { right: 'Choose what the program may do.' } : {}),
    ...(typeof experiments === 'string' ? { experiments } : {}),
    ...(typeof spend === 'string' ? { spend } : {}),
    ...(endsAt === undefined ? { lifetime: 'Choose until when the program may act.' } : {}),
  };
  if (
    right === undefined ||
    typeof experiments === 'string' ||
    typeof spend === 'string' ||
    endsAt === undefined
  )
    return { problems };
  return { choice: { right, experiments, maxSpendCents: spend, endsAt } };
}

async function readExperiments(
  sql: Sql,
  form: Form,
  organizationId: string,
): Promise<readonly string[] | null | string> {
  const choice = getField(form, 'experiments');
  if (choice === 'all') return null;
  if (choice !== 'chosen') return 'Choose all experiments, or some.';
  const ticked = Object.keys(form)
    .filter((name) => name.startsWith(EXPERIMENT_FIELD))
    .map((name) => name.slice(EXPERIMENT_FIELD.length));
  const typed = getField(form, 'codes')
    .split(/[\s,;]+/)
    .filter((code) => code !== '');
  const codes = [...new Set([...ticked, ...typed])];
  if (codes.length === 0) return 'Tick at least one experiment, or choose all.';
  if (codes.length > LIST_LENGTH_MAX) return `Choose at most ${LIST_LENGTH_MAX} experiments.`;
  const knownCodes = new Set(await selectCodes(createOrganizationScope(organizationId), sql, codes));
  const unknown = codes.filter((code) => !knownCodes.has(code));
  if (unknown.length > 0) return `The organization has no experiment ${unknown.join(', ').slice(0, 200)}.`;
  return codes;
}

/** Null for no limit. */
function readSpend(form: Form): number | null | string {
  const typed = getField(form, 'max_spend');
  const isUnlimited = form.no_limit === 'yes';
  if (typed === '')
    return isUnlimited ? null : 'Say how much it may spend in US dollars, or tick “no limit”.';
  if (isUnlimited) return 'Give an amount or tick “no limit”, not both.';
  const cents = parseCents(typed);
  return typeof cents === 'number' ? cents : 'Give an amount in US dollars, such as 500 or 499.50.';
}

/** Null for the end of the session. */
function readEnd(form: Form, now: Date): Date | null | undefined {
  const lifetime = getField(form, 'lifetime');
  if (lifetime === SESSION_LIFETIME) return null;
  const choice = Object.entries(lifetimesMs).find(([name]) => name === lifetime);
  return choice === undefined ? undefined : addMs(now, choice[1]);
}
