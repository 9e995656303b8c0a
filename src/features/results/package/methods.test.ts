/** The methods of an experiment, compared with the records of its results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { assertStatements, EVERY_ASSAY, writeMethodsText } from '#testing/texts.ts';
import { buildReport } from '../report/report.ts';
import { SANDBOX_DATA, writeReadme } from './texts.ts';

test('methods of affinity: any settings → every statement agrees with them', () => {
  const settings = fc.record({
    model: fc.constantFrom('auto', '1:1', 'mass_transport', 'steady_state'),
    bivalent_analyte: fc.boolean(),
    baseline_s: fc.constantFrom(0, 5, 12),
    response_s: fc.constantFrom(3, 5),
    inter_step: fc.constantFrom('auto', 'on', 'off'),
    thinning: fc.constantFrom('mean_1hz', 'whole_seconds', 'none'),
    time_zero: fc.constantFrom('fixed', 'check', 'fitted'),
    regeneration: fc.constantFrom('check', 'complete', 'measured'),
    offset: fc.boolean(),
    drift: fc.constantFrom('held', 'free', 'none'),
    bulk_shift: fc.boolean(),
    trim_association_s: fc.constantFrom(0, 2),
    trim_dissociation_s: fc.constantFrom(0, 3),
    assign: fc.constantFrom({}, { A1: { exclude: true }, A2: { exclude: false } }),
  });
  fc.assert(
    fc.property(settings, (input) => {
      assertStatements(writeMethodsText({ type: 'affinity', settings: input }), [
        ['The settings required the model', input.model !== 'auto'],
        ['required the model of every replicate: steady state', input.model === 'steady_state'],
        ['very strong evidence', input.model === 'auto'],
        ['or a bivalent analyte', input.model === 'auto' && input.bivalent_analyte],
        ['required a linear drift', input.drift === 'free'],
        ['held to what its sensors without analyte', input.drift === 'held'],
        ['a refractive-index step of each curve', input.bulk_shift],
        ['1:1 binding; a drift that is not held,', input.model === 'auto' && input.drift !== 'free'],
        ['KD is apparent', input.bivalent_analyte],
        ['no baseline was subtracted', input.baseline_s === 0],
        [`last ${input.baseline_s} s before association`, input.baseline_s > 0],
        [`mean of the last ${input.response_s} s of association`, true],
        ['Dissociation was joined', input.inter_step === 'on'],
        ['Dissociation was not joined', input.inter_step === 'off'],
        ['one point per second', input.thinning === 'mean_1hz'],
        ['samples at whole seconds', input.thinning === 'whole_seconds'],
        ['Every sample of the traces', input.thinning === 'none'],
        ['end of injections were fitted', input.time_zero === 'fitted'],
        ['unless the curves show others', input.time_zero === 'check'],
        ['signal that is left before an injection', input.regeneration === 'measured'],
        ['show to be left before an injection', input.regeneration === 'check'],
        ['A constant was fitted', input.offset],
        ['2 s of association', input.trim_association_s > 0],
        ['3 s of dissociation were left out', input.trim_dissociation_s > 0],
        ['1 trace was left out', 'A1' in input.assign],
        ['eferenc', false],
      ]);
    }),
    { numRuns: 200, seed: 21 },
  );
});

test('methods of affinity: any replicates → the counts of subtraction, model, drift and Rmax are those of the records', () => {
  const replicate = fc.record({
    reference_rule: fc.constantFrom('double', 'reference', 'blank', 'none'),
    model: fc.constantFrom('1:1', 'mass_transport', null),
    drift: fc.boolean(),
    rmax_rule: fc.constantFrom('local', 'pooled', 'global'),
    drift_source: fc.constantFrom('baseline', 'none'),
    outcome: fc.constantFrom('measured', 'failed_qc', 'not_expressed'),
  });
  const words: Readonly<Record<string, string>> = {
    double: 'reference and blank subtracted (double referenced)',
    reference: 'reference subtracted',
    blank: 'blank subtracted, no reference',
    none: 'no reference subtracted',
  };
  fc.assert(
    fc.property(fc.array(replicate, { minLength: 1, maxLength: 8 }), (replicates) => {
      const count = (test: (each: (typeof replicates)[number]) => boolean) => replicates.filter(test).length;
      const tell = (n: number, phrase: string): readonly [string, boolean] => [`${n} ${phrase}`, n > 0];
      const text = writeMethodsText({
        type: 'affinity',
        plates: [{ plate: 'P1', technique: 'spr', signal_unit: 'RU' }],
        results: [replicates.slice(0, 2), replicates.slice(2)],
      });
      assert.doesNotMatch(text, /\d 1:1 binding/);
      assertStatements(text, [
        ...Object.entries(words).map(([rule, phrase]) =>
          tell(
            count((each) => each.reference_rule === rule),
            phrase,
          ),
        ),
        ...['1:1 binding', '1:1 binding with mass transport'].map((name, index): [string, boolean] => {
          const n = count(({ model }) => model === ['1:1', 'mass_transport'][index]);
          return [`${name} in ${n}`, n > 0];
        }),
        tell(
          count(({ drift, drift_source: source }) => drift && source === 'baseline'),
          'with a linear drift (known from the baseline before association)',
        ),
        tell(
          count(({ drift, drift_source: source }) => drift && source === 'none'),
          'with a linear drift (not known from any measurement)',
        ),
        tell(
          count(({ drift }) => !drift),
          'without drift',
        ),
        tell(
          count((each) => each.rmax_rule === 'global'),
          'with one Rmax for all curves',
        ),
        tell(
          count((each) => each.rmax_rule === 'pooled'),
          'with one Rmax per curve, held to a common one',
        ),
        tell(
          count(({ outcome }) => outcome === 'failed_qc'),
          'failed quality control',
        ),
        ['known from the baseline', count((each) => each.drift && each.drift_source === 'baseline') > 0],
        ['1 by SPR, in RU', true],
        ['BLI', false],
      ]);
    }),
    { numRuns: 150, seed: 22 },
  );
});

test('methods of a screen: any settings and plates → threshold, loading and subtraction agree with them', () => {
  const screens = fc.record({
    factor: fc.integer({ min: 2, max: 9 }),
    isDivided: fc.boolean(),
    controls: fc.integer({ min: 0, max: 12 }),
    rule: fc.constantFrom('reference', 'none'),
  });
  fc.assert(
    fc.property(screens, ({ factor, isDivided, controls, rule }) => {
      const text = writeMethodsText({
        type: 'screening',
        settings: { normalize_to_loading: isDivided, limits: { signal_to_noise: factor } },
        plates: [{ plate: 'P1', technique: 'bli', signal_unit: 'nm', n_negative_controls: controls }],
        results: [[{ reference_rule: rule }]],
      });
      assertStatements(text, [
        [`never below ${factor} × the noise`, true],
        ['divided by the loading', isDivided],
        [`1 from negative controls (${controls} each)`, controls >= 3],
        ['1 from the noise alone', controls < 3],
        ['1 reference subtracted', rule === 'reference'],
        ['1 no reference subtracted', rule === 'none'],
        ['BLI, in nm', true],
      ]);
    }),
    { numRuns: 100, seed: 23 },
  );
});

test('methods of expression: any quantification → capture and absorbance are told apart', () => {
  for (const [model, how] of [
    ['4pl', 'bli_capture'],
    ['a280', 'a280'],
  ] as const)
    for (const isSubtracted of [true, false]) {
      const text = writeMethodsText({
        type: 'expression',
        model,
        settings: { rate_from_s: 0, rate_to_s: 30, recovery_min_pct: 75, recovery_max_pct: 130 },
        row: { quantification: how, nc_adjusted: isSubtracted },
      });
      assertStatements(text, [
        ['slope from 0 to 30 s', how === 'bli_capture'],
        ['within 75 to 130 %', how === 'bli_capture'],
        ['1 by capture on a sensor', how === 'bli_capture'],
        ['extinction coefficient', how === 'a280'],
        ['1 by absorbance at 280 nm', how === 'a280'],
        ['1 with it subtracted', isSubtracted],
        ['1 without it', !isSubtracted],
      ]);
    }
});

test('methods of fluorescence: any settings → reference, plate effects and Z′ agree with them', () => {
  for (const reference of ['mean', 'median'])
    for (const effects of ['flag', 'correct', 'off'])
      for (const hasReference of [true, false]) {
        const text = writeMethodsText({
          type: 'fluorescence',
          settings: { reference, plate_effects: effects, z_prime_min: 0.4 },
          results: [[{ intensity: 100, normalized_to_control: hasReference ? 1.1 : null }]],
        });
        assertStatements(text, [
          [`with the ${reference} of the reference wells`, true],
          ['flagged, not corrected', effects === 'flag'],
          ['divided out', effects === 'correct'],
          ['not examined', effects === 'off'],
          ['a plate below 0.4 is flagged', true],
          ['1 relative to the reference', hasReference],
          ['1 without a reference', !hasReference],
        ]);
      }
});

test('methods: an empty record of any assay → nothing is claimed about subtraction, models or corrections', () => {
  for (const type of EVERY_ASSAY)
    assert.doesNotMatch(
      writeMethodsText({ type, model: '' }),
      /subtracted|referenced|drift|joined|averaged|divided out|flagged|extinction/,
      type,
    );
});

test('sandbox: readme and report → say that the data may be simulated, and only there', async () => {
  for (const isSandbox of [true, false]) {
    const experiment = {
      id: 'e1',
      code: 'DEMO-001-001',
      name: 'Demo',
      experimentType: 'affinity',
      method: 'bli',
      createdAt: '2026-01-01T00:00:00Z',
      releasedAt: new Date(0),
      isSandbox,
      target: null,
      sequences: [],
    };
    assert.equal(writeReadme(experiment, null).includes(SANDBOX_DATA), isSandbox);
    const none = {
      results: [],
      pictures: [],
      shownCount: 0,
      picturesCount: 0,
      smallPictures: [],
      overlays: [],
      plates: [],
      overviews: [],
    };
    const report = buildReport({ experiment, ...none, issuer: 'A lab', paper: 'a4' });
    const blocks: unknown[] = [];
    for await (const block of report.blocks) blocks.push(block);
    assert.equal(JSON.stringify(blocks).includes(SANDBOX_DATA), isSandbox);
  }
});
