/** A whole service over its own database, driven through its public doors and a clock that the test moves. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { grantByOperator } from '#core/grants.ts';
import { createIds, type RandomBytes } from '#core/ids.ts';
import { createLogger } from '#transports/log.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { addPartner } from '#features/tokens/partners/store.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import { createService, type Service } from '../../src/main.ts';
import type { BlobFiles } from '#adapters/blobs/directory.ts';
import type { Receivers, Threads } from '#composition/system-sources.ts';
import { readSettings } from '#settings/settings.ts';
import { testDatabase } from './database.ts';
import { sharedThreads } from './shared-threads.ts';
import { createPeople, TOKEN_LIFETIME_MS, type NewPerson } from './people.ts';
import { VirtualClock } from './virtual-clock.ts';

const START = new Date('2026-03-02T09:00:00.000Z');

/** A busy machine may take so long; what refuses sooner is tested where the pool is. */
const PATIENT = { connectTimeoutMs: 30_000, lockTimeoutMs: 9_000 };

/** What would refuse a crowd, or a list on a busy machine; tests of these limits set their own. */
const UNHURRIED = { RATE_LIMIT_PER_SECOND: '0', LIST_TIMEOUT_MS: '60000' };

/** No test asks a name server. */
const LOOPBACK_ONLY: Receivers = { resolve: () => Promise.resolve([]) };

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // Tests read answers freely; the conformance test checks their form against the published document.
  readonly body: Json;
  readonly text: string;
}

/** Whatever JSON the service answered, to be walked by names; `getItems` and `getText` read its ends. */
export interface Json {
  readonly [key: string]: Json;
}

export function getItems(json: Json | undefined): readonly Json[] {
  if (!Array.isArray(json)) throw new Error(`not a list: ${JSON.stringify(json)}`);
  return json;
}

export function getText(json: Json | undefined): string {
  if (typeof json !== 'string') throw new Error(`not a text: ${JSON.stringify(json)}`);
  return json;
}

export function getNumber(json: Json | undefined): number {
  if (typeof json !== 'number') throw new Error(`not a number: ${JSON.stringify(json)}`);
  return json;
}

export interface Ask {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of `body`. */
  readonly payload?: string | Buffer;
}

export interface TestService {
  readonly service: Service;
  readonly clock: VirtualClock;
  readonly dataDir: string;
  /** `DATABASE_URL` of its database, for commands that open it themselves. */
  readonly databaseUrl: string;
  /** Opens a service beside this one, over the same database and clock; the caller closes it. */
  readonly openAnother: () => Promise<Service>;
  /** An admin token of the demo organization; its holder is also staff and a partner. */
  readonly token: string;
  /** Lines of the log, as JSON text. */
  readonly logLines: readonly string[];
  /** Asks the API; paths are below `/api/v1` unless they start with `//`. */
  readonly ask: (method: string, path: string, options?: Ask) => Promise<TestAnswer>;
  /** A token of a role in the demo organization, or in a new one of its own. */
  readonly issueToken: (person?: NewPerson) => Promise<string>;
  /** Runs due jobs and moves the clock until nothing happens any more, at most 200 rounds. */
  readonly runLab: () => Promise<void>;
}

export interface TestServiceParts {
  /** Payment rails for machines. */
  readonly rails?: readonly MachineRail[];
  /** What the clock says first. */
  readonly start?: Date;
  /** Takes the lines of the log instead of `logLines`, which would grow without end in a long test. */
  readonly takeLogLine?: (line: string) => void;
  /** What ids are drawn from; the system's generator unless said otherwise. */
  readonly random?: RandomBytes;
  /** Replaces the Internet for webhooks. */
  readonly receivers?: Receivers;
  /** Threads in place of those that all services of the process share. */
  readonly threads?: Threads;
  /** Replaces the file system for raw files. */
  readonly blobFiles?: BlobFiles;
}

export async function testService(
  variables: Readonly<Record<string, string>> = {},
  parts: TestServiceParts = {},
): Promise<TestService> {
  const { rails, start = START, takeLogLine, random } = parts;
  const { receivers = LOOPBACK_ONLY, threads = sharedThreads, blobFiles } = parts;
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-test-'));
  // Registered first, so that the service is closed before its database is checked for leaks and dropped.
  const opened: { service?: Service } = {};
  after(async () => {
    await opened.service?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { connection } = await testDatabase();
  const clock = new VirtualClock(start);
  const ids = createIds(clock, random);
  const logLines: string[] = [];
  const log = createLogger('debug', { write: takeLogLine ?? ((line) => void logLines.push(line)) });
  const settings = readSettings({ DATA_DIR: dataDir, ...UNHURRIED, ...variables });
  const given = {
    threads,
    receivers,
    ...(blobFiles === undefined ? {} : { blobFiles }),
    ...(rails === undefined ? {} : { rails }),
  };
  const sources = { clock, ids, log, ...given, databaseWaits: PATIENT };
  const openAnother = (): Promise<Service> => createService(settings, sources, connection);
  const service = await openAnother();
  opened.service = service;
  const { organizationId, userId } = service.founder;
  const grant = grantByOperator({ organizationId, role: 'admin' });
  await addPartner(createOrganizationScope(organizationId), service.database.read, grant, {
    user_id: userId,
    at: clock.now(),
  });
  const founderToken = await service.database.runTransaction((tx) =>
    issueRootToken(service.work, tx, service.keyring, grant, {
      userId,
      name: 'founder',
      lifetimeMs: TOKEN_LIFETIME_MS,
    }),
  );

  async function runLab(): Promise<void> {
    const { read } = service.database;
    for (let round = 0; round < 200; round++) {
      await service.worker.runDue();
      const [next] = await read.query<{ due: string | null }>(
        'select min(next_at) as due from jobs where done_at is null and failed_at is null',
      );
      if (next?.due === null || next?.due === undefined) return;
      clock.advance(Math.max(1, Date.parse(next.due) - clock.now().getTime()));
    }
    throw new Error('the lab did not come to rest within 200 rounds');
  }

  return {
    service,
    clock,
    dataDir,
    databaseUrl: `postgresql://${connection.user}@localhost:${connection.port}/${connection.database}?host=${encodeURIComponent(connection.host)}`,
    openAnother,
    token: founderToken.value,
    logLines,
    ask: (method, path, options) => ask(service, founderToken.value, method, path, options),
    issueToken: createPeople(service),
    runLab,
  };
}

async function ask(
  service: Service,
  ownToken: string,
  method: string,
  path: string,
  options: Ask = {},
): Promise<TestAnswer> {
  const token = options.token === undefined ? ownToken : options.token;
  const payload = options.payload ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const answer = await service.app.inject({
    method: toMethod(method),
    url: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const headers = toHeaders(answer.headers);
  if (answer.statusCode === 429 || answer.statusCode === 503)
    assert.match(
      headers['retry-after'] ?? '',
      /^[1-9]\d*$/,
      `${method} ${path} does not say when to come again`,
    );
  return {
    status: answer.statusCode,
    headers,
    text: answer.body,
    body: parseJson(answer.body),
  };
}

const BUSY_PAUSE_MS = 100;
const BUSY_TRIES = 50;

/** Asks again while the service is busy, as its answer tells clients to: for crowds on a slow machine. */
export async function askPatiently(question: () => Promise<TestAnswer>): Promise<TestAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await question();
    const isBusy = answer.status === 503 && answer.text.includes('"code":"overloaded"');
    if (!isBusy || attempt === BUSY_TRIES) return answer;
    await pause(BUSY_PAUSE_MS);
  }
}

/** The JSON of an answer; an empty record where it is none. */
export function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;

function toMethod(method: string): (typeof methods)[number] {
  const found = methods.find((known) => known === method);
  if (found === undefined) throw new Error(`no method ${method}`);
  return found;
}

function toHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
