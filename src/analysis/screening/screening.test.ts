import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeScreening } from '../analyze.ts';
import { hasFlag } from '../flags.ts';
import { bindingScore } from '../kinetics/replicate.ts';
import type { BindingSettingsInput } from '../settings.ts';
import { plateControls, relative, series, synthesize } from '../testing/synthetic.ts';
import type { SyntheticTrace } from '../testing/synthetic.ts';
import type { ScreeningAnalysis } from './types.ts';

const KINETICS = { kon: 1e5, koff: 2e-3 };
const DOSES = [1e-6, 1e-7];

function sample(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return series(
    { role: 'sample', sample: 'design', kinetics: KINETICS, nonSpecific: 0.01, ...change },
    DOSES,
  );
}

function run(
  traces: SyntheticTrace[],
  settings: BindingSettingsInput = {},
  controls = plateControls(),
): ScreeningAnalysis {
  return analyzeScreening([synthesize({ noiseSd: 0.004, traces: [...controls, ...traces] })], settings);
}

test('screening: binders and non-binders against the threshold of the plate', () => {
  const traces = Array.from({ length: 20 }, (_, i) =>
    sample({ sample: `d${i}`, kinetics: i % 2 === 0 ? KINETICS : null }),
  ).flat();
  const analysis = run(traces);
  for (const [i, sequence] of analysis.sequences.entries()) {
    assert.equal(sequence.binding, i % 2 === 0 ? 'binder' : 'non_binder', sequence.sample);
    assert.equal(sequence.responseUnit, 'nm');
  }
  const [binder, other] = analysis.sequences;
  const expected = (1e5 * 1e-6) / (1e5 * 1e-6 + 2e-3);
  assert.ok(relative(binder.response, expected) < 0.02);
  assert.ok((binder.bindingScore ?? 0) > 3 && (binder.zScore ?? 0) > 3);
  assert.ok((other.bindingScore ?? 0) < 0);
  assert.equal(other.bindingStrength, 'none');
  assert.equal(other.kdEstimate, null);
});

test('screening: a KD of two concentrations is an estimate', () => {
  const [sequence] = run(sample({ kinetics: { kon: 1e5, koff: 3e-2 } })).sequences;
  assert.equal(sequence.kdEstimate?.relation, '~');
  assert.ok(relative(sequence.kdEstimate?.value, 3e-7) < 0.2);
  assert.equal(sequence.bindingStrength, 'medium');
});

test('inconclusive: replicates that disagree leave the sequence open', () => {
  const [sequence] = run([
    ...sample({ replicate: 1 }),
    ...sample({ replicate: 2, kinetics: null }),
  ]).sequences;
  assert.equal(sequence.binding, 'inconclusive');
  assert.ok(hasFlag(sequence.flags, 'REPLICATES_DISAGREE'));
  assert.equal(sequence.place, null);
});

test('inconclusive: a response between two and three standard deviations', () => {
  const { threshold } = run(sample({ kinetics: null })).sequences[0].replicates[0];
  const rmax = (0.85 * (threshold ?? 0)) / 0.98;
  const seen = run(sample({ rmax })).sequences[0].replicates[0];
  assert.equal(seen.binding, (seen.response ?? 0) > (seen.threshold ?? 0) ? 'binder' : 'inconclusive');
});

test('threshold: one bad negative control does not move it', () => {
  const spoiled = plateControls().map((trace) => {
    return trace.sample === 'nc-3' ? { ...trace, kinetics: KINETICS } : trace;
  });
  const clean = run(sample()).sequences[0].threshold ?? 0;
  const robust = run(sample(), {}, spoiled).sequences[0].threshold ?? 0;
  assert.ok(robust < 3 * clean && robust < 0.1, `${clean} → ${robust}`);
  assert.equal(run(sample(), {}, spoiled).plates[0].pass, true);
});

test('not_expressed and theoretical Rmax', () => {
  assert.equal(run(sample({ loading: 0.01, kinetics: null })).sequences[0].outcome, 'not_expressed');
  const masses = { analyteMassDa: 60_000, ligandMassDa: { design: 30_000 } };
  const [full] = run(sample(), masses).sequences;
  assert.ok(relative(full.pctTheoreticalRmax, 49) < 0.05);
  const [small] = run(sample({ rmax: 0.15 }), masses).sequences;
  assert.equal(small.binding, 'inconclusive');
  assert.ok(hasFlag(small.flags, 'BELOW_THEORETICAL_RMAX'));
});

test('binding score: log2 of response over threshold, clipped to −5…8', () => {
  assert.deepEqual(
    [0.4, 0.1, 0.0125, -1, 0, 1e9].map((response) => bindingScore(response, 0.1)),
    [2, 0, -3, -5, -5, 8],
  );
});
