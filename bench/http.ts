/** The API over loopback, held against a raw node:http server with the same SQL and against that SQL alone. */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { listExperimentPage, findDetail } from '#features/experiments/shown-store.ts';
import { measureCreate } from './http-create.ts';
import { createPlainPool, createPlainSql } from './peers/plain-sql.ts';
import type { RawArgument } from './peers/raw.ts';
import { recordStatement } from './peers/recorded.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { identify, listQuery, getScope } from './peers/statements.ts';
import type { BenchOptions } from './run.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import { measureSecondsPerCall } from './support/load.ts';
import type { Finding, Report } from './support/report.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { measureInterleaved, computeMedian, computeRatios } from './support/statistics.ts';
import { removeTotal } from './support/without-total.ts';

const EXPERIMENTS = '/api/v1/experiments';
const CALLERS = 16;
const POOL_SIZE = 10;
const ROUNDS = 15;
const ROUND_MS = 500;
const LISTED = 1_000;
const DETAIL_SEQUENCES = 24;
const RESIDUES = 250;

/** What the measurements share. */
export interface Bench {
  readonly service: ServerProcess<ServiceReady>;
  readonly raw: ServerProcess<{ readonly port: number }>;
  readonly pool: pg.Pool;
  readonly targetId: string;
}

export async function run(options: BenchOptions): Promise<Report[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-blobs-'));
  const database = await openBenchDatabase();
  const pool = createPlainPool(database.connection, POOL_SIZE);
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const profileInto = options.profileInto;
    const argument: ServiceArgument = { connection: database.connection, dataDir };
    const service = await startServer<ServiceReady>('service', argument, { profileInto });
    closers.push(() => service.stop());
    const { baseUrl, caller, token } = service.ready;
    const target = await selectSelfServiceTarget(pool);
    const detailId = await fill(service.ready, pool, target);
    const rawArgument: RawArgument = {
      connection: database.connection,
      caller,
      token,
      baseUrl,
      poolSize: POOL_SIZE,
    };
    const raw = await startServer<{ port: number }>('raw', rawArgument, { profileInto });
    closers.push(() => raw.stop());
    const bench: Bench = { service, raw, pool, targetId: target };
    const only = options.only;
    const findings: Finding[] = [];
    if (only === undefined || only === 'get') findings.push(...(await measureGet(bench, detailId)));
    if (only === undefined || only === 'list') findings.push(...(await measureList(bench)));
    if (only === undefined || only === 'create') findings.push(...(await measureCreate(bench)));
    return [{ title: 'The API over loopback', findings, conditions: CONDITIONS }];
  } finally {
    for (const close of closers.toReversed()) await close();
    await pool.end();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const CONDITIONS = [
  `read and list: ${CALLERS} connections, one request in flight on each; create: one connection`,
  `medians of ratios over ${ROUNDS} rounds (create: 30), all ways of doing it in every round`,
  `experiment with ${DETAIL_SEQUENCES} sequences; list of 50 of ${LISTED} experiments; create with 1,000 sequences of 250 residues`,
  'raw: node:http and pg with the same statements and the same answer; SQL: these statements straight from pg',
  `${POOL_SIZE} database connections each; every answer compared, a wrong one ends the bench`,
];

async function selectSelfServiceTarget(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from targets where listed and pricing is not null order by name limit 1`,
  );
  const [target] = rows;
  if (target === undefined) throw new Error('the catalog has no target with a price');
  return target.id;
}

function writeCreation(name: string, targetId: string, sequences: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    name,
    skip_draft: true,
    experiment_spec: {
      experiment_type: 'affinity',
      method: 'bli',
      target_id: targetId,
      parameters: { ph: 7.4 },
      sequences,
    },
  });
}

/** Makes the experiments to be read, through the API; returns the id of the one that is read alone. */
async function fill(ready: ServiceReady, pool: pg.Pool, targetId: string): Promise<string> {
  let next = 0;
  const makeSome = async (): Promise<void> => {
    const connection = await Connection.open(ready.port);
    while (next < LISTED - 1) {
      const body = writeCreation(`Round ${(next += 1)}`, targetId, createDesigns(1, 100, next));
      requireAnswer(await connection.send(encodeRequest('POST', EXPERIMENTS, ready, body)), 201);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 4 }, makeSome));
  const connection = await Connection.open(ready.port);
  const body = writeCreation('The plate', targetId, createDesigns(DETAIL_SEQUENCES, RESIDUES, 1));
  const answer = await connection.send(encodeRequest('POST', EXPERIMENTS, ready, body));
  requireAnswer(answer, 201);
  connection.close();
  await waitUntilQuoted(pool);
  await pool.query('vacuum analyze');
  const created: { experiment_id: string } = JSON.parse(answer.body.toString('utf8'));
  return created.experiment_id;
}

/** The worker sends the quotes of what was just made; nothing is measured beside it. */
async function waitUntilQuoted(pool: pg.Pool): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `select count(*) as left from experiments where status = 'waiting_for_confirmation'`,
    );
    if (rows[0]?.left === 0) return;
    if (performance.now() > deadline) throw new Error('the worker did not send the quotes in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends one GET in a closed loop; the answers of both servers must be the same, then and later. */
async function createHttpWays(bench: Bench, path: string) {
  const { token } = bench.service.ready;
  const ports = { service: bench.service.ready.port, raw: bench.raw.ready.port };
  const expected = {
    service: await readFirstAnswer(ports.service, token, path),
    raw: await readFirstAnswer(ports.raw, token, path),
  };
  deepStrictEqual(toComparable(expected.service), toComparable(expected.raw));
  const cpu = { seconds: 0, requests: 0 };
  const way = async (name: 'service' | 'raw') => {
    const target = { port: ports[name], token };
    const connections = await Promise.all(
      Array.from({ length: CALLERS }, () => Connection.open(target.port)),
    );
    const request = encodeRequest('GET', path, target);
    const before = await bench[name].readCpuSeconds();
    const { seconds, calls } = await measureSecondsPerCall(CALLERS, ROUND_MS, async (caller) => {
      const connection = connections[caller];
      if (connection !== undefined) requireAnswer(await connection.send(request), 200, expected[name]);
    });
    if (name === 'service') {
      cpu.seconds += (await bench[name].readCpuSeconds()) - before;
      cpu.requests += calls;
    }
    for (const connection of connections) connection.close();
    return seconds;
  };
  return { cpu, service: () => way('service'), raw: () => way('raw') };
}

async function readFirstAnswer(port: number, token: string, path: string): Promise<Buffer> {
  const connection = await Connection.open(port);
  const answer = await connection.send(encodeRequest('GET', path, { port, token }));
  connection.close();
  requireAnswer(answer, 200);
  return Buffer.from(answer.body);
}

/** Everything but the cursor, which each server signs with a key of its own. */
function toComparable(body: Buffer): unknown {
  const value: Record<string, unknown> = JSON.parse(body.toString('utf8'));
  return { ...value, next: typeof value.next };
}

async function measureGet(bench: Bench, id: string): Promise<Finding[]> {
  const { cpu, service, raw } = await createHttpWays(bench, `${EXPERIMENTS}/${id}`);
  const { caller } = bench.service.ready;
  const sql = createPlainSql(bench.pool);
  const bare = async () => {
    const { seconds } = await measureSecondsPerCall(CALLERS, ROUND_MS, async () => {
      await identify(sql, caller);
      if ((await findDetail(getScope(caller), sql, id)) === undefined) throw new Error('wrong answer');
    });
    return seconds;
  };
  const figures = await measureInterleaved(ROUNDS, { service, raw, bare });
  return [
    ...summarizeThroughput('GET experiment', figures, { atLeast: 0.65 }),
    summarizeCpu('GET experiment', cpu),
  ];
}

async function measureList(bench: Bench): Promise<Finding[]> {
  const { cpu, service, raw } = await createHttpWays(bench, `${EXPERIMENTS}?limit=50`);
  const { caller, baseUrl } = bench.service.ready;
  const sql = createPlainSql(bench.pool);
  const statement = await recordStatement((recording) =>
    listExperimentPage(getScope(caller), recording, listQuery(50, caller), baseUrl),
  );
  const bareWay = (text: string) => async () => {
    const { seconds } = await measureSecondsPerCall(CALLERS, ROUND_MS, async () => {
      await identify(sql, caller);
      const rows = await sql.query(text, statement.values);
      if (rows.length !== 51) throw new Error(`wrong answer: ${rows.length} rows`);
    });
    return seconds;
  };
  const figures = await measureInterleaved(ROUNDS, {
    service,
    raw,
    bare: bareWay(statement.text),
    withoutTotal: bareWay(removeTotal(statement.text)),
  });
  return [
    ...summarizeThroughput('list of 50', figures, undefined),
    {
      what: 'list of 50: with total, time over without',
      value: computeMedian(computeRatios(figures.bare, figures.withoutTotal)),
      unit: '×',
      limit: { atMost: 1.3 },
    },
    summarizeCpu('list of 50', cpu),
  ];
}

function summarizeThroughput(
  what: string,
  figures: Record<'service' | 'raw' | 'bare', number[]>,
  limit: Finding['limit'],
): Finding[] {
  return [
    {
      what: `${what}: throughput over raw`,
      value: computeMedian(computeRatios(figures.raw, figures.service)),
      unit: '×',
      ...(limit === undefined ? {} : { limit }),
    },
    {
      what: `${what}: throughput over SQL`,
      value: computeMedian(computeRatios(figures.bare, figures.service)),
      unit: '×',
    },
    { what: `${what}: per second`, value: 1 / computeMedian(figures.service), unit: '/s' },
  ];
}

function summarizeCpu(what: string, cpu: { seconds: number; requests: number }): Finding {
  return {
    what: `${what}: CPU of the service`,
    value: (cpu.seconds / cpu.requests) * 1e6,
    unit: 'µs/request',
  };
}
