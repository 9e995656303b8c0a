/** What stands under yields and intensities, compared with the record of the analysis. */
import assert from 'node:assert/strict';
import { requireShownAssay } from '#assays/shown.ts';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { assertStatements, createRecord, listCounts, someMeasured } from '#testing/texts.ts';
import { writeExpressionCaption } from '#assays/expression/figure.ts';
import type { RankedExperiment } from '../ranked.ts';
import { listTexts } from '#testing/scene-texts.ts';
import { writeFluorescenceCaption } from '#assays/fluorescence/figure.ts';
import type { Scene } from '#documents/scene.ts';
import { drawPlates } from './plates.ts';
import { drawRanking } from './ranking.ts';
import { drawRates } from './rates.ts';

interface Yield {
  readonly hasLeftOut: boolean;
  readonly quantification: 'bli_capture' | 'a280';
  readonly isSubtracted: boolean;
  readonly to: number;
  readonly found: readonly boolean[];
}

function writeYield({ quantification, isSubtracted, to, found, hasLeftOut }: Yield): string {
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
  return writeExpressionCaption(result, {
    plates: isCapture ? 1 : 0,
    captures: isCapture ? n : 0,
    hasLeftOut: isCapture && hasLeftOut,
    hasCrosses: isCapture && n > 0,
  });
}

test('caption of yields: any record → quantification, subtraction, window and replicates agree with it', () => {
  const yields: fc.Arbitrary<Yield> = fc.record({
    quantification: fc.constantFrom('bli_capture', 'a280'),
    isSubtracted: fc.boolean(),
    to: fc.integer({ min: 5, max: 90 }),
    hasLeftOut: fc.boolean(),
    found: someMeasured,
  });
  fc.assert(
    fc.property(yields, (amount) => {
      const isCapture = amount.quantification === 'bli_capture';
      const caption = writeYield(amount);
      assertStatements(caption, [
        ['by capture on a sensor', isCapture],
        ['from the absorbance at 280 nm', !isCapture],
        ['four-parameter logistic', isCapture],
        [`initial rate of 0–${amount.to} s`, isCapture],
        [', minus the control without DNA', amount.isSubtracted],
        ['no control without DNA subtracted', !amount.isSubtracted],
        ['calibration', isCapture],
        ['open circle: a standard that was left out', isCapture && amount.hasLeftOut],
        ...listCounts(amount.found),
      ]);
      for (const change of [
        { isSubtracted: !amount.isSubtracted },
        { quantification: isCapture ? 'a280' : 'bli_capture' } as const,
        { found: [...amount.found, false] },
      ])
        assert.notEqual(writeYield({ ...amount, ...change }), caption);
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
      { plates: 1, captures: 0, hasLeftOut: false, hasCrosses: true },
    );
  assert.match(write(['=', '<', '=']), /Bar: median of n = 3 replicates, limits among them\./);
  assert.match(write(['=', '=', '=']), /Bar: geometric mean of n = 3 replicates\./);
});

interface Intensity {
  readonly isNormalized: boolean;
  readonly reference: 'mean' | 'median';
  readonly effects: 'flag' | 'correct' | 'off';
  /** Of the engine; 1.9 is the first that counts the places of a plate in the interval. */
  readonly version: string;
  readonly z: number | null;
  readonly hasInterval: boolean;
  readonly found: readonly boolean[];
}

function writeIntensity(intensity: Intensity): string {
  const { isNormalized, reference, effects, version, z, hasInterval, found } = intensity;
  const member = isNormalized ? 'normalized_to_control' : 'intensity';
  const n = found.filter(Boolean).length;
  const result = createRecord('fluorescence', {
    signal_unit: 'RFU',
    analysis: { settings: { reference, plate_effects: effects }, engine: { version } },
    summary: { ex_nm: 485, em_nm: 520, z_prime_plate: z },
    quantities: {
      intensity: { value: 1.2, relation: '=', n, ...(hasInterval && { ci95_low: 1, ci95_high: 1.4 }) },
      [member]: { value: 1.2, relation: '=', n, ...(hasInterval && { ci95_low: 1, ci95_high: 1.4 }) },
    },
    replicates: found.map((isFound, index) => ({
      replicate: index + 1,
      outcome: isFound ? 'measured' : 'failed_qc',
      [member]: isFound ? 1.2 : null,
    })),
  });
  return writeFluorescenceCaption(result, { isNormalized, wells: [] });
}

test('caption of intensities: any record → reference, plate effects, Z′ and replicates agree with it', () => {
  const intensities: fc.Arbitrary<Intensity> = fc.record({
    isNormalized: fc.boolean(),
    reference: fc.constantFrom('mean', 'median'),
    effects: fc.constantFrom('flag', 'correct', 'off'),
    version: fc.constantFrom('1.8.0', '1.9.0', '2.0.0'),
    z: fc.constantFrom(0.71, 0.32, null),
    hasInterval: fc.boolean(),
    found: someMeasured,
  });
  fc.assert(
    fc.property(intensities, (intensity) => {
      const { isNormalized, reference, effects, version, z, hasInterval } = intensity;
      const caption = writeIntensity(intensity);
      assertStatements(caption, [
        ['(F − blank)/(reference − blank)', isNormalized],
        ['reference: mean of its wells', isNormalized && reference === 'mean'],
        ['reference: median of its wells', isNormalized && reference === 'median'],
        ['Dashed line: the reference', isNormalized],
        ['flagged, not corrected', effects === 'flag'],
        ['divided out', effects === 'correct'],
        ['not examined', effects === 'off'],
        [
          'The interval in RFU also contains how much places',
          hasInterval && effects !== 'correct' && version !== '1.8.0',
        ],
        ['Z′ 0.71', z === 0.71],
        ['Z′ 0.32', z === 0.32],
        ['Z′', z !== null],
        ...listCounts(intensity.found),
      ]);
      const others = (['flag', 'correct', 'off'] as const).filter((each) => each !== effects);
      for (const other of others) assert.notEqual(writeIntensity({ ...intensity, effects: other }), caption);
    }),
    { numRuns: 150, seed: 20 },
  );
});

const createRanked = (type: string, count: number): RankedExperiment => ({
  code: 'DEMO-001-001',
  experiment_type: type,
  total: count,
  results: Array.from({ length: count }, (_, index) => ({
    sequence_name: `design-${index + 1}`,
    is_control: false,
    outcome: 'measured',
    place: index + 1,
    quantities: {
      kon: { value: 1e5, unit: '1/(M·s)', relation: '=', ci95_low: 9e4, ci95_high: 1.1e5, n: 3 },
      koff: { value: 1e-3 * (index + 1), unit: '1/s', relation: '=', ci95_low: 9e-4, ci95_high: 0.1, n: 3 },
    },
    summary: {
      response: 1,
      threshold: 0.5,
      replicates: [{ plate: 'P1', well: 'A01', response: 1, threshold: 0.5, binding: 'true', intensity: 9 }],
    },
  })),
});
const readTexts = (scene: Scene | undefined): string =>
  scene === undefined ? '' : listTexts(scene).join(' ');

test('caption of rates: few and many results → bars are explained where they are drawn, and only there', () => {
  const [few, many] = [24, 25].map((count) => readTexts(drawRates(createRanked('affinity', count))));
  assertStatements(few ?? '', [
    ['bars: 95% CI of the geometric mean', true],
    ['95% CI are in the tables', false],
  ]);
  assertStatements(many ?? '', [
    ['bars: 95% CI of the geometric mean', false],
    ['95% CI are in the tables', true],
  ]);
});

test('caption of plates and rankings: binders are ringed and a threshold is dashed in a screen → and only there', () => {
  for (const type of ['screening', 'fluorescence']) {
    const experiment = createRanked(type, 3);
    const isScreen = type === 'screening';
    assertStatements(readTexts(drawPlates(experiment, requireShownAssay(type))), [
      ['Ringed: binder', isScreen],
    ]);
    assertStatements(readTexts(drawRanking(experiment, requireShownAssay(type).measure)), [
      ['dashed: threshold', isScreen],
    ]);
  }
});

test('CONTROL_FAILED: of two plates a control of one failed → its title and the line name it; without → neither', () => {
  const draw = (flags: readonly string[]): string => {
    const replicates = ['P1', 'P2'].map((plate, index) => ({
      replicate: index + 1,
      plate,
      well: 'A01',
      response: 0.8,
      threshold: 0.2,
      binding: 'true',
      flags: plate === 'P2' ? flags : [],
    }));
    const results = [
      {
        sequence_name: 'design-1',
        is_control: false,
        outcome: 'measured',
        place: 1,
        quantities: {},
        summary: { response: 0.8, threshold: 0.2, replicates },
      },
    ];
    return readTexts(
      drawPlates(
        { code: 'DEMO-001-001', experiment_type: 'screening', results, total: 1 },
        requireShownAssay('screening'),
      ),
    );
  };
  assertStatements(draw(['CONTROL_FAILED']), [
    ['Plate P2: control failed', true],
    ['Plate P1: control failed', false],
    ['in doubt, because a control failed: P2', true],
  ]);
  assertStatements(draw([]), [['control failed', false]]);
});

test('caption of intensities: marks of wells → those that some well has are explained, the others are not', () => {
  const well = (mark: string, value: number | null = 1) => ({ well: 'A1', value, mark, isChosen: false });
  const write = (wells: readonly ReturnType<typeof well>[]) =>
    writeFluorescenceCaption(createRecord('fluorescence', { signal_unit: 'RFU' }), {
      isNormalized: true,
      wells,
    });
  assertStatements(write([well('R'), well('B'), well('')]), [
    ['R: reference; B: blank.', true],
    ['dark control', false],
    ['standard', false],
    ['saturated', false],
    ['dashed: no value', false],
  ]);
  assertStatements(write([well('>'), well('', null)]), [['>: saturated; dashed: no value.', true]]);
});

test('caption of yields: no value → no bar, no crosses and no circles are explained; limits → triangles are', () => {
  const write = (value: number | null, relation: string) =>
    writeExpressionCaption(
      createRecord('expression', {
        quantities: value === null ? {} : { yield_ng_per_ul: { value, relation, n: 2 } },
        replicates: [1, 2].map((replicate) => ({
          replicate,
          yield_ng_per_ul: value,
          yield_ng_per_ul_relation: relation,
        })),
      }),
      { plates: 1, captures: 2, hasLeftOut: false, hasCrosses: false },
    );
  assertStatements(write(null, '='), [
    ['No yield was determined', true],
    ['Bar', false],
    ['crosses', false],
    ['beside the bar', false],
  ]);
  assertStatements(write(2.9, '<'), [
    ['Open triangles beside the bar: replicates with only a limit; dashed bar: a limit', true],
    ['circles beside the bar', false],
  ]);
});

test('caption of rankings: marks of rows → those that some row has are explained, the others are not', () => {
  const draw = (relation: string, isControl: boolean) =>
    readTexts(
      drawRanking(
        {
          code: 'DEMO-001-001',
          experiment_type: 'expression',
          results: [
            {
              sequence_name: 'design-1',
              is_control: isControl,
              outcome: 'measured',
              place: 1,
              quantities: { yield_ng_per_ul: { value: 20, unit: 'ng/µL', relation, n: 1 } },
              summary: { replicates: [] },
            },
          ],
          total: 1,
        },
        requireShownAssay('expression').measure,
      ),
    );
  assertStatements(draw('=', false), [
    ['Filled circle: sequence', true],
    ['diamond', false],
    ['open triangle', false],
    ['open circles', false],
    ['arrow', false],
  ]);
  assertStatements(draw('=', true), [['Diamond: control', true]]);
  assertStatements(draw('<', false), [['open triangle: a limit', true]]);
});
