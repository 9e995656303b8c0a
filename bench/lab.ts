/** The day of a lab: its queue, a review, the plan of a full plate and the preview of a file, while 200 orders wait. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRawFile } from '#testing/lab-by-hand.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import type { BenchOptions } from './run.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import { measureMs } from './support/load.ts';
import { PageVisitor } from './support/page-visitor.ts';
import type { Finding, Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';

const ORDERS = 200;
const RUNS = 50;
/** Sequences of each waiting order, and of the one in review. */
const SEQUENCES = 24;
const REVIEWED_SEQUENCES = 96;
/** Orders that a run of 384 wells is planned over: 15 × 24 sequences and the controls. */
const PLANNED_ORDERS = 15;
const ROUNDS = 40;
const PLAN_ROUNDS = 10;
const ANSWER_LIMIT_MS = 150;
const PLAN_LIMIT_MS = 1_000;
const REVIEW_LIMIT_S = 120;

type Json = Readonly<Record<string, unknown>>;
type Sequences = Readonly<Record<string, string>>;

/** One keep-alive connection of somebody who has every role of the staff. */
class Staff {
  readonly #ready: ServiceReady;
  readonly #connection: Connection;
  /** Processor seconds of the service so far; those of the database are not among them. */
  readonly readCpuSeconds: () => Promise<number>;

  constructor(ready: ServiceReady, connection: Connection, readCpuSeconds: () => Promise<number>) {
    this.#ready = ready;
    this.#connection = connection;
    this.readCpuSeconds = readCpuSeconds;
  }

  async ask(method: string, path: string, status: number, body?: unknown): Promise<Json> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#connection.send(encodeRequest(method, `/api/v1${path}`, this.#ready, content));
    requireAnswer(answer, status);
    const json: Json = JSON.parse(answer.body.toString('utf8'));
    return json;
  }

  signIn(): Promise<PageVisitor> {
    return PageVisitor.signIn(this.#ready.baseUrl, this.#ready.signInPath);
  }

  post(path: string, body: unknown = {}, status = 200): Promise<Json> {
    return this.ask('POST', path, status, body);
  }
}

export async function run({ scale, profileInto }: BenchOptions): Promise<Report[]> {
  const database = await openBenchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-lab-'));
  try {
    const argument: ServiceArgument = { connection: database.connection, dataDir };
    const service = await startServer<ServiceReady>('service', argument, { profileInto });
    try {
      const staff = new Staff(service.ready, await Connection.open(service.ready.port), () =>
        service.readCpuSeconds(),
      );
      return [await measure(staff, Math.max(PLANNED_ORDERS + 1, Math.round(ORDERS * scale)))];
    } finally {
      await service.stop();
    }
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(staff: Staff, orders: number): Promise<Report> {
  await staff.ask('PUT', '/lab/simulated-lab', 200, { mode: 'manual' });
  const queued = await fillQueue(staff, orders);
  const [first = ''] = queued;
  const runs = Math.min(RUNS, queued.length);
  for (const id of queued.slice(0, runs)) await storeRun(staff, id);
  const reviewed = await createReviewed(staff);
  const running = await createRunning(staff, createDesigns(REVIEWED_SEQUENCES, 120, 8));
  const planned = queued.slice(0, PLANNED_ORDERS);
  return {
    title: `A lab with ${orders} orders waiting and ${runs} runs`,
    findings: [
      ...(await measureAnswers(staff, first, reviewed)),
      ...(await measurePlan(staff, planned)),
      ...(await measurePreview(staff, running)),
    ],
    conditions: [
      `orders of ${SEQUENCES} sequences: a third waits for its quote, a third for materials, a third in the queue`,
      `${ROUNDS} rounds of each question over loopback, ${PLAN_ROUNDS} of plan and preview, after one to warm up`,
    ],
  };
}

async function measureAnswers(staff: Staff, queued: string, reviewed: string): Promise<Finding[]> {
  const ofReview = `/lab/experiments/${reviewed}`;
  const questions = {
    'what waits for every role': '/lab/needs',
    'queue, 50 orders': '/lab/experiments?limit=50',
    'queue, what waits for the lab': '/lab/experiments?filter=eq(waiting_actor,lab)&limit=100',
    'queue, one order': `/lab/experiments/${queued}`,
    'runs, 50': '/lab/runs?limit=50',
    [`review, ${REVIEWED_SEQUENCES} results`]: `${ofReview}/results?limit=100`,
    'review, decisions and events': `${ofReview}/review`,
    'review, plot of all': `${ofReview}/plot.svg`,
  };
  const visitor = await staff.signIn();
  const asks: Readonly<Record<string, () => Promise<unknown>>> = {
    'page Today, every role': () => visitor.open('/lab', 'Materials to receive'),
    ...Object.fromEntries(
      Object.entries(questions).map(([what, path]) => [
        what,
        path.endsWith('.svg') ? () => askForFigure(staff, path) : () => staff.ask('GET', path, 200),
      ]),
    ),
  };
  const findings: Finding[] = [];
  for (const [what, ask] of Object.entries(asks)) {
    const { ms, cpuMs } = await measureRounds(staff, ROUNDS, ask);
    findings.push({ what: `${what}: fastest`, value: Math.min(...ms), unit: 'ms' });
    findings.push(...describeProcessorTime(ms, cpuMs));
    findings.push({ what: '… median', value: computeMedian(ms), unit: 'ms' });
    findings.push({
      what: '… 95th percentile',
      value: takeQuantile(ms, 0.95),
      unit: 'ms',
      limit: { atMost: ANSWER_LIMIT_MS },
    });
  }
  return findings;
}

async function askForFigure(staff: Staff, path: string): Promise<void> {
  await staff.ask('GET', path, 200).catch((error: unknown) => {
    // A figure is no JSON; any other failure is one.
    if (!(error instanceof SyntaxError)) throw error;
  });
}

interface Rounds {
  readonly ms: readonly number[];
  /** Mean processor time of the service for a round. */
  readonly cpuMs: number;
}

/** Milliseconds of each round; one before them warms up. */
async function measureRounds(staff: Staff, rounds: number, ask: () => Promise<unknown>): Promise<Rounds> {
  await ask();
  const cpuBefore = await staff.readCpuSeconds();
  const ms: number[] = [];
  for (let round = 0; round < rounds; round += 1) ms.push(await measureMs(ask));
  return { ms, cpuMs: ((await staff.readCpuSeconds()) - cpuBefore) * (1_000 / rounds) };
}

/** Unlike the time of a clock, the processor time is nearly the same beside other work. */
function describeProcessorTime(ms: readonly number[], cpuMs: number): Finding[] {
  return [
    { what: '… processor time of the service', value: cpuMs, unit: 'ms' },
    { what: '… median over processor time', value: computeMedian(ms) / cpuMs, unit: '×' },
  ];
}

const writePlanRequest = (experimentIds: readonly string[], size: number, seed: number) => ({
  experiment_ids: experimentIds,
  size,
  concentrations_m: [1e-7],
  controls: { positive: 'positive-protein', negatives: ['negative-1'], standard: null },
  seed,
});

async function measurePlan(staff: Staff, experimentIds: readonly string[]): Promise<Finding[]> {
  let seed = 0;
  const { ms, cpuMs } = await measureRounds(staff, PLAN_ROUNDS, async () => {
    const made = await staff.post('/lab/run-plans', writePlanRequest(experimentIds, 384, (seed += 1)));
    if (made.plan === null) throw new Error(`no plan: ${JSON.stringify(made.problems)}`);
  });
  return [
    {
      what: `plan of 384 wells, ${experimentIds.length} orders: fastest`,
      value: Math.min(...ms),
      unit: 'ms',
    },
    ...describeProcessorTime(ms, cpuMs),
    { what: '… median', value: computeMedian(ms), unit: 'ms' },
    { what: '… slowest', value: Math.max(...ms), unit: 'ms', limit: { atMost: PLAN_LIMIT_MS } },
  ];
}

async function measurePreview(staff: Staff, running: string): Promise<Finding[]> {
  const file = createRawFile(createDesigns(REVIEWED_SEQUENCES, 120, 8));
  const { ms, cpuMs } = await measureRounds(staff, PLAN_ROUNDS, () =>
    staff.post(`/lab/experiments/${running}/preview`, { files: [file] }),
  );
  const megabytes = (file.content_base64.length * 0.75) / 1e6;
  return [
    {
      what: `preview of a raw file of ${megabytes.toFixed(1)} MB: fastest`,
      value: Math.min(...ms),
      unit: 'ms',
    },
    ...describeProcessorTime(ms, cpuMs),
    { what: '… median', value: computeMedian(ms), unit: 'ms' },
    { what: '… slowest', value: Math.max(...ms), unit: 'ms' },
  ];
}

/** Orders in three states; the ids of those in the queue. */
async function fillQueue(staff: Staff, orders: number): Promise<string[]> {
  const queued: string[] = [];
  const sequences = createDesigns(SEQUENCES, 120, 7);
  const targetId = await findTarget(staff, true);
  const byHand = await findTarget(staff, false);
  for (let index = 0; index < orders; index += 1) {
    if (index % 3 === 0) {
      await createSubmitted(staff, sequences, byHand);
      continue;
    }
    const id = await createConfirmed(staff, sequences, targetId);
    if (index % 3 === 1) continue;
    await staff.post(`/lab/experiments/${id}/materials`);
    queued.push(id);
  }
  return queued;
}

async function findTarget(staff: Staff, isPriced: boolean): Promise<string> {
  const { items } = await staff.ask('GET', '/targets?limit=100', 200);
  const targets: readonly Json[] = Array.isArray(items) ? items : [];
  const found = targets.find(({ pricing }) => (pricing !== null) === isPriced);
  if (found === undefined) throw new Error('the catalog lacks a target for the bench');
  return String(found.id);
}

async function createSubmitted(staff: Staff, sequences: Sequences, targetId: string): Promise<string> {
  const spec = { experiment_type: 'screening', method: 'bli', target_id: targetId, sequences };
  const made = await staff.post('/experiments', { name: 'A waiting order', experiment_spec: spec }, 201);
  const id = String(made.experiment_id);
  await staff.post(`/experiments/${id}/submit`);
  return id;
}

async function createConfirmed(staff: Staff, sequences: Sequences, targetId: string): Promise<string> {
  const id = await createSubmitted(staff, sequences, targetId);
  const quote = await staff.ask('GET', `/experiments/${id}/quote`, 200);
  await staff.post(`/quotes/${String(quote.quote_id)}/confirm`);
  return id;
}

async function storeRun(staff: Staff, experimentId: string): Promise<void> {
  const { request, plan } = await staff.post('/lab/run-plans', writePlanRequest([experimentId], 96, 7));
  await staff.post('/lab/runs', { request, plan, instrument: 'Octet R8', operator: 'Ada Example' }, 201);
}

async function createRunning(staff: Staff, sequences: Sequences): Promise<string> {
  const id = await createConfirmed(staff, sequences, await findTarget(staff, true));
  await staff.post(`/lab/experiments/${id}/materials`);
  const override = { instrument: 'Octet R8', override_reason: 'The bench pays nothing.' };
  await staff.post(`/lab/experiments/${id}/runs`, override, 201);
  return id;
}

async function createReviewed(staff: Staff): Promise<string> {
  const sequences = createDesigns(REVIEWED_SEQUENCES, 120, 7);
  const id = await createRunning(staff, sequences);
  await staff.post(`/lab/experiments/${id}/files`, createRawFile(sequences), 201);
  await staff.post(`/lab/experiments/${id}/complete`);
  const deadline = performance.now() + REVIEW_LIMIT_S * 1_000;
  while ((await staff.ask('GET', `/lab/experiments/${id}/review`, 200)).status !== 'in_review') {
    if (performance.now() > deadline) throw new Error('the analysis did not end in time');
    await setTimeout(200);
  }
  return id;
}
