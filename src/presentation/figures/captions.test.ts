/** What stands under melting curves, yields and intensities, compared with the record of the analysis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import type { MeltCurve } from '#domain/results/curves.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { writeExpressionCaption } from '../assays/expression/caption.ts';
import { writeFluorescenceCaption } from '../assays/fluorescence/caption.ts';
import { writeMeltCaption } from './melt-captions.ts';

function createRecord(type: string, changes: Partial<ResultCurves>): ResultCurves {
  return {
    experiment_type: type,
    experiment_code: 'DEMO-001-001',
    sequence_name: 'design-1',
    is_control: false,
    place: null,
    target_name: null,
    title: `${type} of design-1`,
    method: null,
    analysis: {},
    outcome: 'measured',
    flags: [],
    signal_unit: 'counts',
    summary: {},
    quantities: {},
    replicates: [],
    curves: [],
    ...changes,
  };
}

function assertStatements(caption: string, statements: readonly (readonly [string, boolean])[]): void {
  for (const [phrase, isTrue] of statements)
    assert.equal(caption.includes(phrase), isTrue, `"${phrase}" in: ${caption}`);
}

/** Which of the replicates have a value; at least one. */
const measured = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }).filter((each) => each.some(Boolean));

function listCounts(found: readonly boolean[]): (readonly [string, boolean])[] {
  const n = found.filter(Boolean).length;
  const isPart = n < found.length;
  return [
    [`n = ${n} of ${found.length} replicates`, isPart],
    [`n = ${n} replicate`, !isPart],
    ['; left out: replicate', isPart],
  ];
}

interface Melt {
  readonly method: 'two_state' | 'boltzmann' | 'derivative';
  readonly baseline: 'free' | 'shared' | 'fixed';
  readonly window: number;
  readonly unit: string;
  readonly found: readonly boolean[];
  readonly hasScattering: boolean;
}

const BASELINE_WORDS = {
  free: 'baseline slopes of each curve',
  shared: 'baseline slopes shared by all curves',
  fixed: 'baseline slopes given in the settings',
} as const;

function writeMelt({ method, baseline, window, unit, found, hasScattering }: Melt): string {
  const isFitted = method !== 'derivative';
  const curve: MeltCurve = {
    kind: 'melt',
    replicate: 1,
    plate: 'P1',
    well: 'A1',
    channel: 'dye',
    temperature_c: [20, 50, 80],
    signal: [1, 2, 3],
    fit: isFitted ? [1, 2, 3] : null,
    residual: isFitted ? [0, 0, 0] : null,
    derivative_per_c: [0, 1, 0],
    tm_c: [50],
    ...(hasScattering ? { scattering: [1, 1, 2], scattering_temperature_c: [20, 50, 80] } : {}),
  };
  const n = found.filter(Boolean).length;
  const result = createRecord('thermostability', {
    signal_unit: unit,
    analysis: { settings: { baseline, derivative_half_window_c: window } },
    summary: { tm_method: method },
    quantities: {
      tm: { value: 50, unit: '°C', relation: '=', ci95_low: 49, ci95_high: 51, n },
    },
    replicates: found.map((isFound, index) => ({
      replicate: index + 1,
      outcome: isFound ? 'measured' : 'failed_qc',
      tm: isFound ? 50 : null,
    })),
  });
  return writeMeltCaption(result, [curve]);
}

test('caption of melts: any record → model, baselines, window, unit and replicates agree with it', () => {
  const melts: fc.Arbitrary<Melt> = fc.record({
    method: fc.constantFrom('two_state', 'boltzmann', 'derivative'),
    baseline: fc.constantFrom('free', 'shared', 'fixed'),
    window: fc.constantFrom(2, 3, 4),
    unit: fc.constantFrom('F350/F330', 'counts', 'RFU'),
    found: measured,
    hasScattering: fc.boolean(),
  });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(melts, (given) => {
      const { method, baseline, window, unit, hasScattering } = given;
      const caption = writeMelt(given);
      assertStatements(caption, [
        ['two-state unfolding', method === 'two_state'],
        ['Boltzmann sigmoid', method === 'boltzmann'],
        ['by the maximum of the derivative', method === 'derivative'],
        ['line: fit', method !== 'derivative'],
        ...Object.entries(BASELINE_WORDS).map(
          ([rule, words]) => [words, method === 'two_state' && baseline === rule] as const,
        ),
        [`over ±${window} °C`, true],
        [`(dye, in ${unit})`, true],
        ['light scattering', hasScattering],
        ...listCounts(given.found),
      ]);
      seen.set(JSON.stringify([method, window, unit, given.found, hasScattering]), caption);
    }),
    { numRuns: 200, seed: 18 },
  );
  assert.equal(new Set(seen.values()).size, seen.size, 'a changed record changes the text');
});

interface Yield {
  readonly quantification: 'bli_capture' | 'a280';
  readonly isSubtracted: boolean;
  readonly to: number;
  readonly found: readonly boolean[];
}

function writeYield({ quantification, isSubtracted, to, found }: Yield): string {
  const isCapture = quantification === 'bli_capture';
  const n = found.filter(Boolean).length;
  const result = createRecord('expression', {
    analysis: { settings: { rate_from_s: 0, rate_to_s: to, subtract_no_dna: true } },
    summary: { quantification, nc_adjusted: isSubtracted },
    quantities: {
      yield_ng_per_ul: { value: 90, unit: 'ng/µL', relation: '=', ci95_low: 80, ci95_high: 100, n },
    },
    replicates: found.map((isFound, index) => ({
      replicate: index + 1,
      outcome: isFound ? 'measured' : 'failed_qc',
      yield_ng_per_ul: isFound ? 90 : null,
      yield_ng_per_ul_relation: '=',
    })),
  });
  return writeExpressionCaption(result, { plates: isCapture ? 1 : 0, captures: isCapture ? n : 0 });
}

test('caption of yields: any record → quantification, subtraction, window and replicates agree with it', () => {
  const yields: fc.Arbitrary<Yield> = fc.record({
    quantification: fc.constantFrom('bli_capture', 'a280'),
    isSubtracted: fc.boolean(),
    to: fc.integer({ min: 5, max: 90 }),
    found: measured,
  });
  fc.assert(
    fc.property(yields, (given) => {
      const isCapture = given.quantification === 'bli_capture';
      const caption = writeYield(given);
      assertStatements(caption, [
        ['by capture on a sensor', isCapture],
        ['from the absorbance at 280 nm', !isCapture],
        ['four-parameter logistic', isCapture],
        [`initial rate of 0–${given.to} s`, isCapture],
        [', minus the control without DNA', given.isSubtracted],
        ['no control without DNA subtracted', !given.isSubtracted],
        ['calibration', isCapture],
        ...listCounts(given.found),
      ]);
      for (const change of [
        { isSubtracted: !given.isSubtracted },
        { quantification: isCapture ? 'a280' : 'bli_capture' } as const,
        { found: [...given.found, false] },
      ])
        assert.notEqual(writeYield({ ...given, ...change }), caption);
    }),
    { numRuns: 150, seed: 19 },
  );
});

test('caption of yields: limits among the replicates → the median is named; values alone → the mean', () => {
  const write = (relations: readonly string[]) =>
    writeExpressionCaption(
      createRecord('expression', {
        quantities: {
          yield_ng_per_ul: { value: 90, relation: relations.includes('<') ? '~' : '=', n: relations.length },
        },
        replicates: relations.map((relation) => ({
          yield_ng_per_ul: 90,
          yield_ng_per_ul_relation: relation,
        })),
      }),
      { plates: 1, captures: 0 },
    );
  assert.match(write(['=', '<', '=']), /Bar: median of n = 3 replicates, limits among them\./);
  assert.match(write(['=', '=', '=']), /Bar: geometric mean of n = 3 replicates\./);
});

interface Intensity {
  readonly isNormalized: boolean;
  readonly reference: 'mean' | 'median';
  readonly effects: 'flag' | 'correct' | 'off';
  readonly z: number | null;
  readonly found: readonly boolean[];
}

function writeIntensity({ isNormalized, reference, effects, z, found }: Intensity): string {
  const member = isNormalized ? 'normalized_to_control' : 'intensity';
  const n = found.filter(Boolean).length;
  const result = createRecord('fluorescence', {
    analysis: { settings: { reference, plate_effects: effects } },
    summary: { ex_nm: 485, em_nm: 520, z_prime_plate: z },
    quantities: { [member]: { value: 1.2, relation: '=', n } },
    replicates: found.map((isFound, index) => ({
      replicate: index + 1,
      outcome: isFound ? 'measured' : 'failed_qc',
      [member]: isFound ? 1.2 : null,
    })),
  });
  return writeFluorescenceCaption(result, isNormalized);
}

test('caption of intensities: any record → reference, plate effects, Z′ and replicates agree with it', () => {
  const intensities: fc.Arbitrary<Intensity> = fc.record({
    isNormalized: fc.boolean(),
    reference: fc.constantFrom('mean', 'median'),
    effects: fc.constantFrom('flag', 'correct', 'off'),
    z: fc.constantFrom(0.71, 0.32, null),
    found: measured,
  });
  fc.assert(
    fc.property(intensities, (given) => {
      const { isNormalized, reference, effects, z } = given;
      const caption = writeIntensity(given);
      assertStatements(caption, [
        ['(F − blank)/(reference − blank)', isNormalized],
        ['reference: mean of its wells', isNormalized && reference === 'mean'],
        ['reference: median of its wells', isNormalized && reference === 'median'],
        ['dashed line: the reference', isNormalized],
        ['flagged, not corrected', effects === 'flag'],
        ['divided out', effects === 'correct'],
        ['not examined', effects === 'off'],
        ['Z′ 0.71', z === 0.71],
        ['Z′ 0.32', z === 0.32],
        ['Z′', z !== null],
        ...listCounts(given.found),
      ]);
      const others = (['flag', 'correct', 'off'] as const).filter((each) => each !== effects);
      for (const other of others) assert.notEqual(writeIntensity({ ...given, effects: other }), caption);
    }),
    { numRuns: 150, seed: 20 },
  );
});
