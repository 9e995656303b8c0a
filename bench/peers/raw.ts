/**
 * The peer that the service is held against: node:http and pg with the same statements and answers, and nothing else.
 * No validation, no limits, no log, no failures told apart.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { systemClock } from '#core/clock.ts';
import { compileList, createCursorSigner } from '#core/filter/index.ts';
import { createIds } from '#core/ids.ts';
import { findDetail, listExperimentPage } from '#features/experiments/shown-store.ts';
import type { NewSequence } from '#features/sequences/rules.ts';
import { serveBench } from '../support/server-process.ts';
import { buildCreatedAnswer, buildExperimentAnswer } from './answers.ts';
import { createPlainPool, createPlainSql, runPlainTransaction } from './plain-sql.ts';
import { identify, listQuery, getScope, storeDesigns, type Caller } from './statements.ts';
import { recordStatement } from './recorded.ts';

export interface RawArgument {
  readonly connection: ServerConnection;
  readonly caller: Caller;
  readonly token: string;
  readonly baseUrl: string;
  readonly poolSize: number;
}

interface Body {
  readonly name: string;
  readonly experiment_spec: {
    readonly target_id: string;
    readonly n_replicates: number;
    readonly antigen_concentrations: readonly number[];
    readonly sequences: Readonly<Record<string, string>>;
  };
}

interface ListRow {
  readonly item: string;
  readonly list_key: string;
  readonly total: number;
}

const argument: RawArgument = JSON.parse(process.argv[2] ?? '{}');
const { caller, baseUrl } = argument;
const pool = createPlainPool(argument.connection, argument.poolSize);
const sql = createPlainSql(pool);
const ids = createIds(systemClock);
const scope = getScope(caller);
const query = listQuery(50, caller, createCursorSigner(Buffer.alloc(32, 1)));
const list = compileList(query, { firstParameter: 3 });
const statement = await recordStatement((recording) => listExperimentPage(scope, recording, query, baseUrl));

async function readList(): Promise<string> {
  const rows = await sql.query<ListRow>(statement.text, statement.values);
  const { items, next } = list.buildPage(rows);
  const body = items.map((row) => row.item).join(',');
  return `{"items":[${body}],"count":${items.length},"offset":0,"total":${rows[0]?.total ?? 0},"next":${JSON.stringify(next)}}`;
}

async function readDetail(id: string): Promise<string> {
  const row = await findDetail(scope, sql, id);
  if (row === undefined) throw new Error('no such experiment');
  return JSON.stringify(buildExperimentAnswer(row, baseUrl));
}

async function create(text: string): Promise<string> {
  const body: Body = JSON.parse(text);
  const spec = body.experiment_spec;
  const sequences = Object.entries(spec.sequences).map(([name, aaString]): NewSequence => {
    return { name, aaString, length: aaString.length, isControl: false, metadata: null };
  });
  const designs = {
    name: body.name,
    targetId: spec.target_id,
    nReplicates: spec.n_replicates,
    concentrationsNm: spec.antigen_concentrations,
    sequences,
  };
  const stored = await runPlainTransaction(pool, (tx) => storeDesigns(tx, caller, designs, ids, baseUrl));
  return JSON.stringify(buildCreatedAnswer(stored));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  return text;
}

const EXPERIMENTS = '/api/v1/experiments';

async function answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
  if (request.headers.authorization !== `Bearer ${argument.token}`) return { status: 401, body: '{}' };
  await identify(sql, caller);
  const url = request.url ?? '';
  if (request.method === 'POST') return { status: 201, body: await create(await readText(request)) };
  if (url.startsWith(`${EXPERIMENTS}?`)) return { status: 200, body: await readList() };
  return { status: 200, body: await readDetail(url.slice(EXPERIMENTS.length + 1)) };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { status, body } = await answer(request);
    const length = Buffer.byteLength(body);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length }).end(body);
  } catch (error) {
    console.error(error);
    response.writeHead(500, { 'content-length': 0 }).end();
  }
}

const server = createServer((request, response) => void respond(request, response));

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  serveBench({ port }, async () => {
    server.closeAllConnections();
    await pool.end();
  });
});
