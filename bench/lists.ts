/** Lists over a million rows: what the total costs, the documented questions, depth, and search in residues. */
import type pg from 'pg';
import { createCursorSigner, parseListQuery, type ListFields } from '#core/filter/index.ts';
import { organizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { experimentFields } from '#domain/experiments/list-fields.ts';
import { listExperimentPage } from '#domain/experiments/list-store.ts';
import { sequenceFields } from '#domain/sequences/list-fields.ts';
import { listSequencePage } from '#domain/sequences/store.ts';
import { updateFields } from '#domain/updates/list-fields.ts';
import { listUpdatePage } from '#domain/updates/store.ts';
import { measureQuestions } from './list-questions.ts';
import { plainPool, plainSql } from './peers/plain-sql.ts';
import { recordedStatement, type Statement } from './peers/recorded.ts';
import type { BenchOptions } from './run.ts';
import { seedLists, type Seeded } from './seed-lists.ts';
import { withoutTotal } from './support/without-total.ts';
import { benchDatabase } from './support/database.ts';
import { elapsedMs } from './support/load.ts';
import type { Finding, Report } from './support/report.ts';
import { interleaved, median, quantile, ratios } from './support/statistics.ts';

const BASE_URL = 'http://127.0.0.1:8080';
const ROUNDS = 60;
const DEPTH = 500_000;
/** Absent, rare and frequent, in the case that nobody stores. */
const MOTIFS = ['wwcww', 'HCWM', 'GGSG', 'ELL'];
const signer = createCursorSigner(Buffer.alloc(32, 1));

export async function run(options: BenchOptions): Promise<Report[]> {
  const database = await benchDatabase(options.keep);
  const pool = plainPool(database.connection, 1);
  try {
    const seeded = await seedLists(database.connection, options.scale);
    const findings: Finding[] = [];
    const wanted = (name: string) => options.only === undefined || options.only === name;
    if (wanted('total')) findings.push(...(await measureTotal(pool, seeded)));
    if (wanted('depth'))
      findings.push(...(await measureDepth(pool, seeded, Math.round(DEPTH * options.scale))));
    if (wanted('search')) findings.push(...(await measureSearch(pool, seeded)));
    if (wanted('questions')) findings.push(...(await measureQuestions(database.connection, seeded, options)));
    return [{ title: 'Lists', findings, conditions: await conditions(pool, options) }];
  } finally {
    await pool.end();
    await database.stop();
  }
}

async function conditions(pool: pg.Pool, options: BenchOptions): Promise<string[]> {
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
function timed(sql: Sql, { text, values }: Statement, rows: number): () => Promise<number> {
  return () =>
    elapsedMs(async () => {
      const found = await sql.query(text, values);
      if (found.length !== rows) throw new Error(`wrong answer: ${found.length} rows instead of ${rows}`);
    });
}

async function measureTotal(pool: pg.Pool, seeded: Seeded): Promise<Finding[]> {
  const scope = organizationScope(seeded.wide);
  const statement = await recordedStatement((recording) =>
    listExperimentPage(scope, recording, parseListQuery(experimentFields, { limit: '50' }), BASE_URL),
  );
  const sql = plainSql(pool);
  const ways = {
    with: timed(sql, statement, 51),
    without: timed(sql, { ...statement, text: withoutTotal(statement.text) }, 51),
  };
  await interleaved(10, ways);
  const figures = await interleaved(ROUNDS, ways);
  return [
    {
      what: 'page of 50 + total: time over the page alone',
      value: median(ratios(figures.with, figures.without)),
      unit: '×',
      limit: { atMost: 1.15 },
    },
    { what: 'page of 50 + total', value: median(figures.with), unit: 'ms' },
  ];
}

async function measureDepth(pool: pg.Pool, seeded: Seeded, depth: number): Promise<Finding[]> {
  const scope = organizationScope(seeded.long);
  const cursors = { cursors: signer, cursorBinding: '' };
  const pageAt = (place: Readonly<Record<string, string>>) =>
    recordedStatement((recording) => {
      const query = parseListQuery(updateFields, { limit: '50', ...place }, cursors);
      return listUpdatePage(scope, recording, query, null);
    });
  const sql = plainSql(pool);
  const first = await pageAt({});
  const cursor = await cursorAt(sql, scope.organizationId, depth);
  const deep = await pageAt({ cursor });
  const alone = (statement: Statement) => ({ ...statement, text: withoutTotal(statement.text) });
  const ways = {
    first: timed(sql, alone(first), 51),
    deep: timed(sql, alone(deep), 51),
  };
  const answers = { first: timed(sql, first, 51), deep: timed(sql, deep, 51) };
  await interleaved(10, ways);
  const figures = await interleaved(ROUNDS, ways);
  const whole = await interleaved(ROUNDS / 4, answers);
  return [
    {
      what: 'keyset page, deep over first, without the total',
      value: median(ratios(figures.deep, figures.first)),
      unit: '×',
      limit: { atMost: 1.5 },
    },
    {
      what: 'keyset page, deep over first, whole answer',
      value: median(ratios(whole.deep, whole.first)),
      unit: '×',
      limit: { atMost: 1.5 },
    },
    { what: 'keyset page, deep, without the total', value: median(figures.deep), unit: 'ms' },
    { what: 'keyset page, deep, whole answer', value: median(whole.deep), unit: 'ms' },
  ];
}

/** The cursor that a client would hold after so many rows. */
async function cursorAt(sql: Sql, organizationId: string, depth: number): Promise<string> {
  const query = parseListQuery(updateFields, {}, { cursors: signer, cursorBinding: '' });
  const [row] = await sql.query<{ at: string; id: string }>(
    `select to_jsonb(created_at at time zone 'UTC') #>> '{}' as at, id from updates where organization_id = $1
     order by created_at desc, id desc limit 1 offset $2`,
    [organizationId, depth],
  );
  if (row === undefined) throw new Error('the feed is not that long');
  return signer.sign(query.context, [row.at, row.id]);
}

async function measureSearch(pool: pg.Pool, seeded: Seeded): Promise<Finding[]> {
  const scope = organizationScope(seeded.wide);
  const sql = plainSql(pool);
  const findings: Finding[] = [];
  for (const motif of MOTIFS) {
    const statement = await recordedStatement((recording) =>
      listSequencePage(scope, recording, parsed(sequenceFields, { search: motif }), null),
    );
    const search = () => elapsedMs(() => sql.query(statement.text, statement.values));
    const { search: times } = await interleaved(12, { search });
    findings.push({
      what: `search in residues for ${motif}: 90th percentile`,
      value: quantile(times, 0.9),
      unit: 'ms',
      limit: { atMost: 150 },
    });
  }
  return findings;
}

function parsed(fields: ListFields, query: Readonly<Record<string, string>>) {
  return parseListQuery(fields, query);
}
