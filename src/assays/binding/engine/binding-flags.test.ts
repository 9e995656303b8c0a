/**
 * Every quality rule of the binding assays, from files: the flag is raised beyond the limit, and not just within it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AffinityAnalysis, SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import type { Flag, FlagCode } from '#analysis/quality/flags.ts';
import { computeAlternativeResponse } from './kinetics/alternatives.ts';
import type { FitCurve } from './kinetics/model.ts';
import type { BindingSettingsInput } from './settings.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { ShapedPlate } from '#testing/analysis/shaped-plate.ts';
import {
  createPlateControls,
  computeRelativeError,
  createSeries,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticPlate, SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };

interface Case {
  traces?: SyntheticTrace[];
  controls?: SyntheticTrace[];
  settings?: BindingSettingsInput;
  plate?: Partial<SyntheticPlate>;
}

function sample(change: Partial<SyntheticTrace> = {}, concentrations?: number[]): SyntheticTrace[] {
  const trace = { role: 'sample', sample: 'design', kinetics: BINDER, nonSpecific: 0.01, ...change } as const;
  return createSeries(trace, concentrations);
}

function run(options: Case = {}): AffinityAnalysis {
  const { traces = sample(), controls = createPlateControls(), settings, plate } = options;
  return analyzeAffinity(
    [synthesize({ noiseSd: 0.002, ...plate, traces: [...controls, ...traces] })],
    settings,
  );
}

function getOnly(analysis: AffinityAnalysis): SequenceAffinity {
  return analysis.sequences[0];
}

/** Returns the flag of the sequence or of its plate. */
function findFlag(analysis: AffinityAnalysis, code: FlagCode): Flag | undefined {
  return [...getOnly(analysis).flags, ...analysis.plates[0].flags].find((each) => each.code === code);
}

function analyzeShaped(plate: Partial<ShapedPlate>, settings?: BindingSettingsInput): AffinityAnalysis {
  const concentrationsM = [1e-7, 5e-8, 2.5e-8, 1.25e-8, 6.25e-9];
  const response = (curve: FitCurve) => computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 });
  return analyzeAffinity(
    [createShapedFile({ concentrationsM, computeResponse: response, noiseSd: 0.002, ...plate })],
    settings,
  );
}

function computeLogs(...values: number[]): number[] {
  return values.map(Math.log);
}

function createKinetics(kon: number, koff: number, change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return sample({ kinetics: { kon, koff }, ...change });
}

const QUIET = { noiseSd: 0.0005 };
const ONE_TO_ONE = { model: '1:1' } as const;
/** Adds drift only to sensors in analyte, so that referencing does not remove it. */
const createDrifting = (perS: number, signs = [1, 1, 1, 1]): SyntheticTrace[] =>
  sample().map((trace, i) => ({ ...trace, driftPerS: perS * (signs[i] ?? 0) }));
const createWeakFast = (kdM: number): SyntheticTrace[] => createKinetics(1e6 / (kdM / 1e-6), 1, { rmax: 2 });
const runLowSeries = (kon: number): AffinityAnalysis =>
  run({
    controls: [],
    plate: QUIET,
    settings: ONE_TO_ONE,
    traces: sample({ kinetics: { kon, koff: 2e-3 }, nonSpecific: 0 }, [3e-9, 1e-9, 3e-10, 1e-10]),
  });
const runTwoSites = (settings: BindingSettingsInput): AffinityAnalysis =>
  analyzeShaped(
    {
      computeResponse: (curve) =>
        computeAlternativeResponse('heterogeneous_ligand', curve, [
          ...computeLogs(2e5, 1e-3, 2e5, 2e-2),
          0.6,
        ]),
    },
    settings,
  );
const runReplicatesAt = (fold: number): AffinityAnalysis =>
  run({ traces: [...sample(), ...createKinetics(1e5, 2e-3 * fold, { replicate: 2 })] });
const runMixture = (second: number): AffinityAnalysis =>
  run({
    traces: [...sample(), ...createKinetics(1e5, second, { replicate: 2 })],
    plate: QUIET,
  });
const runSteps = (change: (text: string) => string): AffinityAnalysis => {
  const file = synthesize({ noiseSd: 0.002, traces: [...createPlateControls(), ...sample()] });
  const text = change(new TextDecoder().decode(file.bytes));
  return analyzeAffinity([{ ...file, bytes: new TextEncoder().encode(text) }]);
};

/** Data on either side of a rule, with the severity of its flag. */
const RULES: readonly [
  code: FlagCode,
  severity: Flag['severity'],
  beyond: () => AffinityAnalysis,
  within: () => AffinityAnalysis,
][] = [
  [
    'TOP_C_BELOW_KD',
    'warning',
    () => run({ traces: createKinetics(2e4, 2.2e-2) }),
    () => run({ traces: createKinetics(2e4, 1.8e-2) }),
  ],
  [
    'NO_PLATEAU',
    'warning',
    () => run({ traces: createKinetics(1e3, 1.2e-3), plate: QUIET, settings: ONE_TO_ONE }),
    () => run({ traces: createKinetics(1.4e3, 1.4e-3), plate: QUIET, settings: ONE_TO_ONE }),
  ],
  [
    'KOFF_BELOW_LIMIT',
    'warning',
    () => run({ traces: createKinetics(1e5, 1.4e-4), plate: QUIET }),
    () => run({ traces: createKinetics(1e5, 2.4e-4), plate: QUIET }),
  ],
  ['KON_ABOVE_LIMIT', 'warning', () => runLowSeries(1.4e7), () => runLowSeries(7e6)],
  [
    'MASS_TRANSPORT',
    'warning',
    () =>
      analyzeShaped({
        computeResponse: (curve) =>
          computeAlternativeResponse('mass_transport', curve, computeLogs(2e6, 1e-2, 1e6)),
      }),
    () =>
      analyzeShaped({
        computeResponse: (curve) =>
          computeAlternativeResponse('mass_transport', curve, computeLogs(2e5, 2e-3, 1e8)),
      }),
  ],
  ['HETEROGENEOUS_LIGAND', 'warning', () => runTwoSites({}), () => runTwoSites(ONE_TO_ONE)],
  [
    'BIVALENT_ANALYTE',
    'warning',
    () =>
      analyzeShaped(
        {
          computeResponse: (curve) =>
            computeAlternativeResponse('bivalent_analyte', curve, computeLogs(1e5, 1e-2, 1e-2, 1e-3)),
        },
        { bivalentAnalyte: true },
      ),
    () => analyzeShaped({}, { bivalentAnalyte: true }),
  ],
  [
    'MODEL_EXTENDED',
    'info',
    () =>
      analyzeShaped({
        computeResponse: (curve) =>
          computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 }).map(
            (value, i) => value + (curve.timeS[i] > 0 && curve.timeS[i] <= curve.associationS ? 0.05 : 0),
          ),
      }),
    () => analyzeShaped({}),
  ],
  [
    'DRIFT_FITTED',
    'warning',
    () => run({ traces: createDrifting(2e-5, [1, -1, -1, 1]) }),
    () => run({ traces: createDrifting(0, [1, -1, -1, 1]) }),
  ],
  [
    'POORLY_IDENTIFIED',
    'warning',
    () =>
      run({
        traces: createKinetics(300, 1e-3, { rmax: 10 }),
        settings: ONE_TO_ONE,
        plate: { noiseSd: 0.004 },
      }),
    () => run(),
  ],
  [
    'TIME_ZERO_OFFSET',
    'warning',
    () => analyzeShaped({ statedEarlyS: 4, noiseSd: 0.0005 }),
    () => analyzeShaped({ noiseSd: 0.0005 }),
  ],
  ['NSB', 'warning', () => runSticky(0.27), () => runSticky(0.23)],
  [
    'LOADING_LOW',
    'warning',
    () => run({ traces: sample({ loading: 0.28 }) }),
    () => run({ traces: sample({ loading: 0.32 }) }),
  ],
  [
    'NOT_LOADED',
    'error',
    () => run({ traces: sample({ loading: 0.09 }) }),
    () => run({ traces: sample({ loading: 0.11 }) }),
  ],
  [
    'DRIFT',
    'warning',
    () => run({ traces: createDrifting(1.15e-4) }),
    () => run({ traces: createDrifting(0.85e-4) }),
  ],
  [
    'SPIKE',
    'warning',
    () => run({ traces: sample().map((each, i) => (i === 1 ? { ...each, spikeAt: 90 } : each)) }),
    () =>
      run({
        traces: sample().map((each, i) => (i === 1 ? { ...each, spikeAt: 90 } : each)),
        settings: { limits: { spikeSd: 1000 } },
      }),
  ],
  [
    'NON_MONOTONIC_DOSE',
    'warning',
    () => run({ traces: sample().map((each, i) => (i === 0 ? { ...each, rmax: 0.78 } : each)) }),
    () => run({ traces: sample().map((each, i) => (i === 0 ? { ...each, rmax: 0.89 } : each)) }),
  ],
  [
    'TOO_FEW_CURVES',
    'warning',
    () => run({ traces: sample({}, [1e-7]) }),
    () => run({ traces: sample({}, [1e-6, 1e-7]) }),
  ],
  [
    'STEPS_UNUSABLE',
    'warning',
    () => runSteps((text) => text.replaceAll(/^T29,dissociation,/gm, 'T29,regeneration,')),
    () => runSteps((text) => text),
  ],
  [
    'NO_REFERENCE',
    'info',
    () => run({ controls: createPlateControls().filter(({ role }) => role !== 'reference') }),
    () => run(),
  ],
  ['REPLICATES_DISAGREE', 'warning', () => runReplicatesAt(2.85), () => runReplicatesAt(2.5)],
  [
    'REPLICATES_SPLIT',
    'info',
    () => run({ traces: [...sample(), ...sample()] }),
    () => run({ traces: [...sample(), ...sample({ replicate: 2 })] }),
  ],
  ['MIXED_RELATIONS', 'warning', () => runMixture(2e-6), () => runMixture(5e-4)],
  [
    'FEW_NEGATIVE_CONTROLS',
    'info',
    () => run({ controls: createPlateControls().filter(({ sample: name }) => name !== 'nc-8') }),
    () => run(),
  ],
];

function runSticky(nonSpecific: number): AffinityAnalysis {
  return run({ controls: createPlateControls(nonSpecific), traces: sample({ nonSpecific }) });
}

describe('flags at their limits', () => {
  for (const [code, severity, beyond, within] of RULES) {
    test(`${code}: beyond and within its limit → raised, not raised`, () => {
      const found = findFlag(beyond(), code);
      assert.equal(found?.severity, severity, `${code}: ${JSON.stringify(found)}`);
      assert.ok(found.message.length > 10);
      const not = findFlag(within(), code);
      assert.ok(not === undefined || not.severity !== severity, JSON.stringify(not));
    });
  }
});

/** Limits of the settings: each flag is raised by data just beyond the limit, and not just within it. */
const LIMITS: readonly [
  code: FlagCode,
  limit: (value: number) => BindingSettingsInput,
  measure: (found: SequenceAffinity) => number | null | undefined,
  beyondIs: 'above' | 'below',
  data: (settings: BindingSettingsInput) => AffinityAnalysis,
][] = [
  [
    'LOW_SIGNAL',
    (value) => ({ limits: { rmaxToNoise: value } }),
    ({ rmax, replicates: [{ noise }] }) => (rmax?.value ?? Number.NaN) / (noise ?? Number.NaN),
    'below',
    (settings) => run({ settings: { ...ONE_TO_ONE, ...settings } }),
  ],
  [
    'POOR_FIT',
    (value) => ({ limits: { r2Min: value, rmsPctRmaxMax: 100 } }),
    ({ r2 }) => r2,
    'below',
    (settings) => runTwoSites({ ...ONE_TO_ONE, ...settings }),
  ],
  [
    'POOR_FIT',
    (value) => ({ limits: { rmsPctRmaxMax: value, r2Min: 0.5 } }),
    ({ rmsPctRmax }) => rmsPctRmax,
    'above',
    (settings) => runTwoSites({ ...ONE_TO_ONE, ...settings }),
  ],
  [
    'AUTOCORRELATED_RESIDUALS',
    (value) => ({ limits: { durbinWatsonMin: value } }),
    ({ replicates: [{ fit }] }) => fit?.durbinWatson,
    'below',
    (settings) => runTwoSites({ ...ONE_TO_ONE, timeZero: 'fixed', ...settings }),
  ],
  [
    'WINDOW_DEPENDENT',
    (value) => ({ limits: { koffWindowRatioMax: value } }),
    ({ flags }) => flags.find(({ code }) => code === 'WINDOW_DEPENDENT')?.value,
    'above',
    (settings) => runTwoSites({ ...ONE_TO_ONE, ...settings }),
  ],
  [
    'SATURATED',
    (value) => ({ limits: { saturationSignal: value } }),
    () => 1.98,
    'above',
    (settings) => run({ settings, plate: { noiseSd: 0 } }),
  ],
];

describe('limits of the settings', () => {
  for (const [code, limit, measure, beyondIs, data] of LIMITS) {
    test(`${code}: just beyond and just within ${Object.keys(limit(1).limits ?? {})[0]} → raised, not raised`, () => {
      const value = measure(getOnly(data({}))) ?? Number.NaN;
      assert.ok(value > 0, `${code} ${value}`);
      const [raising, silent] = beyondIs === 'above' ? [0.97, 1.03] : [1.03, 0.97];
      const found = findFlag(data(limit(value * raising)), code);
      assert.ok(found !== undefined);
      assert.ok(computeRelativeError(found.limit, found.value ?? Number.NaN) < 0.05, JSON.stringify(found));
      assert.equal(findFlag(data(limit(value * silent)), code), undefined);
    });
  }
});

describe('relations', () => {
  test('koff limit: koff below five times the drift → an upper limit; above → a value', () => {
    const at = (koff: number): SequenceAffinity => {
      const traces = createDrifting(6e-5).map((each) => ({ ...each, kinetics: { kon: 1e5, koff } }));
      return getOnly(
        run({ traces, plate: QUIET, settings: { ...ONE_TO_ONE, drift: true, timeZero: 'fixed' } }),
      );
    };
    const [slow, fast] = [at(2.4e-4), at(6e-4)];
    assert.deepEqual([slow.koff?.relation, slow.kd?.relation], ['<', '<']);
    assert.ok(computeRelativeError(slow.koff?.value, 3e-4) < 0.1, `${slow.koff?.value}`);
    assert.deepEqual([fast.koff?.relation, fast.kd?.relation], ['=', '=']);
  });

  test('DRIFT: sensors drift in both directions → raised', () => {
    assert.ok(findFlag(run({ traces: createDrifting(1.15e-4, [1, -1, 1, -1]) }), 'DRIFT') !== undefined);
  });

  test('steady state: KD above twice the highest concentration → a lower limit; below → a value', () => {
    const settings = { model: 'steady_state' } as const;
    const at = (kdM: number): SequenceAffinity =>
      getOnly(run({ traces: createWeakFast(kdM), plate: QUIET, settings }));
    const [within, beyond] = [at(1.7e-6), at(2.4e-6)];
    assert.deepEqual([within.fitKind, within.kd?.relation], ['steady_state', '=']);
    assert.ok(computeRelativeError(within.kd?.value, 1.7e-6) < 0.05);
    assert.deepEqual([beyond.fitKind, beyond.kd?.relation], ['steady_state', '>']);
    assert.ok((beyond.kd?.value ?? 1) <= 2e-6);
  });

  test('kon limit: kon above its ceiling → a lower limit for kon and an upper limit for KD', () => {
    const { kd, kon } = getOnly(runLowSeries(1.4e7));
    assert.deepEqual([kon?.relation, kon?.value, kd?.relation], ['>', 1e7, '<']);
  });

  test('95 % interval: replicates and their fits → the wider of the two intervals', () => {
    const width = ({ kd }: SequenceAffinity): number => Math.log10((kd?.ci95High ?? 0) / (kd?.ci95Low ?? 1));
    const [one, same, apart] = [
      getOnly(run()),
      getOnly(run({ traces: [...sample(), ...sample({ replicate: 2 })] })),
      getOnly(runReplicatesAt(2)),
    ];
    assert.ok(width(same) >= (0.999 * width(one)) / Math.SQRT2, `${width(same)} of ${width(one)}`);
    // t of one degree of freedom over √2, both ways.
    const expected = 2 * 12.706 * ((apart.kd?.log10Sd ?? 0) / Math.SQRT2);
    assert.ok(computeRelativeError(width(apart), expected) < 1e-3, `${width(apart)} of ${expected}`);
  });
});
