/** Instruments that write 330 nm, 350 nm and their ratio: a detector that ends spoils one wavelength and the ratio. */
import { LIMITS, type SimulatedRun, type WellsFamily } from './family.ts';
import { defineMelt } from './melt-families.ts';
import type { MeltWell } from './melt-run.ts';
import { chooseToleranceC, drawScan, drawTransition, findRange, type Scan } from './melt-signals.ts';
import { createMeltSimulation, DESIGN, drawSignalToNoise } from './melt-wells.ts';
import type { Random } from './random.ts';
import { computeUnfoldedFraction, type Transition } from './unfolding.ts';

interface Light {
  readonly counts: number;
  readonly quench: number;
  /** Light of the native protein at 350 nm relative to 330 nm. */
  readonly nativeRatio: number;
  /** What unfolding does to the light at 330 and at 350 nm. */
  readonly change330: number;
  readonly change350: number;
}

function drawLight(random: Random): Light {
  return {
    counts: random.logUniform(1500, 20_000),
    quench: random.uniform(0.003, 0.015),
    nativeRatio: random.uniform(0.5, 0.9),
    change330: random.uniform(0.5, 1),
    change350: random.uniform(1.15, 1.9),
  };
}

function computeLight({ temperaturesC }: Scan, transition: Transition, light: Light) {
  const compute = (native: number, change: number) =>
    temperaturesC.map((temperatureC) => {
      const unfolded = computeUnfoldedFraction(temperatureC, transition);
      const dim = Math.exp(-light.quench * (temperatureC - 25));
      return light.counts * native * dim * (1 + (change - 1) * unfolded);
    });
  return { at330: compute(1, light.change330), at350: compute(light.nativeRatio, light.change350) };
}

/** The ceiling that hides the cold, bright start at 330 nm, or the top of the step at 350 nm. */
function drawCeilings(random: Random, scan: Scan, transition: Transition, light: Light) {
  const clean = computeLight(scan, transition, light);
  const at = (signal: readonly number[], temperatureC: number) =>
    signal[scan.temperaturesC.findIndex((each) => each >= temperatureC)] ?? signal.at(-1) ?? 0;
  if (random.chance(0.4)) {
    const untilC = random.uniform(findRange(scan).lowC + 6, transition.tmC);
    return { ceiling330: at(clean.at330, untilC), ceiling350: Infinity, spoiled: '330nm' };
  }
  const before = at(clean.at350, transition.tmC - 8);
  const after = at(clean.at350, transition.tmC + 8);
  const highest = Math.max(before, after);
  const ceiling350 = highest - random.uniform(0.05, 0.7) * Math.abs(after - before);
  return { ceiling330: Infinity, ceiling350, spoiled: '350nm' };
}

function drawClippedRatio(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan, [80, 180]);
  const light = drawLight(random);
  const { ceiling330, ceiling350, spoiled } = drawCeilings(random, scan, transition, light);
  const signalToNoise = drawSignalToNoise(random);
  const noiseSd = ((light.change350 - 1) * light.nativeRatio * light.counts) / signalToNoise;
  const count = random.integer(1, 3);
  const { at330, at350 } = computeLight(scan, transition, light);
  const wells = Array.from({ length: count }, (_, i): MeltWell => {
    const read = (signal: readonly number[], ceiling: number) =>
      signal.map((value) => Math.min(ceiling, value + noiseSd * random.normal()));
    const read330 = read(at330, ceiling330);
    const read350 = read(at350, ceiling350);
    const ratio = read350.map((value, k) => value / (read330[k] ?? 1));
    const channels = [
      { channel: 'ratio', signal: ratio },
      { channel: '330nm', signal: read330 },
      { channel: '350nm', signal: read350 },
    ];
    const { temperaturesC } = scan;
    return { well: `A${i + 1}`, sample: DESIGN, replicate: i + 1, temperaturesC, channels };
  });
  return createMeltSimulation(
    { wells, layout: 'own' },
    {
      tmC: transition.tmC,
      toleranceC: chooseToleranceC(transition),
      facts: { dh_kcal: transition.dhKcal, spoiled, signal_to_noise: signalToNoise },
    },
  );
}

export const CHANNEL_FAMILIES: readonly WellsFamily[] = [
  defineMelt('clipped_ratio', LIMITS.toldFault, drawClippedRatio),
];
