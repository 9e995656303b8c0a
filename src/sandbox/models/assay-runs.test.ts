import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { analyzeExpressionSets } from '#analysis/assays/expression/expression.ts';
import { analyzeFluorescenceSets } from '#analysis/assays/fluorescence/fluorescence.ts';
import { parseMelts, parsePlates } from '#analysis/formats/parse-wells.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { analyzeMeltingSets } from '#analysis/assays/thermostability/melting.ts';
import { assayTruth, MELT_CONTROL } from './assay-truth.ts';
import { randomFor } from './random.ts';
import { runFiles } from '../assays/run-files.ts';
import type { RunRequest } from '../assays/simulated-assay.ts';
import { replicateTruth } from '../assays/wells.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const ids = Array.from({ length: 60 }, (_, index) => `design-${index + 1}`);

function sequenceOf(name: string): string {
  const random = randomFor('test sequence', name);
  return Array.from({ length: 120 }, () => LETTERS[Math.floor(random.uniform() * 20)]).join('');
}

function requestOf(experimentType: RunRequest['experimentType'], more: Partial<RunRequest> = {}): RunRequest {
  return {
    experimentCode: 'TEST-001-001',
    experimentType,
    method: 'bli',
    target: { id: '', name: '' },
    sequences: ids.map((name) => ({ id: name, name, aaString: sequenceOf(name), isControl: false })),
    nReplicates: 3,
    ...more,
  };
}

function filesOf(request: RunRequest) {
  return [...runFiles(request)].map(({ fileName, bytes }) => ({ name: fileName, bytes }));
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

for (const type of ['thermostability', 'expression', 'fluorescence'] as const) {
  test(`${type}: the same request records the same bytes, another attempt others`, () => {
    const digest = (attempt: number) =>
      filesOf(requestOf(type, { options: { attempt } })).map(({ bytes }) =>
        createHash('sha256').update(bytes).digest('hex'),
      );
    assert.deepEqual(digest(1), digest(1));
    assert.notDeepEqual(digest(1), digest(2));
  });
}

test('the mix over 10,000 random sequences: 5.5 % not expressed, 5 % without transition, about a quarter dark', () => {
  const truths = Array.from({ length: 10_000 }, (_, index) =>
    assayTruth({ sequence: sequenceOf(`mix-${index}`), assay: 'fluorescence' }),
  );
  const share = (is: (truth: (typeof truths)[number]) => boolean): number =>
    (100 * truths.filter(is).length) / truths.length;
  assert.ok(Math.abs(share(({ expressed }) => !expressed) - 5.5) < 1);
  assert.ok(Math.abs(share(({ tmC }) => tmC === null) - 5) < 1);
  const dark = share(({ brightness }) => brightness === 0);
  assert.ok(dark > 22 && dark < 27, String(dark));
});

test('expression: yields agree with the truth, what is not expressed is found, and nothing else is', () => {
  const request = requestOf('expression');
  const analysis = analyzeExpressionSets({ traces: parseTraces(filesOf(request)), plates: [] });
  assert.ok(analysis.plates.length >= 3);
  for (const { plate, pass, flags, standardCurve } of analysis.plates) {
    assert.ok(pass, `${plate}: ${JSON.stringify(flags)}`);
    assert.ok((standardCurve?.lloqNgPerUl ?? 99) <= 2, `${plate}: ${standardCurve?.lloqNgPerUl}`);
    assert.ok((standardCurve?.uloqNgPerUl ?? 0) > 100);
    assert.ok((standardCurve?.r2 ?? 0) > 0.99);
  }
  const deviations: number[] = [];
  for (const sequence of request.sequences) {
    const found = analysis.sequences.find(({ sample }) => sample === sequence.name);
    const truths = [1, 2, 3].map((replicate) => replicateTruth(request, sequence, replicate));
    const sound = truths.filter(({ failure }) => failure === null);
    const truth = geometricMean(sound.map(({ yieldNgPerUl }) => yieldNgPerUl));
    assert.ok(found !== undefined);
    if (truth < 1.5 && sound.length === 3)
      assert.equal(found.outcome, 'not_expressed', `${sequence.name} ${truth}`);
    if (truth > 2.5) assert.equal(found.outcome, 'measured', `${sequence.name} ${truth}`);
    if (found.yield?.relation === '<') assert.ok(truth < found.yield.value * 1.2);
    if (found.yield?.relation === '>') assert.ok(truth > found.yield.value / 1.2);
    if (found.yield?.relation === '=') deviations.push(Math.abs(Math.log10(found.yield.value / truth)));
  }
  deviations.sort((a, b) => a - b);
  assert.ok(deviations.length > 40);
  assert.ok(deviations[Math.floor(deviations.length / 2)] < 0.03, String(deviations[deviations.length >> 1]));
  assert.ok(deviations[Math.floor(deviations.length * 0.95)] < 0.1, String(deviations.at(-3)));
});

test('fluorescence: normalised intensities agree with the truth, dark variants are bounded and bright ones never', () => {
  const request = requestOf('fluorescence');
  const analysis = analyzeFluorescenceSets(parsePlates(filesOf(request)));
  for (const { zPrime, zPrimeRobust } of analysis.plates) {
    assert.ok((zPrime ?? 0) > 0.5);
    assert.ok((zPrimeRobust ?? 0) > 0.5);
  }
  let compared = 0;
  for (const sequence of request.sequences) {
    const found = analysis.sequences.find(({ sample }) => sample === sequence.name);
    const truths = [1, 2, 3].map((replicate) => replicateTruth(request, sequence, replicate));
    if (found === undefined || truths.some(({ failure }) => failure !== null)) continue;
    const truth = truths.reduce((sum, { brightness }) => sum + brightness, 0) / truths.length;
    compared += 1;
    if (truth === 0) {
      assert.ok(found.normalized !== null && found.normalized.value < 0.01, sequence.name);
      assert.equal(found.normalized.relation === '=', false, `${sequence.name} is told from a blank`);
      assert.equal(found.place, null);
    } else if (found.saturated) assert.ok(found.normalized?.relation !== '=', sequence.name);
    else
      assert.ok(
        Math.abs(Math.log2((found.normalized?.value ?? 0) / truth)) < 0.12,
        `${sequence.name}: ${found.normalized?.value} ${truth}`,
      );
  }
  assert.ok(compared > 45);
});

test('thermostability: Tm agrees with the truth, and what does not unfold has none', () => {
  const request = requestOf('thermostability', { nReplicates: 2 });
  const sets = parseMelts(filesOf(request));
  assert.deepEqual([...new Set(sets[0].traces.map(({ channel }) => channel))], ['ratio', '330nm', '350nm']);
  const analysis = analyzeMeltingSets(sets);
  assert.ok(analysis.plates.length >= 3);
  const control = analysis.controls.find(({ sample }) => sample === MELT_CONTROL.name);
  assert.ok(Math.abs((control?.tm?.value ?? 0) - MELT_CONTROL.truth.tmC) < 0.3, String(control?.tm?.value));
  const deviations: number[] = [];
  for (const sequence of request.sequences) {
    const found = analysis.sequences.find(({ sample }) => sample === sequence.name);
    const truths = [1, 2].map((replicate) => replicateTruth(request, sequence, replicate));
    const sound = truths.filter(({ failure }) => failure === null);
    assert.ok(found !== undefined);
    const tms = sound.flatMap(({ tmC }) => tmC ?? []);
    if (tms.length === 0) {
      if (sound.length > 0) assert.equal(found.tm, null, `${sequence.name} has no transition`);
    } else if (found.tm !== null && sound.length === 2)
      deviations.push(Math.abs(found.tm.value - (tms[0] + tms[1]) / 2));
  }
  deviations.sort((a, b) => a - b);
  assert.ok(deviations.length > 35, String(deviations.length));
  assert.ok(deviations[deviations.length >> 1] < 0.1, String(deviations[deviations.length >> 1]));
  assert.ok(deviations[Math.floor(deviations.length * 0.95)] < 0.5, String(deviations.slice(-4)));
});
