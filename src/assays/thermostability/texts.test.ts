/** What stands under melting curves and in the methods, compared with the record of the analysis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MeltCurve } from '#features/results/curves.ts';
import fc from '#testing/properties.ts';
import {
  assertStatements,
  createRecord,
  listCounts,
  someMeasured,
  writeMethodsText,
} from '#testing/texts.ts';
import { listTexts } from '#testing/scene-texts.ts';
import { MeltOverlays } from './melts.ts';
import { writeMeltCaption } from './melt-captions.ts';

interface Melt {
  readonly method: 'two_state' | 'boltzmann' | 'derivative';
  readonly baseline: 'auto' | 'free' | 'shared' | 'fixed';
  /** Slopes that curves share; null where none do. */
  readonly sharedSlopes: Readonly<Record<string, unknown>> | null;
  readonly isUncertain: boolean;
  readonly window: number;
  readonly unit: string;
  readonly found: readonly boolean[];
  /** Whether readings after precipitation were left out. */
  readonly isPartly: boolean;
  readonly hasScattering: boolean;
  readonly isSeveral: boolean;
  /** Whether Tm is another than the mean of the replicates. */
  readonly isCommon: boolean;
}

const BASELINE_WORDS = {
  auto: 'baseline slopes shared within each titration and of each curve elsewhere',
  free: 'baseline slopes of each curve',
  shared: 'baseline slopes shared by all curves',
  fixed: 'baseline slopes given in the settings',
} as const;

const SHARED = { folded_per_c: -1, unfolded_per_c: -2, converged: true };

/** The rule that was applied: without a titration, each curve has slopes of its own. */
const findApplied = ({ baseline, sharedSlopes }: Pick<Melt, 'baseline' | 'sharedSlopes'>): string =>
  baseline === 'auto' && sharedSlopes === null ? 'free' : baseline;

function writeMelt({
  method,
  baseline,
  sharedSlopes,
  isUncertain,
  window,
  unit,
  found,
  hasScattering,
  isPartly,
  isSeveral,
  isCommon,
}: Melt): string {
  const isFitted = method !== 'derivative';
  const curve: MeltCurve = {
    kind: 'melt',
    replicate: 1,
    plate: 'P1',
    well: 'A1',
    channel: 'dye',
    temperature_c: [20, 50, 80],
    signal: [1, 2, 3],
    fit: isFitted ? [1, 2, isPartly ? null : 3] : null,
    residual: isFitted ? [0, 0, 0] : null,
    derivative_per_c: [0, 1, 0],
    tm_c: isSeveral ? [50, 62] : [50],
    ...(hasScattering ? { scattering: [1, 1, 2], scattering_temperature_c: [20, 50, 80] } : {}),
  };
  const n = found.filter(Boolean).length;
  const result = createRecord('thermostability', {
    signal_unit: unit,
    flags: isUncertain ? ['TM_UNCERTAIN'] : [],
    analysis: { settings: { baseline, derivative_half_window_c: window }, shared_slopes: sharedSlopes },
    summary: { tm_method: method, tm_all: isSeveral ? [50, 62] : [50] },
    quantities: {
      tm: { value: 50, unit: '°C', relation: '=', ci95_low: 49, ci95_high: 51, n },
      ...(isSeveral
        ? { tm_2: { value: 62, unit: '°C', relation: '=', ci95_low: 61, ci95_high: 63, n } }
        : {}),
    },
    replicates: found.map((isFound, index) => ({
      replicate: index + 1,
      outcome: isFound ? 'measured' : 'failed_qc',
      tm: isFound ? (isCommon ? 50.4 : 50) : null,
    })),
  });
  return writeMeltCaption(result, [curve]);
}

test('caption of melts: any record → model, baselines, window, unit and replicates agree with it', () => {
  const melts: fc.Arbitrary<Melt> = fc.record({
    method: fc.constantFrom('two_state', 'boltzmann', 'derivative'),
    baseline: fc.constantFrom('auto', 'free', 'shared', 'fixed'),
    sharedSlopes: fc.constantFrom(null, SHARED),
    isUncertain: fc.boolean(),
    window: fc.constantFrom(2, 3, 4),
    unit: fc.constantFrom('F350/F330', 'counts', 'RFU'),
    found: someMeasured,
    hasScattering: fc.boolean(),
    isPartly: fc.boolean(),
    isSeveral: fc.boolean(),
    isCommon: fc.boolean(),
  });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(melts, (melt) => {
      const { method, isUncertain, window, unit, hasScattering, isPartly, isSeveral } = melt;
      const caption = writeMelt(melt);
      assertStatements(caption, [
        ['two-state unfolding', method === 'two_state'],
        ['Boltzmann sigmoid', method === 'boltzmann'],
        ['by the maximum of the derivative', method === 'derivative'],
        ['line: fit', method !== 'derivative'],
        ['over the readings that it used', method !== 'derivative' && isPartly],
        ...Object.entries(BASELINE_WORDS).map(
          ([rule, words]) => [words, method === 'two_state' && findApplied(melt) === rule] as const,
        ),
        ['one Tm of all replicates together', method === 'two_state' && isUncertain && melt.isCommon],
        [`over ±${window} °C`, true],
        [`(dye, in ${unit})`, true],
        ['light scattering', hasScattering],
        ['Transitions above the first: 62.0 °C (95% CI 61.0–63.0).', isSeveral],
        ...listCounts(melt.found),
      ]);
      const isShort = isPartly && method !== 'derivative';
      seen.set(
        JSON.stringify([method, window, unit, melt.found, hasScattering, isShort, isSeveral]),
        caption,
      );
    }),
    { numRuns: 200, seed: 18 },
  );
  assert.equal(new Set(seen.values()).size, seen.size, 'a changed record changes the text');
});

test('caption of overlaid melts: a control, a control of the lab, another method → named; none → not', () => {
  const draw = (
    isControl: boolean,
    labControl: string | null,
    method: 'two_state' | 'derivative',
  ): string => {
    const overlays = new MeltOverlays();
    const curve: MeltCurve = {
      kind: 'melt',
      replicate: 1,
      plate: 'P1',
      well: 'A1',
      channel: 'ratio',
      temperature_c: [20, 50, 80],
      signal: [1, 2, 3],
      fit: null,
      residual: null,
      derivative_per_c: [0, 1, 0],
      tm_c: [50],
    };
    overlays.take(
      createRecord('thermostability', {
        sequence_name: 'wild type',
        is_control: isControl,
        analysis: { settings: { baseline: 'free', derivative_half_window_c: 2 } },
        summary: { tm_method: method, delta_tm_control: labControl },
        quantities: {
          tm: { value: 50, unit: '°C', relation: '=', n: 1 },
          ...(labControl === null ? {} : { delta_tm_vs_control: { value: -12, unit: '°C', relation: '=' } }),
        },
        curves: [curve],
      }),
    );
    return overlays.buildPages('DEMO-001-001').flatMap(listTexts).join(' ');
  };
  assertStatements(draw(true, 'Lysozyme', 'two_state'), [
    ['Dashed curve: first replicate of the control wild type.', true],
    ['Dotted upright: Tm of Lysozyme, the control of the run.', true],
    ['two-state unfolding', true],
    ['maximum of the derivative', false],
    ['over ±2 °C', true],
  ]);
  assertStatements(draw(false, null, 'derivative'), [
    ['Dashed curve', false],
    ['Dotted upright', false],
    ['two-state unfolding', false],
    ['maximum of the derivative', true],
  ]);
});

test('methods of thermostability: any settings and model → every statement agrees with them', () => {
  const melts = fc.record({
    model: fc.constantFrom('two_state', 'boltzmann', 'derivative'),
    baseline: fc.constantFrom('auto', 'free', 'shared', 'fixed'),
    transitions: fc.constantFrom(1, 2, 3),
    low: fc.constantFrom(null, 30),
    reason: fc.constantFrom(null, 'at_range_end'),
  });
  fc.assert(
    fc.property(melts, ({ model, baseline, transitions, low, reason }) => {
      const text = writeMethodsText({
        type: 'thermostability',
        model,
        settings: {
          baseline,
          transitions_max: transitions,
          temperature_min_c: low,
          limits: { bic_gain_min: 10 },
        },
        results: [[{ tm_all: reason === null ? [50, 60] : [], no_transition_reason: reason }]],
      });
      assertStatements(text, [
        ['midpoint of a two-state fit', model === 'two_state'],
        ['midpoint of a Boltzmann sigmoid', model === 'boltzmann'],
        ['at the maximum of the first derivative', model === 'derivative'],
        ['shared within each titration', model === 'two_state' && baseline === 'auto'],
        ['slopes of each curve', model === 'two_state' && baseline === 'free'],
        ['shared by all curves', model === 'two_state' && baseline === 'shared'],
        ['given in the settings', model === 'two_state' && baseline === 'fixed'],
        ['One transition was fitted', model !== 'derivative' && transitions === 1],
        [`Up to ${transitions} transitions`, model !== 'derivative' && transitions > 1],
        ['lowers the BIC', model !== 'derivative' && transitions > 1],
        ['the part from 30 °C', low !== null],
        ['1 with 2 transitions', reason === null],
        ['1 without Tm (at range end)', reason !== null],
        ['geometric mean', false],
      ]);
    }),
    { numRuns: 150, seed: 24 },
  );
});
