/**
 * Sixteen writers in one organization while a client reads its feed. With `--against DIR`, a checkout of an earlier
 * commit with its packages, both services take turns, each over a database of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, findFreePort, startService, type Running } from '../scripts/compare-versions/process.ts';
import type { BenchOptions } from './run.ts';
import { createDesigns, removeRemarkable } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import type { Finding, Report } from './support/report.ts';
import { computeMedian, computeRatios, takeQuantile } from './support/statistics.ts';

const WRITERS = 16;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 12;
const ROUND_MS = 1_500;
const POLL_PAUSE_MS = 100;

interface Round {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly perSecond: number;
}

interface Contestant {
  readonly service: Running;
  readonly rounds: Round[];
  runRound(): Promise<Round>;
  close(): void;
}

export async function run({ against }: BenchOptions): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-feed-'));
  const contestants: Contestant[] = [];
  try {
    for (const [index, root] of [ROOT, ...(against === undefined ? [] : [against])].entries())
      contestants.push(await enter(root, join(directory, String(index))));
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
      for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
        const figures = await contestant.runRound();
        if (round >= 0) contestant.rounds.push(figures);
      }
    return [buildReport(contestants)];
  } finally {
    for (const contestant of contestants) {
      contestant.close();
      await contestant.service.stop();
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

function buildReport([now, before]: readonly Contestant[]): Report {
  const list = (which: keyof Round, of: Contestant | undefined): number[] =>
    of === undefined ? [] : of.rounds.map((round) => round[which]);
  const compared: Finding[] =
    before === undefined
      ? []
      : [
          {
            what: 'median time over that of the earlier commit',
            value: computeMedian(computeRatios(list('medianMs', now), list('medianMs', before))),
            unit: '×',
            limit: { atMost: 1.1 },
          },
          {
            what: 'throughput of the earlier commit over ours',
            value: computeMedian(computeRatios(list('perSecond', before), list('perSecond', now))),
            unit: '×',
            limit: { atMost: 1.1 },
          },
          { what: 'earlier: median time', value: computeMedian(list('medianMs', before)), unit: 'ms' },
          { what: 'earlier: throughput', value: computeMedian(list('perSecond', before)), unit: '/s' },
        ];
  return {
    title: 'Writers of one organization',
    conditions: [
      `${WRITERS} writers, each creates and submits an experiment and starts again`,
      `a reader asks for the newest updates every ${POLL_PAUSE_MS} ms`,
      `${ROUNDS} rounds of ${ROUND_MS} ms, the services in turn`,
    ],
    findings: [
      ...compared,
      { what: 'median time of create and submit', value: computeMedian(list('medianMs', now)), unit: 'ms' },
      { what: '99th percentile', value: computeMedian(list('p99Ms', now)), unit: 'ms' },
      { what: 'throughput', value: computeMedian(list('perSecond', now)), unit: '/s' },
    ],
  };
}

async function enter(root: string, dataDir: string): Promise<Contestant> {
  const service = await startService(root, dataDir, await findFreePort());
  const port = Number(new URL(service.url).port);
  const target = { port, token: service.token };
  const create = encodeRequest('POST', '/api/v1/experiments', target, await writeOrder(service));
  const poll = encodeRequest('GET', '/api/v1/updates?limit=20', target);
  const connections = await Promise.all(Array.from({ length: WRITERS + 1 }, () => Connection.open(port)));
  const [reader, ...writers] = connections;

  async function write(connection: Connection): Promise<void> {
    const answer = await connection.send(create);
    requireAnswer(answer, 201);
    const { experiment_id: id }: { experiment_id: string } = JSON.parse(answer.body.toString('utf8'));
    const submit = encodeRequest('POST', `/api/v1/experiments/${id}/submit`, target, '{}');
    requireAnswer(await connection.send(submit), 200);
  }

  async function runRound(): Promise<Round> {
    const start = performance.now();
    const until = start + ROUND_MS;
    const times: number[] = [];
    const keepWriting = async (connection: Connection): Promise<void> => {
      while (performance.now() < until) {
        const begun = performance.now();
        await write(connection);
        times.push(performance.now() - begun);
      }
    };
    const keepReading = async (): Promise<void> => {
      while (performance.now() < until) {
        if (reader !== undefined) requireAnswer(await reader.send(poll), 200);
        await new Promise((resolve) => setTimeout(resolve, POLL_PAUSE_MS));
      }
    };
    await Promise.all([keepReading(), ...writers.map((connection) => keepWriting(connection))]);
    const seconds = (performance.now() - start) / 1_000;
    return {
      medianMs: computeMedian(times),
      p99Ms: takeQuantile(times, 0.99),
      perSecond: times.length / seconds,
    };
  }

  return {
    service,
    rounds: [],
    runRound,
    close: () => connections.forEach((connection) => connection.close()),
  };
}

/** The body of an order of five designs against a target that is priced. */
async function writeOrder({ url, token }: Running): Promise<string> {
  const answer = await fetch(`${url}/api/v1/targets?selfservice_only=true&limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const page: unknown = await answer.json();
  const targetId = /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify(page))?.[1];
  if (targetId === undefined) throw new Error('the catalog has no target that is priced');
  const designs = Object.entries(createDesigns(5, 120, 7));
  return JSON.stringify({
    name: 'One of many',
    experiment_spec: {
      experiment_type: 'affinity',
      method: 'bli',
      target_id: targetId,
      sequences: Object.fromEntries(designs.map(([name, text]) => [name, removeRemarkable(text)])),
    },
  });
}
