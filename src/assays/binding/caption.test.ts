/** What stands under sensorgrams, compared with the record of the analysis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { createResult } from '#testing/hard-binding.ts';
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { affinityWords } from '../affinity/shown.ts';
import { drawResult } from '../shown.ts';
import { writeSvg } from '#documents/svg.ts';
import { screeningWords } from '../screening/shown.ts';
import { writeSensorgramCaption } from './caption.ts';

const RULE_WORDS = {
  double: 'reference and blank subtracted (double referenced)',
  reference: 'reference subtracted',
  blank: 'blank subtracted, no reference',
  none: 'no reference subtracted',
} as const;
const MODEL_WORDS = {
  '1:1': '1:1 binding',
  mass_transport: '1:1 binding with mass transport',
  heterogeneous_ligand: 'two kinds of site',
} as const;

interface Facts {
  readonly rule: keyof typeof RULE_WORDS;
  readonly unit: 'nm' | 'RU';
  readonly technique: 'bli' | 'spr' | null;
  readonly ordered: 'bli' | 'spr';
  readonly model: keyof typeof MODEL_WORDS;
  readonly rmaxRule: 'local' | 'pooled' | 'global';
  /** Of each replicate whether a drift was fitted; undefined where the replicate failed. */
  readonly drifts: readonly (boolean | undefined)[];
  readonly driftSource: 'baseline' | 'reference' | 'blank' | 'none' | null;
  readonly isDoubted: boolean;
}

const facts: fc.Arbitrary<Facts> = fc.record({
  rule: fc.constantFrom('double', 'reference', 'blank', 'none'),
  unit: fc.constantFrom('nm', 'RU'),
  technique: fc.constantFrom('bli', 'spr', null),
  ordered: fc.constantFrom('bli', 'spr'),
  model: fc.constantFrom('1:1', 'mass_transport', 'heterogeneous_ligand'),
  rmaxRule: fc.constantFrom('local', 'pooled', 'global'),
  drifts: fc
    .array(fc.constantFrom(true, false, undefined), { minLength: 1, maxLength: 5 })
    .filter((drifts) => drifts.some((each) => each !== undefined)),
  driftSource: fc.constantFrom('baseline', 'reference', 'blank', 'none', null),
  isDoubted: fc.boolean(),
});

const PLAIN: Facts = {
  rule: 'reference',
  unit: 'nm',
  technique: 'bli',
  ordered: 'bli',
  model: '1:1',
  rmaxRule: 'local',
  drifts: [true, false, undefined],
  driftSource: null,
  isDoubted: false,
};

function createCurve(replicate: number, isFitted: boolean): Sensorgram {
  const points = [0, 1, 2, 1.5];
  return {
    kind: 'sensorgram',
    replicate,
    concentration_m: 1e-8,
    time_s: [0, 100, 200, 300],
    signal: points,
    fit: isFitted ? points : null,
    residual: isFitted ? [0, 0, 0, 0] : null,
    association_start_s: 0,
    dissociation_start_s: 200,
    rmax: isFitted ? 2.5 : null,
  };
}

function createRecord(record: Facts): ResultCurves {
  const fitted = record.drifts.filter((drift) => drift !== undefined).length;
  const candidates = [
    { model: record.model, delta_bic: 0, kd_m: 9.1e-9, accepted: true },
    { model: 'bivalent_analyte', delta_bic: -120, kd_m: 4.2e-9, accepted: false },
  ];
  return {
    experiment_type: 'affinity',
    experiment_code: 'DEMO-001-001',
    sequence_name: 'design-1',
    is_control: false,
    place: null,
    target_name: 'EGFR',
    title: 'Affinity of design-1 to EGFR',
    method: record.ordered,
    analysis: {
      settings: { drift: true, reference: 'auto' },
      plates: [{ plate: 'P1', technique: record.technique, signal_unit: record.unit }],
    },
    details: record.isDoubted
      ? { models: record.drifts.map((_, index) => ({ replicate: index + 1, plate: 'P1', candidates })) }
      : {},
    outcome: 'measured',
    flags: record.isDoubted ? ['MODEL_IN_DOUBT'] : [],
    signal_unit: record.unit,
    summary: {},
    quantities: {
      kd: { value: 9.1e-9, unit: 'M', relation: '=', ci95_low: 8e-9, ci95_high: 1e-8, n: fitted },
    },
    replicates: record.drifts.map((drift, index) => {
      const place = { replicate: index + 1, plate: 'P1', reference_rule: record.rule };
      return drift === undefined
        ? { ...place, outcome: 'failed_qc', kd: null, model: null, drift: null }
        : {
            ...place,
            outcome: 'measured',
            kd: 9.1e-9,
            kd_relation: '=',
            model: record.model,
            drift,
            rmax_rule: record.rmaxRule,
            ...(record.driftSource === null ? {} : { drift_per_s: 3.1e-5, drift_source: record.driftSource }),
            flags: record.isDoubted ? ['MODEL_IN_DOUBT'] : [],
          };
    }),
    curves: record.drifts.map((drift, index) => createCurve(index + 1, drift !== undefined)),
  };
}

function writeCaption(result: ResultCurves, words = affinityWords): string {
  const curves = result.curves.filter((curve) => curve.kind === 'sensorgram');
  return writeSensorgramCaption(result, curves, { isClipped: false, numbers: words.writeNumbers(result) });
}

/** Every phrase with whether the record makes it true. */
function listStatements(record: Facts): (readonly [phrase: string, isTrue: boolean])[] {
  const { rule, unit, technique, ordered, model, rmaxRule, drifts, driftSource, isDoubted } = record;
  const stated = drifts.filter((each) => each !== undefined);
  const drifting = stated.filter((each) => each).length;
  const [by, order] = [technique?.toUpperCase(), ordered.toUpperCase()];
  const failed = drifts.flatMap((each, index) => (each === undefined ? [index + 1] : []));
  const n = stated.length;
  const isPart = n < drifts.length;
  return [
    ...Object.entries(RULE_WORDS).map(([name, words]) => [`, ${words};`, rule === name] as const),
    ...(['nm', 'RU'] as const).map((each) => [`signal in ${each}`, unit === each] as const),
    [` by ${order} (as ordered),`, technique === null],
    [` by ${by ?? '-'},`, technique !== null && technique === ordered],
    [` by ${by ?? '-'} (ordered: ${order}),`, technique !== null && technique !== ordered],
    ...Object.entries(MODEL_WORDS).map(([name, words]) => [`(${words};`, model === name] as const),
    ['one Rmax per curve', rmaxRule !== 'global'],
    ['held to a common one', rmaxRule === 'pooled'],
    ['one Rmax for all curves', rmaxRule === 'global'],
    ['no drift fitted', drifting === 0],
    [`drift fitted in ${drifting} of ${n} replicate`, drifting > 0],
    ['3.1×10⁻⁵', driftSource !== null],
    ['known from the baseline', driftSource === 'baseline'],
    ['known from reference sensors', driftSource === 'reference'],
    ['known from blanks', driftSource === 'blank'],
    ['not known from any measurement', driftSource === 'none'],
    [`n = ${n} of ${drifts.length} replicates`, isPart],
    [`n = ${n} replicate`, !isPart],
    [failed.map((each) => `${each} (failed QC)`).join(', '), isPart],
    ['left out', isPart],
    ['of the fit of this replicate', n === 1],
    ['the wider of the intervals', n > 1],
    ['Model in doubt', isDoubted],
    ['bivalent analyte 4.2 nM (ΔBIC −120)', isDoubted],
    [`${MODEL_WORDS[model]} 9.1 nM, which is drawn`, isDoubted],
  ];
}

test('caption of sensorgrams: any record → every statement agrees with it', () => {
  fc.assert(
    fc.property(facts, (record) => {
      const caption = writeCaption(createRecord(record));
      for (const [phrase, isTrue] of listStatements(record))
        if (phrase !== '') assert.equal(caption.includes(phrase), isTrue, `"${phrase}" in: ${caption}`);
    }),
    { numRuns: 300, seed: 16 },
  );
});

test('caption of sensorgrams: one fact of the record changes → the text changes', () => {
  const before = writeCaption(createRecord(PLAIN));
  const changes: readonly Partial<Facts>[] = [
    { rule: 'none' },
    { rule: 'double' },
    { rule: 'blank' },
    { unit: 'RU' },
    { technique: 'spr' },
    { technique: null },
    { ordered: 'spr' },
    { model: 'mass_transport' },
    { rmaxRule: 'global' },
    { drifts: [true, true, undefined] },
    { drifts: [false, false, undefined] },
    { drifts: [true, false, false] },
    { driftSource: 'reference' },
    { isDoubted: true },
  ];
  const texts = changes.map((change) => writeCaption(createRecord({ ...PLAIN, ...change })));
  assert.equal(new Set([before, ...texts]).size, changes.length + 1);
});

test('caption of sensorgrams: settings that say otherwise than the replicates → the replicates are told', () => {
  const result = createRecord({ ...PLAIN, drifts: [false, false], rule: 'none' });
  const caption = writeCaption(result);
  assert.match(caption, /no drift fitted/);
  assert.match(caption, /no reference subtracted/);
});

test('caption of sensorgrams: replicates that differ → each statement names its replicates', () => {
  const result = createRecord({ ...PLAIN, drifts: [true, false, false] });
  const [first, ...rest] = result.replicates;
  const caption = writeCaption({
    ...result,
    replicates: [{ ...first, reference_rule: 'none', model: 'mass_transport' }, ...rest],
  });
  assert.match(caption, /replicate 1: no reference subtracted, replicates 2 and 3: reference subtracted;/);
  assert.match(caption, /replicate 1: 1:1 binding with mass transport, replicates 2 and 3: 1:1 binding;/);
});

test('caption of sensorgrams: a steady state, and curves that were left out → both are named; otherwise neither', () => {
  const result = createRecord({ ...PLAIN, drifts: [true, true] });
  const [first, second] = result.replicates;
  const curves = result.curves.map((curve) =>
    curve.kind === 'sensorgram' && curve.replicate === 2 ? { ...curve, fit: null, excluded: true } : curve,
  );
  const changed = writeCaption({
    ...result,
    curves,
    replicates: [first ?? {}, { ...second, model: 'steady_state' }],
  });
  assert.match(changed, /replicate 2: KD from the plateaus \(steady state\), no curve is fitted/);
  assert.match(changed, /1 curve of replicate 2 \([\d.]+ [pnµ]M\) left out of the analysis/);
  assert.doesNotMatch(writeCaption(result), /plateaus|left out/);
});

test('caption of sensorgrams: only limits → no mean is claimed', () => {
  const result = createRecord({ ...PLAIN, drifts: [true, true] });
  const kd = { value: 1e-9, unit: 'M', relation: '<', n: 2 };
  const caption = writeCaption({ ...result, quantities: { kd } });
  assert.match(caption, /KD: the limit that excludes least, n = 2 replicates\./);
  assert.doesNotMatch(caption, /mean|95% CI:/);
});

test('caption of a screen: any settings and plates → threshold, response and subtraction agree with the record', () => {
  const screens = fc.record({
    seconds: fc.integer({ min: 1, max: 30 }),
    factor: fc.integer({ min: 2, max: 9 }),
    controls: fc.option(fc.integer({ min: 0, max: 12 }), { nil: null }),
    isDivided: fc.boolean(),
    hasThreshold: fc.boolean(),
    doses: fc.integer({ min: 1, max: 2 }),
    rule: fc.constantFrom('double', 'reference', 'blank', 'none'),
  });
  fc.assert(
    fc.property(screens, ({ seconds, factor, controls, isDivided, hasThreshold, doses, rule }) => {
      const record = createRecord({ ...PLAIN, rule, drifts: [undefined, undefined] });
      const caption = writeCaption(
        {
          ...record,
          experiment_type: 'screening',
          quantities: {},
          analysis: {
            settings: { response_s: seconds, limits: { signal_to_noise: factor } },
            plates: [{ plate: 'P1', technique: 'bli', n_negative_controls: controls }],
          },
          summary: {
            response_unit: isDivided ? 'per loading' : 'nm',
            threshold: hasThreshold ? 0.03 : null,
            concentrations_m: [1e-8, 1e-7].slice(0, doses),
          },
          replicates: record.replicates.map((row) => ({ ...row, outcome: 'measured' })),
        },
        screeningWords,
      );
      const isByControls = hasThreshold && controls !== null && controls >= 3;
      for (const [phrase, isTrue] of [
        [`over the last ${seconds} s of association`, true],
        ['divided by the loading', isDivided],
        ['dashed: threshold', hasThreshold],
        [`at least ${factor} × the noise`, hasThreshold],
        [`of its ${controls ?? '-'} negative controls`, isByControls],
        ['from the noise alone', hasThreshold && controls !== null && controls < 3],
        ['One concentration: no KD', doses === 1],
        ['thin line', false],
        [`, ${RULE_WORDS[rule]}.`, true],
      ] as const)
        assert.equal(caption.includes(phrase), isTrue, `"${phrase}" in: ${caption}`);
    }),
    { numRuns: 200, seed: 17 },
  );
});

/** Returns the texts of the figure in one line. */
function readTexts(result: ResultCurves): string {
  return [...writeSvg(drawResult(result)).matchAll(/<text [^>]*>([^<]*)<\/text>/g)]
    .map(([, text = '']) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
    .join(' ');
}

test('MODEL_IN_DOUBT: candidates with their KD → side by side in place of one headline', () => {
  const texts = readTexts(createRecord({ ...PLAIN, isDoubted: true }));
  assert.match(texts, /KD in doubt: 9\.1 nM by 1:1 binding \(fitted\) or 4\.2 nM by bivalent analyte/);
  assert.doesNotMatch(texts, /KD = 9\.1 nM/);
});

test('MODEL_IN_DOUBT: candidates without the flag → one headline', () => {
  const { details } = createRecord({ ...PLAIN, isDoubted: true });
  const texts = readTexts({ ...createRecord(PLAIN), details: details ?? null });
  assert.match(texts, /KD = 9\.1 nM/);
  assert.doesNotMatch(texts, /in doubt/);
});

test('parameters: fits, limits and a replicate that failed → the table states each with sign, unit and two digits', () => {
  const result = createRecord({ ...PLAIN, unit: 'RU', drifts: [true, undefined] });
  const [first, second] = result.replicates;
  const fit = {
    kd_app: { value: 9.1e-9, ci_low: 8.04e-9, ci_high: 1.03e-8 },
    kon: 123_456,
    kon_relation: '>',
    koff: 1.1234e-3,
    koff_relation: '<',
    koff_1to1: { value: 1.1234e-3, ci_low: 1.02e-3, ci_high: 1.27e-3 },
    rmax: 123.4,
    rmax_relation: '~',
    rmax_rule: 'global',
    chi2: 0.4321,
  };
  const texts = readTexts({ ...result, replicates: [{ ...first, ...fit }, second ?? {}] });
  for (const each of [
    'kon in 1/(M·s)',
    'koff in 1/s',
    'Rmax in RU',
    'χ² in RU²',
    '9.1 nM (8.0–10.3)',
    '> 1.2×10⁵',
    '< 1.1×10⁻³ (1.0–1.3×10⁻³)',
    '≈ 120 for all curves',
    '0.43',
    '2 failed QC, not fitted',
  ])
    assert.ok(texts.includes(each), `${each} in: ${texts}`);
});

test('parameters: curves with an Rmax of their own → their range and number; a screen → no table', () => {
  const result = createRecord({ ...PLAIN, drifts: [true] });
  const curves = [2.1, 2.6, 3.4].flatMap((rmax) =>
    result.curves.map((curve) => (curve.kind === 'sensorgram' ? { ...curve, rmax } : curve)),
  );
  assert.match(readTexts({ ...result, curves }), /2\.1–3\.4 of 3 curves/);
  const replicates = result.replicates.map((row) => ({ ...row, model: null }));
  assert.doesNotMatch(readTexts({ ...result, replicates }), /Rmax in/);
});

test('caption: a curve that was left out → its concentration has the digits of the legend', () => {
  const curve = { ...createCurve(1, false), concentration_m: 5.373e-8, excluded: true };
  const result = createResult('affinity', {
    quantities: {},
    replicates: [{ replicate: 1 }],
    curves: [curve],
  });
  assert.match(writeCaption(result), /1 curve of replicate 1 \(53\.7 nM\) left out/);
});
