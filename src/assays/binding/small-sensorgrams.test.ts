/** The small curves of what is no binder, compared with the records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultCurves } from '#features/results/store.ts';
import { assertStatements, createRecord } from '#testing/texts.ts';
import { listTexts } from '#testing/scene-texts.ts';
import { PANELS_MAX, SmallSensorgrams } from './small-sensorgrams.ts';

interface Given {
  readonly top?: number;
  readonly rule?: 'reference' | 'none';
  readonly outcome?: ResultCurves['outcome'];
  readonly threshold?: number;
  readonly dosesM?: readonly number[];
}

function createResult({
  top = 0.01,
  rule = 'reference',
  outcome = 'non_binder',
  threshold,
  dosesM = [1e-8, 1e-7],
}: Given): ResultCurves {
  return createRecord('affinity', {
    outcome,
    signal_unit: 'nm',
    method: 'bli',
    analysis: { plates: [{ plate: 'P1', technique: 'bli' }] },
    summary: threshold === undefined ? {} : { threshold },
    replicates: [{ replicate: 1, plate: 'P1', outcome, reference_rule: rule }],
    curves: dosesM.map((dose) => ({
      kind: 'sensorgram',
      replicate: 1,
      concentration_m: dose,
      time_s: [0, 100, 200, 300],
      signal: [0, top / 2, top, 0],
      fit: null,
      residual: null,
      association_start_s: 50,
      dissociation_start_s: 200,
    })),
  });
}

function drawTexts(curves: readonly Given[]): string {
  const small = new SmallSensorgrams();
  for (const each of curves) small.take(createResult(each));
  return small.buildPages('DEMO-001-001').flatMap(listTexts).join(' ');
}

test('caption of small sensorgrams: subtraction, technique, threshold and doses → those of the records', () => {
  const alike = drawTexts([{}, { outcome: 'inconclusive' }]);
  assertStatements(alike, [
    ['signal in nm by BLI, reference subtracted', true],
    ['technique and subtraction differ', false],
    ['from 10 nM to 100 nM', true],
    ['dashed: threshold of the plate', false],
    ['exceeds the scale', false],
    ['no binding detected, n = 1', true],
    ['inconclusive, n = 1', true],
  ]);
  assertStatements(drawTexts([{}, { rule: 'none', threshold: 0.008, dosesM: [1e-7] }]), [
    ['reference subtracted', false],
    ['technique and subtraction differ', true],
    ['dashed: threshold of the plate', true],
  ]);
});

test('scale of small sensorgrams: one far above the others → drawn at the edge, and the caption says so', () => {
  const others = Array.from({ length: 5 }, (): Given => ({}));
  assert.match(drawTexts([...others, { top: 3 }]), /what exceeds the scale is drawn at its edge/);
  assert.doesNotMatch(drawTexts([...others, { top: 0.02 }]), /exceeds the scale/);
});

test('small sensorgrams: no curves → no page; more than a page holds → another', () => {
  assert.deepEqual(new SmallSensorgrams().buildPages('DEMO-001-001'), []);
  const small = new SmallSensorgrams();
  small.take(createResult({ dosesM: [] }));
  assert.deepEqual(small.buildPages('DEMO-001-001'), []);
  for (let count = 0; count < 3; count += 1) small.take(createResult({}));
  assert.equal(small.buildPages('DEMO-001-001', 2).length, 2);
});

test('small sensorgrams: more sequences than a report may draw → the first of them, and the figure says so', () => {
  const draw = (count: number): readonly string[] => {
    const small = new SmallSensorgrams();
    for (let at = 0; at < count; at += 1) small.take(createResult({ dosesM: [1e-7] }));
    return small.buildPages('DEMO-001-001').map((page) => listTexts(page).join(' '));
  };
  const cut = draw(PANELS_MAX + 1);
  assert.equal(cut.length, draw(PANELS_MAX).length);
  assert.match(cut[0] ?? '', new RegExp(`the first ${PANELS_MAX} of ${PANELS_MAX + 1} sequences`));
  assert.doesNotMatch(draw(PANELS_MAX)[0] ?? '', /the first/);
});
