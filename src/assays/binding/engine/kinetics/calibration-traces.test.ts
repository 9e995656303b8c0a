/**
 * Like `calibration.test.ts`, from whole traces through referencing and alignment: every sensor has its own noise,
 * and that of the blank is in all curves of a sample. `ASSAYER_CALIBRATION_SETS=2000` is the full size.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinitySets } from '../../../affinity/engine/affinity.ts';
import type { SequenceAffinity } from '../../../affinity/engine/types.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { BindingSettingsInput } from '../settings.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { createNoisyPlate } from '#testing/analysis/noisy-plate.ts';
import type { NoisyPlate, NoisySample } from '#testing/analysis/noisy-plate.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';

const SETS = countCalibrationSets(24);
/** Few, because the samples of a plate share the noise of its references. */
const PER_PLATE = 8;
const PLATE = {
  noise: { sd: 0.003, rho: 0.6 },
  concentrationsM: [3.162e-8, 1e-7, 3.162e-7, 1e-6],
  associationS: 180,
  dissociationS: 300,
  rmaxCv: 0.05,
} as const;
const QUANTITIES = ['kd', 'kon', 'koff'] as const;

function* analyzeTraces(
  plate: Omit<NoisyPlate, 'samples' | 'seed'>,
  settings: BindingSettingsInput,
  design: (uniform: () => number) => Omit<NoisySample, 'sample'>,
): Generator<{ truth: Record<(typeof QUANTITIES)[number], number>; found: SequenceAffinity }> {
  const uniform = createUniforms(4_242);
  for (let from = 0; from < SETS; from += PER_PLATE) {
    const samples = Array.from({ length: Math.min(PER_PLATE, SETS - from) }, (_, i) => {
      return { sample: `s${i}`, ...design(uniform) };
    });
    const set = createNoisyPlate({ ...plate, samples, seed: 900_000 + from });
    for (const found of analyzeAffinitySets([set], { ...settings, curves: false }).sequences) {
      const of = samples.find(({ sample }) => sample === found.sample);
      assert.ok(of !== undefined);
      yield { truth: { kd: of.koff / of.kon, kon: of.kon, koff: of.koff }, found };
    }
  }
}

function isWithin({ ci95Low, ci95High }: Quantity, truth: number): boolean {
  return ci95Low !== null && ci95High !== null && ci95Low < truth && truth < ci95High;
}

/** Returns 95 % minus three standard deviations of a count of this size. */
function computeLeastCount(count: number): number {
  return 0.95 * count - 3 * Math.sqrt(0.95 * 0.05 * count);
}

const REFERENCED = { blanks: true, references: true, baselineS: 60 };
const KINDS: [string, Omit<NoisyPlate, 'samples' | 'seed'>, BindingSettingsInput][] = [
  ['double referenced', { ...PLATE, ...REFERENCED }, { drift: true }],
  ['reference alone', { ...PLATE, ...REFERENCED, blanks: false }, { drift: true }],
  ['a drift of SD 1e-5 per s, default settings', { ...PLATE, ...REFERENCED, driftSdPerS: 1e-5 }, {}],
  ['no reference', { ...PLATE, ...REFERENCED, blanks: false, references: false }, { drift: true }],
  ['five samples a second, dissociation joined', { ...PLATE, ...REFERENCED, intervalS: 0.2 }, {}],
  [
    'five samples a second, jumps of SD 5 pm between the steps',
    { ...PLATE, ...REFERENCED, intervalS: 0.2, interStepSd: 0.005 },
    {},
  ],
];

for (const [name, plate, settings] of KINDS) {
  test(`intervals: whole traces, ${name} → 95 % of ${SETS} hold the truth`, (context) => {
    const hits = { kd: 0, kon: 0, koff: 0 };
    const values = { kd: 0, kon: 0, koff: 0 };
    const easy = (uniform: () => number): Omit<NoisySample, 'sample'> => {
      return { kon: 10 ** (4.3 + 1.4 * uniform()), koff: 10 ** (-3.2 + 1.5 * uniform()), rmax: 0.4 };
    };
    for (const { truth, found } of analyzeTraces(plate, settings, easy)) {
      for (const key of QUANTITIES) {
        const quantity = found[key];
        if (quantity?.relation !== '=') continue;
        values[key] += 1;
        if (isWithin(quantity, truth[key])) hits[key] += 1;
      }
    }
    context.diagnostic(JSON.stringify({ hits, values }));
    for (const key of QUANTITIES) {
      assert.ok(
        values[key] > 0.9 * SETS && hits[key] >= computeLeastCount(values[key]),
        `${key}: ${hits[key]}/${values[key]}`,
      );
    }
  });
}

for (const [name, intervalS, settings] of [
  ['drift fitted', 1, { drift: true }],
  ['five samples a second, dissociation joined', 0.2, {}],
] as const) {
  test(`relations: whole traces, ${name}, all rates and signals → "=" and bounds hold`, (context) => {
    const counts: Record<string, { all: number; held: number }> = {};
    const wide = (uniform: () => number): Omit<NoisySample, 'sample'> => {
      const [a, b, c] = [uniform(), uniform(), uniform()];
      return { kon: 10 ** (3.5 + 3.3 * a), koff: 10 ** (-5 + 4.7 * b), rmax: 10 ** (-1.3 + 1.5 * c) };
    };
    for (const { truth, found } of analyzeTraces(
      { ...PLATE, ...REFERENCED, baselineS: 30, intervalS },
      settings,
      wide,
    )) {
      for (const key of QUANTITIES) {
        const quantity = found[key];
        if (quantity === null || quantity.relation === '~') continue;
        const { relation, value } = quantity;
        const count = (counts[`${key}${relation}`] ??= { all: 0, held: 0 });
        const isHeld =
          relation === '=' ? isWithin(quantity, truth[key]) : truth[key] < value === (relation === '<');
        count.all += 1;
        if (isHeld) count.held += 1;
        const apart = Math.abs(Math.log10(value / truth[key]));
        if (relation === '=') assert.ok(apart < 1, JSON.stringify({ key, quantity, truth }));
      }
    }
    context.diagnostic(JSON.stringify(counts).replaceAll('<', ' below').replaceAll('>', ' above'));
    for (const [name, { all, held }] of Object.entries(counts))
      assert.ok(held >= computeLeastCount(all) - 1, `${name}: ${held}/${all}`);
  });
}

test('Rmax: every concentration is far below KD → an estimate, or an interval that holds the truth', () => {
  const samples = Array.from({ length: 12 }, (_, i) => ({ sample: `s${i}`, kon: 2e3, koff: 0.02, rmax: 4 }));
  const plate = { ...PLATE, rmaxCv: 0, blanks: true, references: true, baselineS: 60, samples, seed: 3 };
  const found = analyzeAffinitySets([createNoisyPlate(plate)], { drift: true, curves: false }).sequences;
  const seen = found.flatMap(({ rmax }) => rmax ?? []);
  assert.ok(seen.length > 6);
  for (const rmax of seen) assert.ok(rmax.relation === '~' || isWithin(rmax, 4), JSON.stringify(rmax));
  assert.ok(seen.some(({ relation }) => relation === '~'));
});
