/** `POST /experiments` with 1,000 sequences, held against its transaction run straight from pg. */
import { systemClock } from '#core/clock.ts';
import { createIds } from '#core/ids.ts';
import type { NewSequence } from '#features/sequences/rules.ts';
import type { Bench } from './http.ts';
import { runPlainTransaction } from './peers/plain-sql.ts';
import { storeDesigns } from './peers/statements.ts';
import { createDesigns, removeRemarkable } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer, type Answer } from './support/http-client.ts';
import { measureMs } from './support/load.ts';
import type { Finding } from './support/report.ts';
import { measureInterleaved, computeMedian, computeRatios } from './support/statistics.ts';

const SEQUENCES = 1_000;
const RESIDUES = 250;
const ROUNDS = 30;
const WARM_UP = 5;
const CONCENTRATIONS_NM = [1000, 316.2, 100, 31.6, 0];

export async function measureCreate(bench: Bench): Promise<Finding[]> {
  const drawn = Object.entries(createDesigns(SEQUENCES, RESIDUES, 7));
  const entries = Object.fromEntries(drawn.map(([name, text]) => [name, removeRemarkable(text)]));
  const spec = {
    experiment_type: 'affinity',
    method: 'bli',
    target_id: bench.targetId,
    n_replicates: 3,
    antigen_concentrations: CONCENTRATIONS_NM,
    sequences: entries,
  };
  const body = JSON.stringify({ name: 'A library', experiment_spec: spec });
  const sequences = Object.entries(entries).map(([name, aaString]): NewSequence => {
    return { name, aaString, length: aaString.length, isControl: false, metadata: null };
  });
  const ways = await createHttpWays(bench, body);
  const ids = createIds(systemClock);
  const { caller, baseUrl } = bench.service.ready;
  const bare = () =>
    measureMs(() =>
      runPlainTransaction(bench.pool, (sql) => {
        const { targetId } = bench;
        const work = {
          name: 'A library',
          targetId,
          nReplicates: 3,
          concentrationsNm: CONCENTRATIONS_NM,
          sequences,
        };
        return storeDesigns(sql, caller, work, ids, baseUrl);
      }),
    );
  await measureInterleaved(WARM_UP, { service: ways.service, raw: ways.raw, bare });
  const cpuBefore = await bench.service.readCpuSeconds();
  const figures = await measureInterleaved(ROUNDS, { service: ways.service, raw: ways.raw, bare });
  const cpu = (await bench.service.readCpuSeconds()) - cpuBefore;
  ways.close();
  const what = 'create, 1,000 sequences';
  return [
    {
      what: `${what}: time over SQL transaction`,
      value: computeMedian(computeRatios(figures.service, figures.bare)),
      unit: '×',
      limit: { atMost: 1.6 },
    },
    {
      what: `${what}: throughput over raw`,
      value: computeMedian(computeRatios(figures.raw, figures.service)),
      unit: '×',
    },
    { what: `${what}: time`, value: computeMedian(figures.service), unit: 'ms' },
    { what: `${what}: CPU of the service`, value: (cpu / ROUNDS) * 1e6, unit: 'µs/request' },
  ];
}

async function createHttpWays(bench: Bench, body: string) {
  const { token } = bench.service.ready;
  const service = await createWay(bench.service.ready.port, token, body);
  const raw = await createWay(bench.raw.ready.port, token, body);
  return {
    service: service.send,
    raw: raw.send,
    close() {
      service.connection.close();
      raw.connection.close();
    },
  };
}

async function createWay(port: number, token: string, body: string) {
  const connection = await Connection.open(port);
  const request = encodeRequest('POST', '/api/v1/experiments', { port, token }, body);
  const send = async (): Promise<number> => {
    let answer: Answer | undefined;
    const elapsed = await measureMs(async () => {
      answer = await connection.send(request);
    });
    if (answer !== undefined) requireCreated(answer);
    return elapsed;
  };
  return { connection, send };
}

interface Created {
  readonly status: string;
  readonly costs: { readonly breakdown: { readonly assay: { readonly sequence_count: number } } };
}

function requireCreated(answer: Answer): void {
  requireAnswer(answer, 201);
  const created: Created = JSON.parse(answer.body.toString('utf8'));
  if (created.status !== 'draft' || created.costs.breakdown.assay.sequence_count !== SEQUENCES)
    throw new Error(`wrong answer: ${answer.body.toString('utf8')}`);
}
