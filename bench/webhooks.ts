/** Deliveries of webhooks: how many a process sends with every guard on, each over a connection of its own. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '#adapters/postgres/pool.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import type { BenchOptions } from './run.ts';
import { openBenchDatabase, type BenchDatabase } from './support/database.ts';
import type { Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { computeMedian } from './support/statistics.ts';

const ENDPOINTS = 8;
const DELIVERIES = 250;
const ROUNDS = 3;
const WAITING_LANES = 5_000;
/** Such lanes cost nothing; the rest is the noise of the machine. */
const SHARE_BESIDE_MIN = 0.8;
const LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 50;
const BEGINNING = '2000-01-01T00:00:00Z';

/** A receiver that answers at once and counts. */
async function startCounter() {
  let count = 0;
  const waiting: { at: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(204).end();
      count += 1;
      for (const each of waiting) if (count >= each.at) each.resolve();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://localhost:${address.port}/hook`,
    /** Resolves when so many more have arrived. */
    expect(more: number): Promise<void> {
      const at = count + more;
      return new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`${at - count} deliveries did not arrive`)),
          LIMIT_MS,
        );
        waiting.push({
          at,
          resolve: () => {
            clearTimeout(limit);
            resolve();
          },
        });
      });
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Lanes of another organization whose deliveries wait for their next attempt. */
async function openWaitingLanes({ connection }: BenchDatabase) {
  const database = createDatabase({ connection });
  await database.read.query(
    `insert into organizations (id, name, slug, created_at) values (md5('other')::uuid, 'Other', 'OTHER', now())`,
  );
  return {
    add: () =>
      database.read.query(
        `insert into webhook_deliveries (id, organization_id, event_type, body, lane, status, next_at, is_due, created_at)
         select md5(n::text)::uuid, md5('other')::uuid, 'x', '{}', md5('lane ' || n), 'waiting',
           now() + interval '1 day', false, now()
         from generate_series(1, $1::int) n`,
        [WAITING_LANES],
      ),
    remove: () =>
      database.read.query(`delete from webhook_deliveries where organization_id = md5('other')::uuid`),
    close: () => database.close(),
  };
}

/** What one round of deliveries took. */
interface Round {
  readonly perSecond: number;
  /** Processor time of the service for one delivery. */
  readonly cpuMs: number;
}

function createAsker(baseUrl: string, token: string) {
  const authorization = { authorization: `Bearer ${token}` };
  return {
    post: async (path: string, body: object): Promise<{ readonly id: string }> => {
      const answer = await fetch(`${baseUrl}/api/v1${path}`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(await answer.text());
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service answered it
      return (await answer.json()) as { readonly id: string };
    },
    /** A request that arrived is recorded a moment later, and only then can it be sent again. */
    settle: async (): Promise<void> => {
      const path = `${baseUrl}/api/v1/webhooks/deliveries?filter=eq(status,waiting)&limit=1`;
      while (!(await (await fetch(path, { headers: authorization })).text()).includes('"total":0'))
        await pause(LOOK_EVERY_MS);
    },
  };
}

function reportRounds(alone: readonly Round[], beside: readonly Round[]): Report {
  const [deliveries = 0, besideLanes = 0] = [alone, beside].map((rounds) =>
    computeMedian(rounds.map(({ perSecond }) => perSecond)),
  );
  const cpuMs = computeMedian(alone.map((round) => round.cpuMs));
  return {
    title: 'Deliveries of webhooks',
    conditions: [
      `${ENDPOINTS * DELIVERIES} deliveries to ${ENDPOINTS} endpoints of one organization, ${ROUNDS} rounds`,
      'one process; resolved, checked, connected and signed anew for each',
    ],
    findings: [
      { what: 'deliveries', value: deliveries, unit: '/s' },
      { what: 'processor time of the service for one', value: cpuMs, unit: 'ms' },
      {
        what: `deliveries beside ${WAITING_LANES} receivers that wait for their time`,
        value: besideLanes,
        unit: '/s',
      },
      {
        what: 'the same, over those without',
        value: besideLanes / deliveries,
        unit: '×',
        limit: { atLeast: SHARE_BESIDE_MIN },
      },
    ],
  };
}

export async function run({ profileInto }: BenchOptions): Promise<Report[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-webhooks-'));
  const database = await openBenchDatabase();
  const argument: ServiceArgument = { connection: database.connection, dataDir, delivers: true };
  const service = await startServer<ServiceReady>('service', argument, { profileInto });
  const receiver = await startCounter();
  const lanes = await openWaitingLanes(database);
  try {
    const { token, baseUrl } = service.ready;
    const { post, settle } = createAsker(baseUrl, token);
    const ids: string[] = [];
    const secret = 'a-secret-of-at-least-32-characters';
    for (let n = 0; n < ENDPOINTS; n += 1)
      ids.push((await post('/webhooks', { url: `${receiver.url}/${n}`, secret })).id);
    const total = ENDPOINTS * DELIVERIES;
    const first = receiver.expect(total);
    for (let n = 0; n < DELIVERIES; n += 1)
      await Promise.all(ids.map((id) => post(`/webhooks/${id}/test`, {})));
    await first;
    await settle();
    const again = { since: BEGINNING, only_failed: false };
    const measure = async (): Promise<Round> => {
      const arrived = receiver.expect(total);
      const cpuBefore = await service.readCpuSeconds();
      const begunMs = performance.now();
      await Promise.all(ids.map((id) => post(`/webhooks/${id}/redeliver`, again)));
      await arrived;
      const perSecond = (total / (performance.now() - begunMs)) * 1_000;
      await settle();
      return { perSecond, cpuMs: (((await service.readCpuSeconds()) - cpuBefore) / total) * 1_000 };
    };
    const [alone, beside] = [[await measure()], [] as Round[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      await lanes.add();
      beside.push(await measure());
      await lanes.remove();
      alone.push(await measure());
    }
    return [reportRounds(alone, beside)];
  } finally {
    receiver.close();
    await lanes.close();
    await service.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
