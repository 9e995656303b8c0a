import { createHash } from 'node:crypto';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertManyOwned, createManyValues, createColumnMaker } from '#core/write-rows.ts';
import type { NewSequence } from './rules.ts';

/** What one statement holds at most: encoding a larger one would block this process. */
const STATEMENT_LETTERS = 250_000;
const STATEMENT_ROWS = 1_000;

interface Place {
  readonly experiment_id: string;
  readonly first_ordinal: number;
  readonly created_at: Date;
}

/** Inserts with one statement, except for very large libraries: values are passed as arrays. */
export async function insertSequences(
  scope: OrganizationScope,
  sql: Sql,
  into: Place,
  sequences: readonly NewSequence[],
  ids: readonly string[],
): Promise<void> {
  for (let from = 0; from < sequences.length;) {
    let [to, letters] = [from, 0];
    const end = Math.min(sequences.length, from + STATEMENT_ROWS);
    while (to < end && letters < STATEMENT_LETTERS) letters += sequences[to++]?.aaString.length ?? 0;
    const place = { ...into, first_ordinal: into.first_ordinal + from };
    await insertBatch(scope, sql, place, sequences.slice(from, to), ids.slice(from, to));
    from = to;
  }
}

async function insertBatch(
  scope: OrganizationScope,
  sql: Sql,
  into: Place,
  sequences: readonly NewSequence[],
  ids: readonly string[],
): Promise<void> {
  const listValues = createColumnMaker(sequences);
  await sql.query(
    ...insertManyOwned(scope, 'sequences', {
      experiment_id: into.experiment_id,
      ordinal: listValues('int', (_, index) => into.first_ordinal + index),
      id: createManyValues('uuid', ids),
      name: listValues('text', (sequence) => sequence.name),
      aa_string: listValues('text', (sequence) => sequence.aaString),
      length: listValues('int', (sequence) => sequence.length),
      is_control: listValues('boolean', (sequence) => sequence.isControl),
      metadata: listValues('jsonb', ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata))),
      created_at: into.created_at,
    }),
  );
}

export async function deleteSequences(scope: Scope, sql: Sql, experimentId: string): Promise<void> {
  await sql.query(
    `delete from sequences where ($1::uuid is null or organization_id = $1) and experiment_id = $2`,
    [getOrganizationId(scope), experimentId],
  );
}

export async function selectTakenNames(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select name from sequences
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and name = any($3::text[])
     order by ordinal`,
    [getOrganizationId(scope), experimentId, names],
  );
  return rows.map((row) => row.name);
}

export interface SequenceRow {
  readonly id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  readonly experiment_status: string;
  readonly name: string;
  readonly aa_string: string;
  readonly length: number;
  readonly is_control: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
}

export async function findSequence(scope: Scope, sql: Sql, id: string): Promise<SequenceRow | undefined> {
  const rows = await sql.query<SequenceRow>(
    `select s.id, s.experiment_id, e.code as experiment_code, e.status as experiment_status, s.name, s.aa_string,
       s.length, s.is_control, s.metadata, s.created_at
     from sequences s join experiments e on e.id = s.experiment_id
     where ($1::uuid is null or s.organization_id = $1) and s.id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows);
}

/** Every sequence of an experiment, in the order it was given. */
export async function selectSequencesOfExperiment(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<Pick<SequenceRow, 'id' | 'name' | 'aa_string' | 'is_control' | 'metadata'>[]> {
  return sql.query(
    `select id, name, aa_string, is_control, metadata from sequences
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 order by ordinal`,
    [getOrganizationId(scope), experimentId],
  );
}

interface EarlierSequence {
  readonly aa_string: string;
  readonly experiment_code: string;
  readonly name: string;
}

/** Of each text that the organization has ordered before, its latest sequence, without those of one experiment. */
export async function selectEarlierSequences(
  scope: OrganizationScope,
  sql: Sql,
  texts: readonly string[],
  exceptCode: string,
): Promise<EarlierSequence[]> {
  if (texts.length === 0) return [];
  return sql.query<EarlierSequence>(
    `select distinct on (s.aa_string) s.aa_string, e.code as experiment_code, s.name
     from sequences s join experiments e on e.id = s.experiment_id
     where s.organization_id = $1 and md5(s.aa_string) = any($2::text[]) and e.code <> $3 and e.status <> 'canceled'
     order by s.aa_string, s.created_at desc`,
    [
      scope.organizationId,
      [...new Set(texts.map((text) => createHash('md5').update(text).digest('hex')))],
      exceptCode,
    ],
  );
}

const PREVIEW_RESIDUES = 20;
const ITEM = `s.id, s.experiment_id, e.code as experiment_code, s.name, s.is_control, s.length,
  left(s.aa_string, ${PREVIEW_RESIDUES}) as aa_preview, ${writeWireTime('s.created_at')} as created_at`;

/** Lists the sequences of one experiment, or of all that the organization has when `experimentId` is null. */
export function listSequencePage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  experimentId: string | null,
): Promise<RawJson> {
  const limited = experimentId !== null;
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'sequences s',
      alias: 's',
      joins: [{ alias: 'e', sql: 'join experiments e on e.id = s.experiment_id' }],
      where: `s.organization_id = $1${limited ? ' and s.experiment_id = $2' : ''}`,
      values: limited ? [scope.organizationId, experimentId] : [scope.organizationId],
    },
    query,
  );
}
