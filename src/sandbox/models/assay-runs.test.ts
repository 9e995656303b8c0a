import { computeMedian, computeQuantile } from '#analysis/numerics/statistics.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { analyzeExpressionSets } from '#assays/expression/engine/expression.ts';
import { analyzeFluorescenceSets } from '#assays/fluorescence/engine/fluorescence.ts';
import { parsePlates } from '#analysis/formats/parse-wells.ts';
import { ASSAYS, listAssayNames } from '#assays/registry.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { drawAssayTruth } from './assay-truth.ts';
import { drawReplicateTruth } from '#assays/simulated-wells.ts';
import { createFiles, createRequest, createSequence } from '#testing/sandbox/requests.ts';

const computeGeometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

for (const type of listAssayNames().filter((name) => !ASSAYS[name].hasTarget)) {
  test(`simulated ${type}: the same request → the same bytes; another attempt → others`, () => {
    const digest = (attempt: number) =>
      createFiles(createRequest(type, { options: { attempt } })).map(({ bytes }) =>
        createHash('sha256').update(bytes).digest('hex'),
      );
    assert.deepEqual(digest(1), digest(1));
    assert.notDeepEqual(digest(1), digest(2));
  });
}

test('simulated mix: 10,000 random sequences → 5.5 % not expressed, 5 % without transition, a quarter dark', () => {
  const truths = Array.from({ length: 10_000 }, (_, index) =>
    drawAssayTruth({ sequence: createSequence(`mix-${index}`), assay: 'fluorescence' }),
  );
  const share = (is: (truth: (typeof truths)[number]) => boolean): number =>
    (100 * truths.filter(is).length) / truths.length;
  assert.ok(Math.abs(share(({ expressed }) => !expressed) - 5.5) < 1);
  assert.ok(Math.abs(share(({ tmC }) => tmC === null) - 5) < 1);
  const dark = share(({ brightness }) => brightness === 0);
  assert.ok(dark > 22 && dark < 27, String(dark));
});

test('simulated expression: analyzed → yields agree with the truth, and not_expressed exactly where it is true', () => {
  const request = createRequest('expression');
  const analysis = analyzeExpressionSets({ traces: parseTraces(createFiles(request)), plates: [] });
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
    const truths = [1, 2, 3].map((replicate) => drawReplicateTruth(request, sequence, replicate));
    const sound = truths.filter(({ failure }) => failure === null);
    const truth = computeGeometricMean(sound.map(({ yieldNgPerUl }) => yieldNgPerUl));
    assert.ok(found !== undefined);
    if (truth < 1.5 && sound.length === 3)
      assert.equal(found.outcome, 'not_expressed', `${sequence.name} ${truth}`);
    if (truth > 2.5) assert.equal(found.outcome, 'measured', `${sequence.name} ${truth}`);
    if (found.yield?.relation === '<') assert.ok(truth < found.yield.value * 1.2);
    if (found.yield?.relation === '>') assert.ok(truth > found.yield.value / 1.2);
    if (found.yield?.relation === '=') deviations.push(Math.abs(Math.log10(found.yield.value / truth)));
  }
  assert.ok(deviations.length > 40);
  assert.ok(computeMedian(deviations) < 0.03, String(computeMedian(deviations)));
  assert.ok(computeQuantile(deviations, 0.95) < 0.1, String(computeQuantile(deviations, 0.95)));
});

test('simulated fluorescence: analyzed → intensities agree with the truth, and dark variants have an upper limit', () => {
  const request = createRequest('fluorescence');
  const analysis = analyzeFluorescenceSets(parsePlates(createFiles(request)));
  for (const { zPrime, zPrimeRobust } of analysis.plates) {
    assert.ok((zPrime ?? 0) > 0.5);
    assert.ok((zPrimeRobust ?? 0) > 0.5);
  }
  let compared = 0;
  for (const sequence of request.sequences) {
    const found = analysis.sequences.find(({ sample }) => sample === sequence.name);
    const truths = [1, 2, 3].map((replicate) => drawReplicateTruth(request, sequence, replicate));
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
