import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { parseListQuery } from '#core/filter/index.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { sequenceFields } from '#features/sequences/list-fields.ts';
import { listSequencePage } from '#features/sequences/store.ts';
import { testDatabase } from '#testing/database.ts';
import { buildResidueIndex, dropResidueIndex, ResidueIndexError } from './residue-index.ts';

const { database, connection } = await testDatabase();
const names = ['sequences_residues_trgm', 'sequences_names_trgm'];
const log = (): void => undefined;
const large = '01980000-0000-7000-8000-00000000a001';
const small = '01980000-0000-7000-8000-00000000a002';
const LARGE = 30_000;
const SMALL = 500;

/** Letters that look random and are always the same. */
const RESIDUES = `translate(md5((n * $3)::text) || md5((n * 7)::text), '0123456789abcdef', 'ACDEFGHIKLMNPQRS')`;

before(async () => {
  for (const [place, [id, count]] of Object.entries({ [large]: LARGE, [small]: SMALL }).entries()) {
    await database.read.query(
      `insert into organizations (id, name, slug, created_at) values ($1, 'O', $2, now())`,
      [id, `ORG${place}`],
    );
    await database.read.query(
      `with made as (
         insert into experiments (id, organization_id, code, name, status, experiment_type, n_replicates, sequence_count,
           payment_method, created_at, updated_at)
         values (uuidv7(), $1, 'ORG' || $3::int, 'e', 'draft', 'screening', 1, 0, 'async_invoice', now(), now()) returning id
       )
       insert into sequences (experiment_id, ordinal, id, organization_id, name, aa_string, length, is_control, created_at)
       select made.id, n, uuidv7(), $1, 'design-' || n, ${RESIDUES}, 64, false, now() from made, generate_series(1, $2::int) n`,
      [id, count, place + 1],
    );
  }
  await database.read.query('analyze sequences');
});

async function countFound(search: string): Promise<number> {
  const query = parseListQuery(sequenceFields, { search });
  const scope = createOrganizationScope(large);
  const page: unknown = JSON.parse((await listSequencePage(scope, database.read, query, null)).text);
  assert.ok(typeof page === 'object' && page !== null && 'total' in page);
  return Number(page.total);
}

async function explainPlan(organizationId: string, conditions: string): Promise<string> {
  const rows = await database.read.query<{ 'QUERY PLAN': string }>(
    `explain select count(*) from sequences s where s.organization_id = '${organizationId}' and ${conditions}`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const residues = `s.aa_string like (select upper('%acdefg%'))`;

test('residue index: not built → a search reads only the rows of its organization', async () => {
  const plan = await explainPlan(small, residues);
  assert.match(plan, /Index Cond: \(organization_id = /);
  assert.doesNotMatch(plan, /trgm|Seq Scan on sequences/);
});

test('residue index: built beside writers, repaired and dropped → the answers stay the same', async () => {
  const before = await countFound('acde');
  assert.ok(before > 0 && before < LARGE);
  const lines: string[] = [];
  const [built] = await Promise.all([
    buildResidueIndex({ connection, log: (line) => void lines.push(line) }),
    database.read.query(`update sequences set name = 'renamed' where ordinal = 1`),
  ]);
  assert.deepEqual(built, names);
  assert.match(lines[0] ?? '', /^Building sequences_residues_trgm/);
  assert.deepEqual(await buildResidueIndex({ connection, log }), []);
  assert.equal(await countFound('acde'), before);

  await database.read.query(
    `update pg_index set indisvalid = false where indexrelid = 'sequences_names_trgm'::regclass`,
  );
  assert.deepEqual(await buildResidueIndex({ connection, log }), ['sequences_names_trgm']);
  assert.match(await explainPlan(large, residues), /sequences_residues_trgm/);
  const search = `(s.name ilike '%acdefg%' or ${residues})`;
  assert.match(await explainPlan(large, search), /BitmapOr[^]*trgm/);
  assert.match(
    await explainPlan(small, residues),
    /Cond: \(organization_id = /,
    'a small organization is still read by itself',
  );

  assert.deepEqual(await dropResidueIndex({ connection, log }), names);
  assert.deepEqual(await dropResidueIndex({ connection, log }), []);
  assert.equal(await countFound('acde'), before);
});

test('residue index: a user who does not own the table → a sentence', async () => {
  const role = `reader_${process.pid}`;
  await database.read.query(`create role ${role} login`);
  try {
    const attempt = buildResidueIndex({ connection: { ...connection, user: role }, log });
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof ResidueIndexError, String(error));
      assert.match(error.message, /must own the table "sequences"/);
      return true;
    });
  } finally {
    const admin = new pg.Client(connection);
    await admin.connect();
    await admin.query(`drop role ${role}`);
    await admin.end();
  }
});
