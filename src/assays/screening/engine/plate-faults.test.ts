/** Faults of a screened plate, at random: sensors that drift, negative controls that bind, a control that misses its KD. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { analyzeScreening } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { BindingSettingsInput } from '../../binding/engine/settings.ts';
import {
  createPlateControls,
  createSeries,
  createUniforms,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';
import type { ScreeningAnalysis, SequenceScreening } from './types.ts';

const KINETICS = { kon: 1e5, koff: 2e-3 };
const DOSES = [1e-6];
const ASSOCIATION_S = 200;
const RUNS = Math.min(20, countCalibrationSets(10));

function createDesign(change: Partial<SyntheticTrace>, driftNm = 0): SyntheticTrace[] {
  const driftPerS = driftNm / ASSOCIATION_S;
  return createSeries(
    { role: 'sample', sample: 'design', kinetics: KINETICS, nonSpecific: 0.01, ...change },
    DOSES,
  ).map(
    // The blank is another sensor, in the middle of the tray.
    (each) => (each.concentrationM === 0 ? each : { ...each, driftPerS }),
  );
}

interface Plate {
  noiseSd?: number;
  controls?: SyntheticTrace[];
  settings?: BindingSettingsInput;
}

function run(
  seed: number,
  traces: SyntheticTrace[],
  { noiseSd = 0.003, controls = createPlateControls(), settings }: Plate = {},
): ScreeningAnalysis {
  return analyzeScreening([synthesize({ noiseSd, seed, traces: [...controls, ...traces] })], settings);
}

const countRuns = (
  of: (seed: number, uniform: () => number) => SequenceScreening,
  is: (found: SequenceScreening) => boolean,
): number => Array.from({ length: RUNS }, (_, i) => of(i + 1, createUniforms(i + 1))).filter(is).length;

describe('DRIFT', () => {
  test('DRIFT: a sensor that only drifts upwards beyond the threshold → no binder, and the flag says by how much', () => {
    const drifting = (seed: number, uniform: () => number): SequenceScreening =>
      run(seed, createDesign({ kinetics: null }, 0.03 + 0.15 * uniform())).sequences[0];
    assert.equal(
      countRuns(drifting, ({ binding }) => binding === 'binder'),
      0,
    );
    const flaggedRuns = countRuns(
      drifting,
      ({ binding, flags }) => binding === 'inconclusive' && hasFlag(flags, 'DRIFT'),
    );
    assert.ok(flaggedRuns >= 0.95 * RUNS, `${flaggedRuns} of ${RUNS} flagged`);
  });

  test('DRIFT: a binder whose sensor drifts downwards by as much as it responds → never a non-binder', () => {
    const hidden = (seed: number, uniform: () => number): SequenceScreening => {
      const rmax = 0.03 + 0.1 * uniform();
      return run(seed, createDesign({ rmax }, -rmax)).sequences[0];
    };
    assert.equal(
      countRuns(hidden, ({ binding }) => binding === 'non_binder'),
      0,
    );
  });

  test('DRIFT: binders and non-binders without drift, and a clear binder with drift → called, without the flag', () => {
    const cases: readonly [string, (seed: number, uniform: () => number) => SequenceScreening][] = [
      ['binder', (seed, uniform) => run(seed, createDesign({ rmax: 0.1 + uniform() })).sequences[0]],
      ['non_binder', (seed) => run(seed, createDesign({ kinetics: null })).sequences[0]],
      [
        'binder',
        (seed, uniform) => run(seed, createDesign({ rmax: 0.5 }, 0.1 * (2 * uniform() - 1))).sequences[0],
      ],
    ];
    for (const [binding, of] of cases) {
      const right = countRuns(of, (found) => found.binding === binding && !hasFlag(found.flags, 'DRIFT'));
      assert.ok(right >= 0.95 * RUNS, `${binding}: ${right} of ${RUNS}`);
    }
  });

  test('DRIFT: negative controls at the edge drift → the threshold stays', () => {
    const edge = createPlateControls().map((each) =>
      each.role === 'negative_control' && each.concentrationM !== 0
        ? { ...each, driftPerS: (0.05 * (Number(each.sample.slice(3)) - 3)) / ASSOCIATION_S }
        : each,
    );
    const [inner, outer] = [createPlateControls(), edge].map(
      (controls) => run(3, createDesign({ rmax: 0.1 }), { controls }).sequences[0],
    );
    assert.deepEqual([inner.binding, outer.binding], ['binder', 'binder']);
    assert.ok(
      (outer.threshold ?? 1) < 2.5 * (inner.threshold ?? 0),
      `${inner.threshold} → ${outer.threshold}`,
    );
  });
});

describe('CONTROL_FAILED', () => {
  /** Negative controls that stick: each gives about this response. */
  const sticking = (uniform: () => number, level: number, scatter = 0.1): SyntheticTrace[] =>
    createPlateControls().map((each) =>
      each.role === 'negative_control' && each.concentrationM !== 0
        ? { ...each, kinetics: KINETICS, rmax: level * (1 + scatter * (2 * uniform() - 1)) }
        : each,
    );
  const analyzeSticking =
    (level: number, noiseSd: number, rmax: number) => (seed: number, uniform: () => number) =>
      run(seed, createDesign({ rmax }), { controls: sticking(uniform, level), noiseSd }).sequences[0];

  test('CONTROL_FAILED: high negative controls within the noise limit of a noisy plate → it fails, and hides no binder', () => {
    const failed = countRuns(analyzeSticking(0.4, 0.02, 0.3), ({ binding, outcome, flags }) => {
      assert.notEqual(binding, 'non_binder');
      return outcome === 'inconclusive' && hasFlag(flags, 'CONTROL_FAILED');
    });
    assert.ok(failed >= 0.95 * RUNS, `${failed} of ${RUNS}`);
  });

  test('CONTROL_FAILED: negative controls beyond the noise limit of a quiet plate, far below a binder → it passes', () => {
    const called = countRuns(analyzeSticking(0.03, 0.0003, 0.3), ({ binding, flags }) => {
      return binding === 'binder' && !hasFlag(flags, 'CONTROL_FAILED');
    });
    assert.ok(called >= 0.95 * RUNS, `${called} of ${RUNS}`);
  });

  const known = { targetControlKdM: 2e-3 / 3e5 };
  /** The antigen has lost all but a fraction of its activity. */
  const analyzeActive =
    (active: (uniform: () => number) => number) => (seed: number, uniform: () => number) => {
      const part = active(uniform);
      const weaken = (traces: SyntheticTrace[]): SyntheticTrace[] =>
        traces.map((each) => ({ ...each, heldM: (each.concentrationM ?? 0) * part }));
      const traces = [
        ...weaken(createDesign({ rmax: 0.6, kinetics: { kon: 1e4, koff: 5e-3 } })),
        ...createDesign({ sample: 'none', kinetics: null }),
      ];
      return run(seed, traces, { controls: weaken(createPlateControls()), settings: known }).sequences[1];
    };

  test('CONTROL_FAILED: the curves of the positive control give a KD ten times its known one → no firm non-binder', () => {
    const failed = countRuns(
      analyzeActive((uniform) => 0.005 * 10 ** uniform()),
      ({ outcome, flags }) => outcome === 'inconclusive' && hasFlag(flags, 'CONTROL_FAILED'),
    );
    assert.ok(failed >= 0.95 * RUNS, `${failed} of ${RUNS}`);
  });

  test('CONTROL_FAILED: the positive control gives its known KD within a factor of two → non-binders are firm', () => {
    const kept = countRuns(
      analyzeActive((uniform) => 0.6 + 0.8 * uniform()),
      ({ outcome, flags }) => outcome === 'non_binder' && !hasFlag(flags, 'CONTROL_FAILED'),
    );
    assert.ok(kept >= 0.9 * RUNS, `${kept} of ${RUNS}`);
  });
});
