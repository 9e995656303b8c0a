/**
 * From simulated plates back to their truth: binders found by the analysis are true binders, and no true binder is
 * missed.
 */
import { computeQuantile } from '#analysis/numerics/statistics.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '#testing/analysis/analyze.ts';
import { simulatePlates } from './plates.ts';
import { createRandomSource } from './random.ts';
import type { Library } from './truth.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
/** By day half of the sequences are enough to find a fault of the simulation or of the analysis; all of them at night. */
const PART = process.env.ASSAYER_RECOVERY === 'whole' ? 1 : 2;
/** Two replicates each, at the default concentrations and noise. */
const LIBRARIES: [Library, number][] = [
  ['enriched', 60 / PART],
  ['naive', 48 / PART],
];
const SEQUENCES = 108 / PART;

for (const experimentType of ['affinity', 'screening'] as const) {
  test(`recovery: ${SEQUENCES} simulated sequences, ${experimentType} → no missed and no false binder`, (context) => {
    const errors: number[] = [];
    let binders = 0;
    let checked = 0;
    for (const [library, count] of LIBRARIES) {
      const random = createRandomSource('recovery', library);
      const sequences = Array.from({ length: count }, (_, i) => ({
        id: `s${i}`,
        name: `${library}-${i}`,
        aaString: Array.from({ length: 120 }, () => LETTERS[Math.floor(random.drawUniform() * 20)]).join(''),
        isControl: false,
      }));
      const target = { id: 'target-1', name: 'EGFR' };
      const request = {
        experimentCode: 'R-1',
        experimentType,
        method: 'bli',
        target,
        sequences,
        nReplicates: 2,
      } as const;
      const { plates, truth } = simulatePlates({ ...request, options: { library } });
      const files = plates.map(({ fileName, bytes }) => ({ name: fileName, bytes }));
      const found = analyze({ experimentType, files, settings: { drift: true } });
      for (const { name, design, replicates, kdM } of truth) {
        const sequence = found.sequences.find((each) => each.sample === name) ?? assert.fail(name);
        const loaded = replicates.filter((each) => each.expressed && each.failure !== 'no_loading');
        if (loaded.length === 0) continue;
        checked += 1;
        binders += design.binds ? 1 : 0;
        const numbers = `${name}: KD ${String(design.kdM)}, score ${String(sequence.bindingScore)}`;
        if (design.binds) assert.equal(sequence.outcome, 'measured', `missed ${numbers}`);
        else assert.notEqual(sequence.binding, 'binder', `false ${numbers}`);
        if ('kd' in sequence && sequence.kd?.relation === '=' && kdM !== null)
          errors.push(Math.abs(Math.log10(sequence.kd.value / kdM)));
      }
    }
    assert.ok(checked > 90 / PART && binders > 25 / PART, `${checked} sequences, ${binders} binders`);
    context.diagnostic(`${checked} sequences with material, ${binders} binders`);
    if (experimentType !== 'affinity') return;
    const at = (part: number): number => computeQuantile(errors, part);
    context.diagnostic(`|error of log10 KD|: median ${at(0.5).toFixed(3)}, 95 % ${at(0.95).toFixed(3)}`);
    assert.ok(at(0.5) < 0.02 && at(0.95) < 0.05);
  });
}
