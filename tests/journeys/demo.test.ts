/** The demo against a service of its own, then its results against the truth that the simulated lab kept to itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runTruth, type RunTruth } from '#sandbox/models/truth.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';
import { readFasta } from '#features/sequences/fasta.ts';
import { runAssayerProcess, ROOT, type CliAnswer } from './cli-process.ts';

/** A day of the lab passes in a twentieth of a second; only simulation and analysis take their time. */
const SANDBOX_SPEED = '2000000';
const AGREEMENT_LOG10 = 0.1;
const AGREEING_SHARE = 0.95;
/** Nearly all that binds must be found, or agreement would say little. */
const FOUND_SHARE = 0.9;
/** The set of the demo at night, every third sequence of it by day. */
const PART = process.env.ASSAYER_RECOVERY === 'whole' ? 1 : 3;
const { records: published } = readFasta(readFileSync(join(ROOT, 'examples/campaign.fasta'), 'utf8'));
const ordered = published.filter((_, index) => index % PART === 0);

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-demo-'));
let service: ServiceProcess | undefined;
let demo: CliAnswer | undefined;

before(async () => {
  service = await startProcess(dataDir, { SANDBOX_SPEED });
  const fasta = join(dataDir, 'part.fasta');
  writeFileSync(fasta, ordered.map(({ name, sequence }) => `>${name}\n${sequence}\n`).join(''));
  const choice = PART === 1 ? [] : ['--fasta', fasta];
  demo = await runAssayerProcess(['demo', ...choice], { server: service });
});
after(async () => {
  await service?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('assayer demo: run to its end → every step is reported and the affinities are ranked', () => {
  assert.ok(demo !== undefined);
  assert.equal(demo.code, 0, demo.err);
  for (const step of [
    'Estimate',
    'Order',
    'Quote accepted',
    'Invoice paid',
    'Run started',
    'Results released',
  ])
    assert.match(demo.err, new RegExp(`✓ ${step} +\\S`));
  assert.match(demo.err, /API {9}http.*\/api\/v1\/experiments\/DEMO-001-001\/results/);
  const [titles = '', ...rows] = demo.out.trimEnd().split('\n');
  assert.match(titles, /GRADE\s+#\s+NAME\s+OUTCOME\s+KD\s+95 % INTERVAL/);
  assert.ok(rows.length >= 24 / PART);
  assert.match(
    rows[0] ?? '',
    /^(?:solid|with reservations) +1 {2}\S+ +measured +[\d.]+ [pnµ]M +[\d.]+–[\d.]+/,
  );
  assert.ok(!`${demo.out}${demo.err}`.includes('\u001B'), 'colors are for terminals');
});

test('assayer demo: results against the hidden truth → the affinities agree and no non-binder is measured', async () => {
  const rows = await readComparison();
  const binders = rows.filter(({ truth }) => truth.kdM !== null);
  const others = rows.filter(({ truth }) => truth.kdM === null);
  assert.ok(binders.length >= 24 / PART && others.length >= 5 / PART, 'the set holds enough of both');
  assert.deepEqual(
    others.filter(({ outcome }) => outcome === 'measured').map(({ name }) => name),
    [],
    'reported to bind',
  );
  const measured = binders.filter(({ outcome }) => outcome === 'measured');
  assert.ok(measured.length >= FOUND_SHARE * binders.length, `${measured.length} of ${binders.length} found`);
  const off = measured.filter(({ deviation }) => !(deviation <= AGREEMENT_LOG10));
  assert.ok(
    measured.length - off.length >= AGREEING_SHARE * measured.length,
    `off by more than ${AGREEMENT_LOG10}: ${JSON.stringify(off.map(({ name, deviation }) => [name, deviation]))}`,
  );
});

interface Row {
  readonly name: string;
  readonly outcome: string;
  readonly truth: RunTruth;
  /** |log10(measured / true)|; not a number where one of them is missing. */
  readonly deviation: number;
}

async function readComparison(): Promise<Row[]> {
  const code = /experiment (\S+) submitted/.exec(demo?.err ?? '')?.[1] ?? '';
  const detail = await read(`/experiments/${code}`);
  assert.equal(detail.status, 'done');
  const nReplicates = getNumber(detail.n_replicates);
  const targetId = getText(detail.target_id);
  const results = await read(`/experiments/${code}/results?limit=100`);
  const sequences = new Map(ordered.map(({ name, sequence }) => [name, sequence]));
  assert.equal(getItems(results.items).length, sequences.size);
  return getItems(results.items).map((item) => {
    const name = getText(item.sequence_name);
    const sequence = sequences.get(name);
    assert.ok(sequence !== undefined, `${name} was submitted`);
    const truth = runTruth({ sequence, targetId, nReplicates });
    const kd = item.quantities?.kd;
    const kdM = kd === undefined ? Number.NaN : getNumber(kd.value);
    const isNumber = kd?.relation === ('=' as unknown) || kd?.relation === ('~' as unknown);
    const deviation = isNumber ? Math.abs(Math.log10(kdM / (truth.kdM ?? Number.NaN))) : Number.NaN;
    return { name, outcome: getText(item.outcome), truth, deviation };
  });
}

async function read(path: string): Promise<Json> {
  assert.ok(service !== undefined);
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
    signal: AbortSignal.timeout(90_000),
  });
  assert.equal(answer.status, 200);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- walked by names, read by getItems and its kin
  return (await answer.json()) as Json;
}
