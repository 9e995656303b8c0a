/** A BLI response that no reference sensor was subtracted from: what sticks to any sensor looks like binding. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };
const DESIGN = createSeries({ role: 'sample', sample: 'design', kinetics: BINDER });
const CONTROLS = createPlateControls();
const REFERENCES = CONTROLS.filter(({ role }) => role === 'reference');

/** A negative control at the highest concentration that gives `part` of the response of the design. */
function createSticky(part: number): SyntheticTrace[] {
  return createSeries({ role: 'negative_control', sample: 'nc', kinetics: BINDER, rmax: part }, [1e-6]);
}

function analyze(controls: readonly SyntheticTrace[], technique: 'bli' | 'spr' = 'bli'): SequenceAffinity {
  const traces = [...controls, ...DESIGN];
  return analyzeAffinity([synthesize({ noiseSd: 0.002, technique, traces })], { curves: false }).sequences[0];
}

const findSeverity = ({ flags }: SequenceAffinity, flagCode: string): string | undefined =>
  flags.find(({ code }) => code === flagCode)?.severity;

describe('a BLI plate without reference sensors', () => {
  test('NO_REFERENCE: neither reference sensors nor negative controls → a warning with the value', () => {
    const found = analyze([]);
    assert.deepEqual([found.kd?.relation, findSeverity(found, 'NO_REFERENCE')], ['=', 'warning']);
    assert.equal(found.replicates[0].confidence, 'medium');
  });

  test('NO_REFERENCE: references, a negative control, or SPR → no warning', () => {
    for (const found of [analyze(REFERENCES), analyze(createSticky(0.01)), analyze([], 'spr')])
      assert.deepEqual([found.kd?.relation, findSeverity(found, 'NO_REFERENCE')], ['=', undefined]);
  });

  test('NSB: a negative control shows a third of the response, or nearly all of it → a warning, inconclusive', () => {
    const part = analyze(createSticky(0.33));
    assert.deepEqual([part.outcome, findSeverity(part, 'NSB')], ['measured', 'warning']);
    const alike = analyze(createSticky(0.8));
    assert.deepEqual(
      [alike.outcome, alike.kd, findSeverity(alike, 'NSB')],
      ['inconclusive', null, 'warning'],
    );
  });

  test('NSB: a negative control shows a tenth of the response → not raised', () => {
    assert.equal(findSeverity(analyze(createSticky(0.1)), 'NSB'), undefined);
  });
});
