/** Published measurements, read from ../shared/data beside the project; never copied into it. Skipped where it is absent, except under CI. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findPublished } from '#testing/analysis/published-data.ts';
import type { FitSummary } from '../../binding/engine/kinetics/summary.ts';
import type { AffinityAnalysis, ReplicateAffinity } from './types.ts';
import { analyzeAffinitySets } from './affinity.ts';
import { analyzeAffinity, parseTraces } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import type { BindingSettingsInput } from '../../binding/engine/settings.ts';
import { computeRelativeError } from '#testing/analysis/synthetic.ts';
import { StepBuilder } from '#analysis/curves/trace.ts';
import type { TraceSet, TraceStep } from '#analysis/curves/trace.ts';

function readFolder(path: string): InputFile[] {
  return readdirSync(path).map((name) => ({
    name: `${path}/${name}`,
    bytes: readFileSync(`${path}/${name}`),
  }));
}

function getOnly(analysis: AffinityAnalysis): ReplicateAffinity & { fit: FitSummary } {
  assert.equal(analysis.sequences.length, 1);
  const [replicate] = analysis.sequences[0].replicates;
  assert.ok(replicate.fit !== null);
  return { ...replicate, fit: replicate.fit };
}

const TITRATION = 'titrationanalysis/bli_tray1/BLI Example Tray 1';
const TITRATION_ROWS = [
  {
    dissociationS: 300,
    ka: [4990.240930316442, 82.92383421935564],
    kd: [0.0005154370447381543, 0.000011461224783839206],
    kdM: [1.0328900987661716e-7, 2.867210958203131e-9],
    // From the lowest to the highest concentration.
    rmax: [
      0.31884105383922234, 0.21398562920949274, 0.1986693202221791, 0.1745489438760379, 0.16944918414934207,
    ],
    rmaxSe: [
      0.006651361171732998, 0.0037035297225776805, 0.0030613970702906045, 0.002209433125389298,
      0.0016672696915822054,
    ],
  },
  {
    dissociationS: 600,
    ka: [5682.375632275209, 75.02887039681012],
    kd: [0.000293994894543961, 4.587630322924112e-6],
    kdM: [5.173802535582221e-8, 1.0575826919960093e-9],
    rmax: [
      0.2641589545604505, 0.17520634732853327, 0.1690626433529138, 0.1520793183652819, 0.15521354455416264,
    ],
    rmaxSe: [
      0.004261006897627215, 0.0023003732196745655, 0.0019281576749628365, 0.0013615763404273816,
      0.0010142922244591264,
    ],
  },
];

for (const row of TITRATION_ROWS) {
  test(`BLI titration: dissociation of ${row.dissociationS} s → published rates and Rmax within 0.1 %, errors within 2 %`, (context) => {
    const path = findPublished(context, TITRATION);
    if (path === null) return;
    const used = new Set(['A2', 'B2', 'C2', 'D2', 'F2']);
    const sets = parseTraces(readFolder(path));
    const others = sets[0].traces.filter((trace) => !used.has(trace.id));
    assert.equal(others.length, 9);
    const { fit, flags } = getOnly(
      analyzeAffinitySets(sets, {
        assign: Object.fromEntries(others.map((trace) => [trace.id, { exclude: true }])),
        associationS: 300,
        dissociationS: row.dissociationS,
        thinning: 'whole_seconds',
        interStep: 'off',
        reference: 'none',
        timeZero: 'fixed',
        model: '1:1',
      }),
    );
    const koffPerS = fit.koffPerS ?? Number.NaN;
    const konPerMS = fit.konPerMS ?? Number.NaN;
    assert.ok(computeRelativeError(konPerMS, row.ka[0]) < 1e-3);
    assert.ok(computeRelativeError(koffPerS, row.kd[0]) < 1e-3);
    assert.ok(computeRelativeError(fit.kdM, row.kdM[0]) < 1e-3);
    assert.ok(computeRelativeError(konPerMS * (fit.seLnKon ?? Number.NaN), row.ka[1]) < 0.02);
    assert.ok(computeRelativeError(koffPerS * (fit.seLnKoff ?? Number.NaN), row.kd[1]) < 0.02);
    // The published error of KD adds the two relative errors in quadrature, as if they were independent; ours
    // includes their covariance and is larger.
    const independent = Math.hypot(fit.seLnKon ?? Number.NaN, fit.seLnKoff ?? Number.NaN);
    assert.ok(computeRelativeError(fit.kdM * independent, row.kdM[1]) < 0.02);
    assert.ok((fit.seLnKd ?? 0) > independent);
    for (const [g, { value, se }] of fit.rmax.entries()) {
      assert.ok(computeRelativeError(value, row.rmax[g]) < 1e-3, `Rmax ${g + 1}`);
      assert.ok(computeRelativeError(se, row.rmaxSe[g]) < 0.02, `error of Rmax ${g + 1}`);
    }
    context.diagnostic(
      `ka ${konPerMS} kd ${koffPerS} KD ${fit.kdM}; error of KD ${fit.kdM * (fit.seLnKd ?? 0)}, published ${row.kdM[1]}`,
    );
    assert.ok(hasFlag(flags, 'AUTOCORRELATED_RESIDUALS'));
    assert.ok(!hasFlag(flags, 'TOP_C_BELOW_KD'));
  });
}

for (const { dissociationS, ka, kdM } of TITRATION_ROWS) {
  test(`BLI titration: dissociation of ${dissociationS} s, default rules → the interval of KD holds the published value, with flags`, (context) => {
    const path = findPublished(context, TITRATION);
    if (path === null) return;
    const sets = parseTraces(readFolder(path));
    const used = new Set(['A2', 'B2', 'C2', 'D2', 'F2']);
    const others = sets[0].traces.filter((trace) => !used.has(trace.id));
    const assign = Object.fromEntries(others.map((trace) => [trace.id, { exclude: true }]));
    for (const model of ['1:1', 'auto'] as const) {
      const { kd, kon, flags } = getOnly(
        analyzeAffinitySets(sets, { assign, associationS: 300, dissociationS, model }),
      );
      // The first third of dissociation, and other mechanisms, give more than three times the KD of the whole.
      assert.equal(kd?.relation, model === '1:1' ? '=' : '~');
      if (model === 'auto') assert.match(kd.because ?? '', /^(?:window_decides|rivals_differ)$/);
      const [low, high] = [kd?.ci95Low ?? Number.NaN, kd?.ci95High ?? Number.NaN];
      assert.ok(low < kdM[0] && kdM[0] < high, `${model}: ${low} to ${high}`);
      assert.ok((kon?.ci95Low ?? 1e9) < ka[0] && ka[0] < (kon?.ci95High ?? 0));
      // Wide enough for the correlated residuals, narrow enough to be a measurement. The window moves KD tenfold, so
      // with the model open the interval also holds what a second phase of dissociation or a second kind of site could do.
      assert.ok(high / low > 1.5 && high / low < (model === '1:1' ? 4 : 15), `${high / low}`);
      assert.ok(hasFlag(flags, 'WINDOW_DEPENDENT') && hasFlag(flags, 'AUTOCORRELATED_RESIDUALS'));
      assert.ok(!hasFlag(flags, 'POORLY_IDENTIFIED') && !hasFlag(flags, 'KOFF_BELOW_LIMIT'));
      context.diagnostic(`${model}: KD ${kd?.value}, ${low} to ${high}`);
    }
  });
}

test('TOP_C_BELOW_KD: a simulated multi-cycle CSV → exact to 1e-6, with the flag', (context) => {
  const path = findPublished(context, 'kingenie/multi_cycle_kingenie.csv');
  if (path === null) return;
  const files = [{ name: 'multi_cycle.csv', bytes: readFileSync(path) }];
  for (const rmax of ['local', 'global'] as const) {
    const { fit, flags, kd } = getOnly(analyzeAffinity(files, { rmax, thinning: 'none' }));
    assert.ok(computeRelativeError(fit.konPerMS, 2e4) < 1e-6);
    assert.ok(computeRelativeError(fit.koffPerS, 1e-2) < 1e-6);
    assert.ok(computeRelativeError(fit.kdM, 5e-7) < 1e-6);
    for (const each of fit.rmax) assert.ok(computeRelativeError(each.value, 5) < 1e-6);
    assert.ok(hasFlag(flags, 'TOP_C_BELOW_KD'));
    assert.equal(kd?.relation, '=');
    context.diagnostic(`${rmax}: KD off by ${computeRelativeError(fit.kdM, 5e-7)}`);
  }
});

const GATOR_RULES: [string, BindingSettingsInput, number][] = [
  ['as the instrument software', { dissociationS: 100 }, 9.136e-9],
  ['no inter-step correction', { dissociationS: 100, interStep: 'off' }, 9.597e-9],
  ['no reference subtraction', { dissociationS: 100, reference: 'none' }, 1.046e-8],
  ['dissociation window 300 s', { dissociationS: 300 }, 6.417e-9],
];

test('Gator run: cetuximab → within 10 % of the instrument software, each reference rule within 2 % of its own value', (context) => {
  const path = findPublished(context, 'kingenie/gator_assay_1');
  if (path === null) return;
  const sets = parseTraces(readFolder(path));
  assert.deepEqual(
    sets.flatMap((set) => set.notices),
    [2, 3, 4].map((assay) => `Assay ${assay} is listed in ExperimentStep.ini but has no trace files.`),
  );
  const { fit } = getOnly(analyzeAffinitySets(sets, { dissociationS: 100, model: '1:1' }));
  assert.equal(fit.referenceRule, 'blank');
  assert.ok(computeRelativeError(fit.konPerMS, 1.6432e5) < 0.1);
  assert.ok(computeRelativeError(fit.koffPerS, 1.4942e-3) < 0.1);
  assert.ok(computeRelativeError(fit.kdM, 9.093e-9) < 0.1);
  assert.ok(fit.r2 > 0.999);
  for (const [rule, settings, expected] of GATOR_RULES) {
    const { kdM } = getOnly(analyzeAffinitySets(sets, { ...settings, model: '1:1' })).fit;
    context.diagnostic(`${rule}: KD ${kdM}, expected ${expected}`);
    assert.ok(computeRelativeError(kdM, expected) < 0.02, `${rule}: ${kdM}`);
  }
});

interface Sensorgram {
  timeS: number[];
  columns: number[][];
}

function readWide(path: string): Sensorgram {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number));
  return {
    timeS: rows.map((row) => row[0]),
    columns: rows[0].slice(1).map((_, c) => rows.map((row) => row[c + 1])),
  };
}

/** Cuts wide columns into traces at stated injection times. */
function cutSensorgram(
  data: Sensorgram,
  concentrations: (number | null)[],
  [startS, endS]: [number, number],
): TraceSet {
  const traces = data.columns.flatMap((column, c) => {
    const concentrationM = concentrations[c];
    if (concentrationM === null) return [];
    const part = (step: TraceStep['step'], fromS: number, toS: number): TraceStep => {
      const builder = new StepBuilder(step, fromS);
      for (const [i, t] of data.timeS.entries()) if (t >= fromS && t < toS) builder.push(t, column[i]);
      return builder.build();
    };
    const steps = [
      part('baseline', 0, startS),
      part('association', startS, endS),
      part('dissociation', endS, 1e9),
    ];
    return [
      { id: `c${c}`, well: null, role: 'sample' as const, sample: 'x', replicate: 1, concentrationM, steps },
    ];
  });
  const common = {
    format: 'test',
    technique: 'spr',
    signalUnit: 'RU',
    instrument: null,
    plate: null,
  } as const;
  return { ...common, metadata: {}, notices: [], traces };
}

/** Simulated around zero; aligning to five noisy points would only add their error. */
const ALIGNED: BindingSettingsInput = { baselineS: 0 };
const MCK_M = [50e-9, 16.7e-9, 5.56e-9, 1.85e-9, 0.617e-9];

test('simulated SPR: five curves, start and end fitted → the truth within 2 %', (context) => {
  const path = findPublished(context, 'anabel/MCK_dataset.csv');
  if (path === null) return;
  const set = cutSensorgram(readWide(path), MCK_M, [45, 145]);
  const { fit, flags } = getOnly(
    analyzeAffinitySets([set], { ...ALIGNED, timeZero: 'fitted', timeZeroWindowS: 12 }),
  );
  context.diagnostic(
    `ka ${fit.konPerMS} kd ${fit.koffPerS} KD ${fit.kdM}, start ${45 + fit.timeZero.startS}, end ${145 + fit.timeZero.endS}`,
  );
  assert.ok(computeRelativeError(fit.kdM, 1e-9) < 0.02);
  assert.ok(computeRelativeError(fit.konPerMS, 1e7) < 0.05);
  assert.ok(Math.abs(45 + fit.timeZero.startS - 52) <= 0.5 && Math.abs(145 + fit.timeZero.endS - 153) <= 0.5);
  assert.ok(hasFlag(flags, 'TIME_ZERO_OFFSET'));
});

for (const [sample, column, ka, kdM, tolerance] of [
  ['B', 1, 1e6, 5e-8, 0.03],
  ['C', 2, 1e6, 1e-9, 0.02],
] as const) {
  test(`simulated SPR: single curve ${sample}, start and end fitted → the truth within ${100 * tolerance} %`, (context) => {
    const path = findPublished(context, 'anabel/SCA_dataset.csv');
    if (path === null) return;
    const concentrations = [0, 1, 2].map((c) => (c === column ? 50e-9 : null));
    const set = cutSensorgram(readWide(path), concentrations, [50, 200]);
    const { fit } = getOnly(analyzeAffinitySets([set], { ...ALIGNED, timeZero: 'fitted' }));
    context.diagnostic(`ka ${fit.konPerMS} kd ${fit.koffPerS} KD ${fit.kdM}`);
    assert.ok(computeRelativeError(fit.kdM, kdM) < tolerance);
    assert.ok(computeRelativeError(fit.konPerMS, ka) < 0.05);
  });
}

function assertMeasuredAt(
  context: TestContext,
  times: [number, number],
  expected: { kdM: number; relation: '=' | '~' },
): void {
  const path = findPublished(context, 'anabel/MCK_dataset.csv');
  if (path === null) return;
  const set = cutSensorgram(readWide(path), MCK_M, times);
  const { fit, flags, kd } = getOnly(analyzeAffinitySets([set], ALIGNED));
  context.diagnostic(
    `${times.join('/')}: KD ${fit.kdM}, ${flags.map((each) => `${each.code} ${each.severity}`).join(', ')}`,
  );
  assert.ok(computeRelativeError(fit.kdM, expected.kdM) < 0.02);
  assert.ok(flags.some((each) => each.code === 'TIME_ZERO_OFFSET' && each.severity === 'warning'));
  assert.equal(kd?.relation, expected.relation);
}

test('TIME_ZERO_OFFSET: documented times are wrong by more than the window → the stated ones, an estimate with a warning', (context) => {
  assertMeasuredAt(context, [45, 145], { kdM: 1.175e-9, relation: '~' });
});

test('TIME_ZERO_OFFSET: times are wrong within the window → the true KD within 2 %, with a warning', (context) => {
  assertMeasuredAt(context, [50, 150], { kdM: 1e-9, relation: '=' });
});
