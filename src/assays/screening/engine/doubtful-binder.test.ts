/** A binder near the threshold of its plate: what makes it doubtful is told, and the call stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeScreening } from '#testing/analysis/analyze.ts';
import { createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';
import type { SequenceScreening } from './types.ts';

const DOSES = [1e-6];
const KINETICS = { kon: 1e5, koff: 2e-3 };

/** A binder whose full response is `rmax`, on a plate with these controls. */
function analyzeBinder(rmax: number, controls: SyntheticTrace[]): SequenceScreening {
  const design = createSeries(
    { role: 'sample', sample: 'design', kinetics: KINETICS, rmax, nonSpecific: 0.01 },
    DOSES,
  );
  return analyzeScreening([synthesize({ noiseSd: 0.002, seed: 3, traces: [...controls, ...design] })])
    .sequences[0];
}

function findMessage({ flags }: SequenceScreening, code: string): string {
  return flags.find((each) => each.code === code && each.severity === 'warning')?.message ?? '';
}

/** One negative control sticks. */
const withOutlier = (rmax: number): SyntheticTrace[] => {
  const controls = createPlateControls();
  const first = controls.findIndex(
    ({ role, concentrationM }) => role === 'negative_control' && concentrationM !== 0,
  );
  return controls.map((each, i) => (i === first ? { ...each, kinetics: KINETICS, rmax } : each));
};

test('NSB: a negative control responds more than a binder → a warning; less → none; the call stays', () => {
  const doubted = analyzeBinder(0.05, withOutlier(0.1));
  assert.equal(doubted.binding, 'binder');
  assert.match(findMessage(doubted, 'NSB'), /A negative control of the plate responds as much/);
  const clear = analyzeBinder(0.3, withOutlier(0.1));
  assert.deepEqual([clear.binding, findMessage(clear, 'NSB')], ['binder', '']);
});

test('FEW_NEGATIVE_CONTROLS: a response that few controls may exceed by chance → a warning; a clear one → information', () => {
  const controls = createPlateControls();
  const few = controls.filter(
    ({ role, sample }) => role !== 'negative_control' || ['nc-1', 'nc-2', 'nc-3'].includes(sample ?? ''),
  );
  const doubted = analyzeBinder(0.018, few);
  assert.equal(doubted.binding, 'binder');
  assert.match(
    findMessage(doubted, 'FEW_NEGATIVE_CONTROLS'),
    /^With 3 negative controls only a response above/,
  );
  assert.equal(findMessage(analyzeBinder(0.3, few), 'FEW_NEGATIVE_CONTROLS'), '');
});

test('FEW_NEGATIVE_CONTROLS: only more negative controls would make a response a binder → inconclusive, with the reason', () => {
  const few = createPlateControls().filter(
    ({ role, sample }) => role !== 'negative_control' || ['nc-1', 'nc-2', 'nc-3'].includes(sample ?? ''),
  );
  const open = analyzeBinder(0.012, few);
  assert.equal(open.binding, 'inconclusive');
  assert.match(findMessage(open, 'FEW_NEGATIVE_CONTROLS'), /so this one may be chance/);
});
