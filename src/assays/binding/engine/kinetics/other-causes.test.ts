/** Responses that are no binding: steps of the refractive index, jumps of a baseline, a single curve that responds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeAffinitySets } from '../../../affinity/engine/affinity.ts';
import type { SequenceAffinity } from '../../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { FlagCode } from '#analysis/quality/flags.ts';
import { createEmptyCurve, computeOneToOneResponse, countCalibrationSets } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { ShapedPlate } from '#testing/analysis/shaped-plate.ts';
import { createTraceSet } from '#testing/analysis/single-cycle.ts';
import { createNormals, createUniforms } from '#testing/analysis/synthetic.ts';
import type { Trace, TraceStep } from '#analysis/curves/trace.ts';
import type { FitCurve, Injection } from './model.ts';

const SERIES_M = [3e-7, 1e-7, 3.3e-8, 1.1e-8];
const NOISE_SD = 0.002;
const RUNS = Math.min(30, countCalibrationSets(12));

function analyze(
  computeResponse: ShapedPlate['computeResponse'],
  plate: Partial<ShapedPlate> = {},
): SequenceAffinity {
  const file = createShapedFile({ concentrationsM: SERIES_M, noiseSd: NOISE_SD, computeResponse, ...plate });
  return analyzeAffinity([file], { curves: false }).sequences[0];
}

/** The share of runs, drawn from seeds, whose result is a binder, and the share that has the flag. */
function countRuns(
  draw: (random: () => number) => ShapedPlate['computeResponse'],
  code: FlagCode,
  plate: Partial<ShapedPlate> = {},
): { binders: number; flagged: number } {
  const found = Array.from({ length: RUNS }, (_, i) =>
    analyze(draw(createUniforms(i + 1)), { ...plate, seed: i + 1 }),
  );
  return {
    binders: found.filter(({ binding }) => binding === 'binder').length,
    flagged: found.filter(({ flags }) => hasFlag(flags, code)).length,
  };
}

const draw = (random: () => number, low: number, high: number): number => low * (high / low) ** random();
const TOP_M = SERIES_M[0];

/** A step that mixing rounds by an exponential on both sides. */
function addStep({ timeS, associationS }: FitCurve, height: number, mixingS: number): Float64Array {
  return timeS.map((t) => {
    const on = t > 0 ? 1 - Math.exp(-t / mixingS) : 0;
    const off = t > associationS ? 1 - Math.exp(-(t - associationS) / mixingS) : 0;
    return height * (on - off);
  });
}

describe('BULK_STEP', () => {
  for (const technique of ['bli', 'spr'] as const) {
    test(`BULK_STEP: random steps that grow with the dose (${technique}) → no binder, and the flag in nearly all`, () => {
      const { binders, flagged } = countRuns(
        (random) => {
          const [height, power, mixingS] = [
            draw(random, 0.03, 0.5),
            0.7 + 0.5 * random(),
            draw(random, 0.2, 3),
          ];
          return (curve) => addStep(curve, height * (curve.concentrationM / TOP_M) ** power, mixingS);
        },
        'BULK_STEP',
        { technique },
      );
      assert.equal(binders, 0);
      assert.ok(flagged >= 0.9 * RUNS, `${flagged}`);
    });
  }

  test('BULK_STEP: random binders that rise or fall over more than ten seconds → all bind, without the flag', () => {
    const { binders, flagged } = countRuns((random) => {
      const kd = draw(random, 1e-8, 1e-6);
      const koff = draw(random, 1e-3, 4e-2);
      return (curve) => computeOneToOneResponse(curve, { kon: koff / kd, koff });
    }, 'BULK_STEP');
    assert.deepEqual([binders, flagged], [RUNS, 0]);
  });

  test('BULK_STEP: steps of a fast binder that saturates → a binder at equilibrium, without the flag', () => {
    const { binders, flagged } = countRuns((random) => {
      const kd = draw(random, 1.5e-8, 6e-8);
      return (curve) => addStep(curve, curve.concentrationM / (kd + curve.concentrationM), 0.3);
    }, 'BULK_STEP');
    assert.deepEqual([binders, flagged], [RUNS, 0]);
  });

  /** The baseline of a minute leaves a drift open that in this time is as large as these weak responses. */
  const WEAK = { height: 8 * NOISE_SD, associationS: 900, seeds: [1, 2] } as const;

  test('BULK_STEP: weak steps that a permitted drift could hide → inconclusive, with the flag and no KD', () => {
    const { height, associationS, seeds } = WEAK;
    for (const seed of seeds) {
      const step: ShapedPlate['computeResponse'] = (curve) =>
        addStep(curve, height * (curve.concentrationM / TOP_M) ** 0.8, 0.3);
      const { binding, outcome, kd, flags } = analyze(step, { technique: 'spr', associationS, seed });
      assert.deepEqual([binding, outcome, kd], ['inconclusive', 'inconclusive', null], `${seed}`);
      assert.ok(hasFlag(flags, 'BULK_STEP'), `${seed}`);
    }
  });

  test('BULK_STEP: weak binding that rises over a minute, with the same drift permitted → a binder, without the flag', () => {
    const { height, associationS, seeds } = WEAK;
    for (const seed of seeds) {
      const bind: ShapedPlate['computeResponse'] = (curve) =>
        computeOneToOneResponse(curve, { kon: 6e4, koff: 4e-3 }).map((value) => height * value);
      const { binding, flags } = analyze(bind, { technique: 'spr', associationS, seed });
      assert.equal(binding, 'binder', `${seed}`);
      assert.ok(!hasFlag(flags, 'BULK_STEP'), `${seed}`);
    }
  });
});

/** Doses of a single cycle, its length of injections and pauses in s, and the noise in RU. */
const CYCLE = { lowestM: 1e-9, noiseSd: 0.3, baselineS: 60, injectionS: 120, dissociationS: 600 } as const;
const PAUSES_S = [15, 30, 60];
const CYCLE_DOSES = 5;

type Draw = () => number;

/** One surface in five injections of threefold doses; `signalAt` adds to its signal in RU, s after the first injection. */
function analyzeCycle(
  i: number,
  createSignal: (random: Draw, plan: readonly Injection[]) => (t: number) => number,
): SequenceAffinity {
  const random = createUniforms(i + 1);
  const normal = createNormals(500 + i);
  const pauseS = PAUSES_S[i % PAUSES_S.length];
  const plan = Array.from({ length: CYCLE_DOSES }, (_, k): Injection => {
    const startS = k * (CYCLE.injectionS + pauseS);
    return { startS, endS: startS + CYCLE.injectionS, concentrationM: CYCLE.lowestM * 3 ** k };
  });
  const signalAt = createSignal(random, plan);
  const createStep = (step: TraceStep['step'], fromS: number, toS: number): TraceStep => {
    const timeS = Float64Array.from({ length: toS - fromS }, (_, k) => CYCLE.baselineS + fromS + k);
    const signal = timeS.map((t) => signalAt(t - CYCLE.baselineS) + CYCLE.noiseSd * normal());
    return { step, startS: CYCLE.baselineS + fromS, timeS, signal };
  };
  const steps = plan.flatMap(({ startS, endS, concentrationM }, k) => [
    { ...createStep('association', startS, endS), concentrationM },
    createStep('dissociation', endS, plan[k + 1]?.startS ?? endS + CYCLE.dissociationS),
  ]);
  const trace: Trace = {
    id: 'A1',
    well: null,
    role: 'sample',
    sample: 'x',
    replicate: 1,
    concentrationM: null,
    steps: [createStep('baseline', -CYCLE.baselineS, 0), ...steps],
  };
  return analyzeAffinitySets([createTraceSet(trace)]).sequences[0];
}

/** A response to each injection that rises and falls by the rate 1 / `mixingS`; 0: at once. */
function createSteps(plan: readonly Injection[], heights: readonly number[], mixingS: number) {
  const rise = (t: number): number => (t <= 0 ? 0 : mixingS === 0 ? 1 : 1 - Math.exp(-t / mixingS));
  return (t: number): number =>
    plan.reduce((sum, { startS, endS }, k) => sum + heights[k] * (rise(t - startS) - rise(t - endS)), 0);
}

describe('BULK_STEP of single cycles', () => {
  test('BULK_STEP: 3, 10 and 30 RU of a single cycle in proportion to the dose, mixed at once or in 2 s → inconclusive, no KD', () => {
    for (const [i, height] of [3, 10, 30].entries())
      for (const mixingS of [0, 2])
        for (let seed = 0; seed < 3; seed += 1) {
          const found = analyzeCycle(10 * i + seed, (_, plan) => {
            const top = plan[plan.length - 1].concentrationM;
            return createSteps(
              plan,
              plan.map(({ concentrationM }) => (height * concentrationM) / top),
              mixingS,
            );
          });
          const told = `${height} RU, ${mixingS} s, ${seed}`;
          assert.deepEqual(
            [found.binding, found.outcome, found.kd],
            ['inconclusive', 'inconclusive', null],
            told,
          );
          assert.ok(hasFlag(found.flags, 'BULK_STEP'), told);
        }
  });

  test('BULK_STEP: random steps of single cycles that grow with the dose → no binder, and the flag in all', () => {
    const found = Array.from({ length: RUNS }, (_, i) =>
      analyzeCycle(i, (random, plan) => {
        const [height, power, mixingS] = [draw(random, 5, 100), 0.8 + 0.4 * random(), draw(random, 0.2, 3)];
        const top = plan[plan.length - 1].concentrationM;
        return createSteps(
          plan,
          plan.map(({ concentrationM }) => height * (concentrationM / top) ** power),
          mixingS,
        );
      }),
    );
    assert.deepEqual(
      [
        found.filter(({ binding }) => binding === 'binder').length,
        found.filter(({ flags }) => hasFlag(flags, 'BULK_STEP')).length,
      ],
      [0, RUNS],
    );
  });

  test('BULK_STEP: single cycles of binders that fall over more than ten seconds, with a step or without → all bind, without the flag', () => {
    for (let i = 0; i < RUNS; i += 1) {
      const { binding, flags } = analyzeCycle(i, (random, plan) => {
        const [koff, kdM, rmax] = [draw(random, 1e-3, 4e-2), draw(random, 3e-9, 1e-7), draw(random, 30, 150)];
        const { endS: associationS, concentrationM } = plan[plan.length - 1];
        const lengthS = associationS + CYCLE.dissociationS;
        const curve = createEmptyCurve({
          concentrationM,
          associationS,
          lengthS,
          points: lengthS,
          injections: [...plan],
        });
        const bound = computeOneToOneResponse(curve, { kon: koff / kdM, koff });
        const part = i % 2 === 0 ? 0 : 0.2;
        const heights = plan.map((each) => (part * rmax * each.concentrationM) / concentrationM);
        const step = createSteps(plan, heights, 0.5);
        return (t) => (t <= 0 ? 0 : rmax * bound[t - 1] + step(t));
      });
      assert.equal(binding, 'binder', `${i}`);
      assert.ok(!hasFlag(flags, 'BULK_STEP'), `${i}`);
    }
  });

  test('BULK_STEP: a single cycle of steps that saturate → a binder, without the flag', () => {
    for (let i = 0; i < RUNS; i += 1) {
      const { binding, flags } = analyzeCycle(i, (random, plan) => {
        const kd = draw(random, 4e-9, 1.5e-8);
        return createSteps(
          plan,
          plan.map(({ concentrationM }) => (60 * concentrationM) / (kd + concentrationM)),
          0.3,
        );
      });
      assert.equal(binding, 'binder', `${i}`);
      assert.ok(!hasFlag(flags, 'BULK_STEP'), `${i}`);
    }
  });
});

describe('BASELINE_JUMP', () => {
  test('BASELINE_JUMP: the highest dose jumps once while analyte flows → inconclusive with the flag, or lone', () => {
    const { binders, flagged } = countRuns((random) => {
      const [height, atS] = [draw(random, 0.03, 0.5), 20 + 260 * random()];
      return ({ concentrationM, timeS }) =>
        timeS.map((t) => (concentrationM === TOP_M && t >= atS ? height : 0));
    }, 'BASELINE_JUMP');
    assert.equal(binders, 0);
    assert.ok(flagged >= 0.9 * RUNS, `${flagged}`);
  });

  test('BASELINE_JUMP: every curve jumps at one time of association, by 12 to 60 times the noise → no binder', () => {
    const { binders, flagged } = countRuns((random) => {
      const [height, atS] = [draw(random, 12 * NOISE_SD, 60 * NOISE_SD), 8 + 200 * random()];
      return ({ timeS }) => timeS.map((t) => (t >= atS ? height : 0));
    }, 'BASELINE_JUMP');
    assert.equal(binders, 0);
    assert.ok(flagged >= 0.5 * RUNS, `${flagged}`);
  });

  test('BASELINE_JUMP: random binders whose curves all jump by a fifth of the response → all bind', () => {
    const { binders } = countRuns((random) => {
      const [kd, koff] = [draw(random, 1e-8, 1e-7), draw(random, 1e-3, 1e-2)];
      const atS = 40 + 150 * random();
      return (curve) =>
        computeOneToOneResponse(curve, { kon: koff / kd, koff }).map(
          (value, i) => value + (curve.timeS[i] >= atS ? 0.2 : 0),
        );
    }, 'BASELINE_JUMP');
    assert.equal(binders, RUNS);
  });

  test('BASELINE_JUMP: random binders without a jump → all bind, without the flag', () => {
    const { binders, flagged } = countRuns((random) => {
      const [kd, koff] = [draw(random, 1e-8, 1e-6), draw(random, 1e-4, 4e-2)];
      return (curve) => computeOneToOneResponse(curve, { kon: koff / kd, koff });
    }, 'BASELINE_JUMP');
    assert.deepEqual([binders, flagged], [RUNS, 0]);
  });
});

describe('NO_DOSE_RESPONSE', () => {
  test('NO_DOSE_RESPONSE: only the highest dose responds, from the start, by 60 times the noise or more → no binder', () => {
    const { binders, flagged } = countRuns((random) => {
      const [height, atS] = [draw(random, 60 * NOISE_SD, 0.5), -5 + 15 * random()];
      return ({ concentrationM, timeS }) =>
        timeS.map((t) => (concentrationM === TOP_M && t >= atS ? height : 0));
    }, 'NO_DOSE_RESPONSE');
    assert.equal(binders, 0);
    assert.ok(flagged >= 0.9 * RUNS, `${flagged}`);
  });

  test('NO_DOSE_RESPONSE: every curve steps alike after the start of association, by 50 times the noise or more → no binder', () => {
    const { binders } = countRuns((random) => {
      const [height, atS] = [draw(random, 50 * NOISE_SD, 0.5), 14 * random()];
      return ({ timeS }) => timeS.map((t) => (t >= atS ? height : 0));
    }, 'NO_DOSE_RESPONSE');
    assert.equal(binders, 0);
  });

  test('NO_DOSE_RESPONSE: random binders with doses around KD → none has the flag', () => {
    const { flagged } = countRuns((random) => {
      const [kd, koff] = [draw(random, 1e-8, 3e-7), draw(random, 1e-3, 1e-1)];
      return (curve) => computeOneToOneResponse(curve, { kon: koff / kd, koff });
    }, 'NO_DOSE_RESPONSE');
    assert.equal(flagged, 0);
  });
});

describe('NON_MONOTONIC_DOSE', () => {
  test('NON_MONOTONIC_DOSE: nothing binds, and wells differ by the noise → never raised', () => {
    const { flagged } = countRuns((random) => {
      return ({ timeS }) => {
        const step = 2 * NOISE_SD * (random() + random() + random() - 1.5);
        return timeS.map((t) => (t >= 0 ? step : 0));
      };
    }, 'NON_MONOTONIC_DOSE');
    assert.equal(flagged, 0);
  });

  test('NON_MONOTONIC_DOSE: saturated sensors that differ by 8 % → never raised; the highest dose at 60 % → raised', () => {
    const draws =
      (top: number) =>
      (random: () => number): ShapedPlate['computeResponse'] =>
      (curve) => {
        const rmax = (curve.concentrationM === TOP_M ? top : 1) * (0.96 + 0.08 * random());
        return computeOneToOneResponse(curve, { kon: 1e6, koff: 1e-3 }).map((value) => rmax * value);
      };
    assert.equal(countRuns(draws(1), 'NON_MONOTONIC_DOSE').flagged, 0);
    assert.equal(countRuns(draws(0.6), 'NON_MONOTONIC_DOSE').flagged, RUNS);
  });
});

test('DOSES_ABOVE_KD: every dose above ten times KD → raised; doses around KD → not raised', () => {
  const at = (kd: number): SequenceAffinity =>
    analyze((curve) => computeOneToOneResponse(curve, { kon: 2e-3 / kd, koff: 2e-3 }));
  for (const kd of [2e-10, 5e-10]) {
    const found = at(kd);
    assert.equal(hasFlag(found.flags, 'DOSES_ABOVE_KD'), true, `${kd}`);
    assert.equal(hasFlag(found.flags, 'TOP_C_BELOW_KD'), false);
  }
  for (const kd of [5e-9, 3e-8, 2e-7, 2e-6])
    assert.equal(hasFlag(at(kd).flags, 'DOSES_ABOVE_KD'), false, `${kd}`);
});
