/** The document of a quote of a thousand lines, from the request for it to its last byte, and what others wait meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import type { Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';
import { measureWaits } from './support/waits.ts';

const LINES = 1_000;
const ROUNDS = 10;

export async function run(): Promise<Report[]> {
  const database = await openBenchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-documents-'));
  try {
    const argument: ServiceArgument = { connection: database.connection, dataDir };
    const service = await startServer<ServiceReady>('service', argument);
    try {
      return [await measure(service.ready)];
    } finally {
      await service.stop();
    }
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(ready: ServiceReady): Promise<Report> {
  const experimentId = await createLongQuote(ready);
  const quiet = await measureWaits(ready, () => setTimeout(2_000));
  const seconds: number[] = [];
  const meanwhile: number[] = [];
  let bytes = 0;
  // The first round starts the thread that draws and warms it up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now();
    const waited = await measureWaits(ready, async () => {
      bytes = await measureDocument(ready, experimentId);
    });
    if (round === 0) continue;
    seconds.push((performance.now() - start) / 1_000);
    meanwhile.push(...waited);
  }
  return {
    title: `The document of a quote of ${LINES} lines`,
    findings: [
      { what: 'from the request to its last byte, median', value: computeMedian(seconds), unit: 's' },
      { what: '… slowest', value: Math.max(...seconds), unit: 's', limit: { atMost: 2 } },
      { what: 'GET /info/health meanwhile, p99', value: takeQuantile(meanwhile, 0.99), unit: 'ms' },
      { what: '… longest', value: Math.max(...meanwhile), unit: 'ms' },
      { what: '… with nothing else to do, p99', value: takeQuantile(quiet, 0.99), unit: 'ms' },
    ],
    conditions: [
      `${(bytes / 1e3).toFixed(0)} KB, drawn anew each time; ${ROUNDS} rounds after one to warm up, ${meanwhile.length} requests`,
    ],
  };
}

async function post(ready: ServiceReady, path: string, status: number, body: unknown = {}) {
  const connection = await Connection.open(ready.port);
  const answer = await connection.send(encodeRequest('POST', `/api/v1${path}`, ready, JSON.stringify(body)));
  connection.close();
  requireAnswer(answer, status);
  const json: Readonly<Record<string, unknown>> = JSON.parse(answer.body.toString('utf8'));
  return json;
}

/** The experiment of an open quote by hand, for a target that has no price. */
async function createLongQuote(ready: ServiceReady): Promise<string> {
  const connection = await Connection.open(ready.port);
  const found = await connection.send(encodeRequest('GET', '/api/v1/targets?limit=100', ready));
  connection.close();
  requireAnswer(found, 200);
  const targets: { items: { id: string; pricing: unknown }[] } = JSON.parse(found.body.toString('utf8'));
  const byHand = targets.items.find(({ pricing }) => pricing === null);
  if (byHand === undefined) throw new Error('there is no target that is quoted by hand');
  const sequences = createDesigns(1, 120, 7);
  const spec = { experiment_type: 'screening', method: 'bli', target_id: byHand.id, sequences };
  const created = await post(ready, '/experiments', 201, { name: 'Long quote', experiment_spec: spec });
  await post(ready, `/experiments/${String(created.experiment_id)}/submit`, 200);
  const lines = Array.from({ length: LINES }, (_, index) => ({
    description: `Binding of design ${index + 1}`,
    quantity: 1,
    unit_price_cents: 10_000 + index,
  }));
  const quote = { experiment_id: created.experiment_id, line_items: lines };
  const made = await post(ready, '/lab/quotes', 201, quote);
  await post(ready, `/lab/quotes/${String(made.id)}/open`, 200);
  return String(created.experiment_id);
}

async function measureDocument({ baseUrl, token }: ServiceReady, experimentId: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/api/v1/experiments/${experimentId}/quote/pdf`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 307 || bytes.toString('latin1', 0, 5) !== '%PDF-')
    throw new Error(`wrong answer: ${answer.status} ${bytes.toString('utf8', 0, 300)}`);
  return bytes.length;
}
