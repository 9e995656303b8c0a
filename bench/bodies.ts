/**
 * How long others wait while somebody sends the worst bodies there are: without a token, with the token of a viewer, and
 * the largest that are legal, several at once. Each attack goes on for some seconds, over and over.
 */
import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { BenchOptions } from './run.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { attacks, type Attack, type Tokens } from './support/attacks.ts';
import { benchDatabase } from './support/database.ts';
import { Connection, requestBytes, requireAnswer } from './support/http-client.ts';
import type { Finding, Report } from './support/report.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';
import { median, quantile } from './support/statistics.ts';
import { steadyWaits } from './support/waits.ts';

const ATTACK_MS = 6_000;
const CALM_MS = 3_000;
const CONNECTIONS = 6;
const P99_LIMIT_MS = 50;

export async function run({ only }: BenchOptions): Promise<Report[]> {
  const database = await benchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-bodies-'));
  try {
    const argument: ServiceArgument = { connection: database.connection, dataDir };
    const service = await startServer<ServiceReady>('service', argument);
    try {
      const tokens = await newTokens(service.ready);
      const calm = await steadyWaits(service.ready, () => setTimeout(CALM_MS));
      const findings = [...waitsOf('nothing', calm)];
      const conditions: string[] = [];
      for (const attack of attacks(tokens).filter(({ name }) => only === undefined || name.includes(only))) {
        const told = new Map<number, number>();
        const meanwhile = await steadyWaits(service.ready, () => besiege(service.ready.port, attack, told));
        findings.push(...waitsOf(attack.name, meanwhile));
        findings.push({ what: '… memory of the process', value: residentMegabytes(service), unit: 'MB' });
        conditions.push(
          `${attack.name}: answers ${[...told].map(([status, count]) => `${status} × ${count}`).join(', ')}`,
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

function waitsOf(name: string, found: readonly number[]): Finding[] {
  return [
    { what: `${name}: GET /info/health, median`, value: median(found), unit: 'ms' },
    { what: '… p99', value: quantile(found, 0.99), unit: 'ms', limit: { atMost: P99_LIMIT_MS } },
    { what: '… longest', value: Math.max(...found), unit: 'ms' },
  ];
}

async function newTokens(target: ServiceReady): Promise<Tokens> {
  const connection = await Connection.open(target.port);
  const make = async (role: string): Promise<string> => {
    const body = JSON.stringify({ name: role, role, expires_in: '7d' });
    const answer = await connection.send(requestBytes('POST', '/api/v1/tokens', target, body));
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

/** Sends the attack over several connections, each again as soon as it was answered. */
async function besiege(port: number, { requests }: Attack, told: Map<number, number>): Promise<void> {
  const until = performance.now() + ATTACK_MS;
  const connections = Array.from({ length: CONNECTIONS }, async (_, index) => {
    const request = requests[index % requests.length];
    while (request !== undefined && performance.now() < until) {
      const status = await sendOnce(port, request);
      told.set(status, (told.get(status) ?? 0) + 1);
      // One who is told to come back later does not come back at once.
      if (status === 429 || status === 503) await setTimeout(100);
    }
  });
  await Promise.all(connections);
}

/** The status of the answer; 0 where the connection ended without one. */
function sendOnce(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let head = '';
    socket.on('data', (chunk: Buffer) => (head += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)));
    socket.write(request);
  });
}

function residentMegabytes({ pid }: Pick<ServerProcess<unknown>, 'pid'>): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
