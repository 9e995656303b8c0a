/** Lists over a million rows: what the total costs, the documented questions, depth, and search in residues. */
import type pg from 'pg';
import { createCursorSigner, parseListQuery, type ListFields } from '#core/filter/index.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { experimentFields } from '#features/experiments/list-fields.ts';
import { listExperimentPage } from '#features/experiments/shown-store.ts';
import { sequenceFields } from '#features/sequences/list-fields.ts';
import { listSequencePage } from '#features/sequences/store.ts';
import { updateFields } from '#features/updates/list-fields.ts';
import { wholeFeed } from '#features/updates/rounds.ts';
import { listUpdatePage } from '#features/updates/store.ts';
import { measureQuestions } from './list-questions.ts';
import { createPlainPool, createPlainSql } from './peers/plain-sql.ts';
import { recordStatement, type Statement } from './peers/recorded.ts';
import type { BenchOptions } from './run.ts';
import { seedLists, type Seeded } from './seed-lists.ts';
import { removeTotal } from './support/without-total.ts';
import { openBenchDatabase } from './support/database.ts';
import { measureMs } from './support/load.ts';
import type { Finding, Report } from './support/report.ts';
import { measureInterleaved, computeMedian, takeQuantile, computeRatios } from './support/statistics.ts';

const BASE_URL = 'http://127.0.0.1:8080';
const ROUNDS = 60;
const DEPTH = 500_000;
/** Absent, rare and frequent, in the case that nobody stores. */
const MOTIFS = ['wwcww', 'HCWM', 'GGSG', 'ELL'];
const signer = createCursorSigner(Buffer.alloc(32, 1));

export async function run(options: BenchOptions): Promise<Report[]> {
  const database = await openBenchDatabase(options.keep);
  const pool = createPlainPool(database.connection, 1);
  try {
    const seeded = await seedLists(database.connection, options.scale);
    const findings: Finding[] = [];
    const isWanted = (name: string) => options.only === undefined || options.only === name;
    if (isWanted('total')) findings.push(...(await measureTotal(pool, seeded)));
    if (isWanted('depth'))
      findings.push(...(await measureDepth(pool, seeded, Math.round(DEPTH * options.scale))));
    if (isWanted('search')) findings.push(...(await measureSearch(pool, seeded)));
    if (isWanted('questions'))
      findings.push(...(await measureQuestions(database.connection, seeded, options)));
    return [{ title: 'Lists', findings, conditions: await describeConditions(pool, options) }];
  } finally {
    await pool.end();
    await database.stop();
  }
}

async function describeConditions(pool: pg.Pool, options: BenchOptions): Promise<string[]> {
  const { rows } = await pool.query<{ counts: string }>(
    `select concat_ws(', ', (select count(*) from organizations) || ' organizations',
       (select count(*) from experiments) || ' experiments', (select count(*) from sequences) || ' sequences',
       (select count(*) from updates) || ' updates') as counts`,
  );
  const of = (full: number): string => Math.round(full * options.scale).toLocaleString('en');
  return [
    `${rows[0]?.counts ?? ''}; rows of all organizations mixed on disk`,
    `totals in the organization with ${of(10_000)} experiments, search in its ${of(100_000)} sequences, depth ${of(DEPTH)} in a feed of ${of(604_000)}`,
    `total, depth, search: the list engine over pg, one connection, ${ROUNDS} rounds; questions: the API over loopback`,
  ];
}

/** Times one statement; `rows` is how many it must return. */
function createTimed(sql: Sql, { text, values }: Statement, rows: number): () => Promise<number> {
  return () =>
    measureMs(async () => {
      const found = await sql.query(text, values);
      if (found.length !== rows) throw new Error(`wrong answer: ${found.length} rows instead of ${rows}`);
    });
}

async function measureTotal(pool: pg.Pool, seeded: Seeded): Promise<Finding[]> {
  const scope = createOrganizationScope(seeded.wide);
  const statement = await recordStatement((recording) =>
    listExperimentPage(scope, recording, parseListQuery(experimentFields, { limit: '50' }), BASE_URL),
  );
  const sql = createPlainSql(pool);
  const ways = {
    with: createTimed(sql, statement, 51),
    without: createTimed(sql, { ...statement, text: removeTotal(statement.text) }, 51),
  };
  await measureInterleaved(10, ways);
  const figures = await measureInterleaved(ROUNDS, ways);
  return [
    {
      what: 'page of 50 + total: time over the page alone',
      value: computeMedian(computeRatios(figures.with, figures.without)),
      unit: '×',
      limit: { atMost: 1.15 },
    },
    { what: 'page of 50 + total', value: computeMedian(figures.with), unit: 'ms' },
  ];
}

async function measureDepth(pool: pg.Pool, seeded: Seeded, depth: number): Promise<Finding[]> {
  const scope = createOrganizationScope(seeded.long);
  const cursors = { cursors: signer, cursorList: '' };
  const pageAt = (place: Readonly<Record<string, string>>) =>
    recordStatement((recording) => {
      const query = parseListQuery(updateFields, { limit: '50', ...place }, cursors);
      return listUpdatePage(scope, recording, { query, round: wholeFeed, end: '' }, null);
    });
  const sql = createPlainSql(pool);
  const first = await pageAt({});
  const cursor = await createCursorAt(sql, scope.organizationId, depth);
  const deep = await pageAt({ cursor });
  const removeStatementTotal = (statement: Statement) => ({
    ...statement,
    text: removeTotal(statement.text),
  });
  const ways = {
    first: createTimed(sql, removeStatementTotal(first), 51),
    deep: createTimed(sql, removeStatementTotal(deep), 51),
  };
  const answers = { first: createTimed(sql, first, 51), deep: createTimed(sql, deep, 51) };
  await measureInterleaved(10, ways);
  const figures = await measureInterleaved(ROUNDS, ways);
  const whole = await measureInterleaved(ROUNDS / 4, answers);
  return [
    {
      what: 'keyset page, deep over first, without the total',
      value: computeMedian(computeRatios(figures.deep, figures.first)),
      unit: '×',
      limit: { atMost: 1.5 },
    },
    {
      what: 'keyset page, deep over first, whole answer',
      value: computeMedian(computeRatios(whole.deep, whole.first)),
      unit: '×',
      limit: { atMost: 1.5 },
    },
    { what: 'keyset page, deep, without the total', value: computeMedian(figures.deep), unit: 'ms' },
    { what: 'keyset page, deep, whole answer', value: computeMedian(whole.deep), unit: 'ms' },
  ];
}

/** The cursor that a client would hold after so many rows. */
async function createCursorAt(sql: Sql, organizationId: string, depth: number): Promise<string> {
  const query = parseListQuery(updateFields, {}, { cursors: signer, cursorList: '' });
  const [row] = await sql.query<{ id: string }>(
    `select id from updates where organization_id = $1 and sequence is not null
     order by id desc limit 1 offset $2`,
    [organizationId, depth],
  );
  if (row === undefined) throw new Error('the feed is not that long');
  return signer.sign(query.context, [row.id]);
}

async function measureSearch(pool: pg.Pool, seeded: Seeded): Promise<Finding[]> {
  const scope = createOrganizationScope(seeded.wide);
  const sql = createPlainSql(pool);
  const findings: Finding[] = [];
  for (const motif of MOTIFS) {
    const statement = await recordStatement((recording) =>
      listSequencePage(scope, recording, parseQuery(sequenceFields, { search: motif }), null),
    );
    const search = () => measureMs(() => sql.query(statement.text, statement.values));
    const { search: times } = await measureInterleaved(12, { search });
    findings.push({
      what: `search in residues for ${motif}: 90th percentile`,
      value: takeQuantile(times, 0.9),
      unit: 'ms',
      limit: { atMost: 150 },
    });
  }
  return findings;
}

function parseQuery(fields: ListFields, query: Readonly<Record<string, string>>) {
  return parseListQuery(fields, query);
}
