/**
 * How long others wait while somebody sends the worst bodies there are: without a token, with the token of a viewer, and
 * the largest that are legal, several at once. Each attack goes on for some seconds, over and over.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BenchOptions } from './run.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { createAttacks, type Attack, type Tokens } from './support/attacks.ts';
import { openBenchDatabase } from './support/database.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import type { Finding, Report } from './support/report.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';
import { measureSteadyWaits } from './support/waits.ts';

const ATTACK_MS = 6_000;
const CALM_MS = 3_000;
const CONNECTIONS = 6;
const P99_LIMIT_MS = 50;

export async function run({ only, profileInto }: BenchOptions): Promise<Report[]> {
  const database = await openBenchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-bodies-'));
  try {
    const argument: ServiceArgument = { connection: database.connection, dataDir };
    const service = await startServer<ServiceReady>('service', argument, { profileInto });
    try {
      const tokens = await createTokens(service.ready);
      const calm = await measureSteadyWaits(service.ready, () => setTimeout(CALM_MS));
      const findings = [...summarizeWaits('nothing', calm)];
      const conditions: string[] = [];
      for (const attack of createAttacks(tokens).filter(
        ({ name }) => only === undefined || name.includes(only),
      )) {
        const counts = new Map<number, number>();
        await sendFirst(service.ready.port, attack);
        await service.readLongestHoldMs();
        const meanwhile = await measureSteadyWaits(service.ready, () =>
          besiege(service.ready.port, attack, counts),
        );
        findings.push(...summarizeWaits(attack.name, meanwhile));
        const holdMs = await service.readLongestHoldMs();
        findings.push({
          what: '… longest piece of work, CPU',
          value: holdMs,
          unit: 'ms',
          limit: { atMost: P99_LIMIT_MS },
        });
        findings.push({ what: '… memory of the process', value: readResidentMegabytes(service), unit: 'MB' });
        conditions.push(
          `${attack.name}: answers ${[...counts].map(([status, count]) => `${status} × ${count}`).join(', ')}`,
        );
        await setTimeout(CALM_MS);
      }
      return [{ title: 'Others, while bodies arrive', findings, conditions }];
    } finally {
      await service.stop();
    }
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function summarizeWaits(name: string, found: readonly number[]): Finding[] {
  return [
    { what: `${name}: GET /info/health, median`, value: computeMedian(found), unit: 'ms' },
    { what: '… p99', value: takeQuantile(found, 0.99), unit: 'ms', limit: { atMost: P99_LIMIT_MS } },
    { what: '… longest', value: Math.max(...found), unit: 'ms' },
  ];
}

async function createTokens(target: ServiceReady): Promise<Tokens> {
  const connection = await Connection.open(target.port);
  const make = async (role: string): Promise<string> => {
    const body = JSON.stringify({ name: role, role, expires_in: '7d' });
    const answer = await connection.send(encodeRequest('POST', '/api/v1/tokens', target, body));
    requireAnswer(answer, 201);
    const { token }: { token: string } = JSON.parse(answer.body.toString('utf8'));
    return token;
  };
  const tokens = {
    viewer: await make('viewer'),
    members: [await make('member'), await make('member'), await make('member')],
  };
  connection.close();
  return tokens;
}

/** The first request of a kind loads and compiles what checks it, once in the life of a process. */
async function sendFirst(port: number, { requests }: Attack): Promise<void> {
  const connection = await Connection.open(port);
  for (const request of requests.slice(0, 1)) await connection.send(request);
  connection.close();
}

/** On a thread of its own, so that the one who waits is not held up by the attack itself. */
async function besiege(port: number, { requests }: Attack, counts: Map<number, number>): Promise<void> {
  const worker = new Worker(new URL('./support/besieger.ts', import.meta.url), {
    workerData: { port, requests, connections: CONNECTIONS, forMs: ATTACK_MS },
  });
  worker.on('message', (status: number) => void counts.set(status, (counts.get(status) ?? 0) + 1));
  await once(worker, 'exit');
}

function readResidentMegabytes({ pid }: Pick<ServerProcess<unknown>, 'pid'>): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
