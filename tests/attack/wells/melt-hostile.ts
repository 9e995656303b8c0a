/** Melts that mislead: no transition at all, or a detector, a dye or a precipitate that hides part of one. */
import { LIMITS, type Limits, type SimulatedRun, type WellsFamily } from './family.ts';
import { defineMelt, drawEquilibrium } from './melt-families.ts';
import {
  chooseToleranceC,
  computeDyeSignal,
  computeEquilibriumSignal,
  drawDye,
  drawHeatCapacity,
  drawIntrinsic,
  drawScan,
  drawSlowLoss,
  drawTransition,
  findRange,
  type Optics,
  type Scan,
} from './melt-signals.ts';
import { createMeltSimulation, drawSignalToNoise, drawWells } from './melt-wells.ts';
import type { Random } from './random.ts';
import type { Transition } from './unfolding.ts';

/** Draws wells of a shape without unfolding; the shape is in multiples of `height` over a base line. */
function drawWithoutTransition(
  random: Random,
  facts: Readonly<Record<string, number>>,
  shape: (temperatureC: number) => number,
  isDye = random.chance(0.5),
): SimulatedRun {
  const scan = drawScan(random);
  const base = isDye ? random.logUniform(300, 20_000) : random.uniform(0.5, 1.1);
  const height = base * random.uniform(0.1, 0.6);
  const signalToNoise = drawSignalToNoise(random);
  const slope = random.uniform(-0.004, 0.004) * height;
  const drawn = drawWells(random, { mayBeTable: true }, ({ shiftC, gain }) => ({
    scan,
    channel: isDye ? 'dye' : 'ratio',
    signal: scan.temperaturesC.map(
      (temperatureC) =>
        (isDye ? gain : 1) * (base + height * shape(temperatureC - shiftC) + slope * (temperatureC - 55)),
    ),
    noiseSd: height / signalToNoise,
  }));
  return createMeltSimulation(drawn, {
    tmC: null,
    toleranceC: 1,
    facts: { ...facts, signal_to_noise: signalToNoise },
  });
}

function drawOscillation(random: Random): SimulatedRun {
  const periodC = random.logUniform(3, 30);
  const phase = random.uniform(0, 2 * Math.PI);
  const damping = random.chance(0.5) ? 0 : random.uniform(0.005, 0.03);
  return drawWithoutTransition(
    random,
    { period_c: periodC, phase, damping },
    (temperatureC) =>
      0.5 *
      Math.exp(-damping * (temperatureC - 20)) *
      Math.sin((2 * Math.PI * temperatureC) / periodC + phase),
  );
}

/** Rises and returns alike on both sides, as dye on a patch that comes and goes; unfolding never returns. */
function drawHump(random: Random): SimulatedRun {
  const centerC = random.uniform(38, 75);
  const leftC = random.uniform(4, 12);
  const rightC = leftC * random.uniform(0.7, 1.4);
  return drawWithoutTransition(
    random,
    { center_c: centerC, left_c: leftC, right_c: rightC },
    (temperatureC) => {
      const width = temperatureC < centerC ? leftC : rightC;
      return Math.exp(-0.5 * ((temperatureC - centerC) / width) ** 2);
    },
    true,
  );
}

/** Either one slope that bends into another, or unfolding so broad and so late that its end is not seen. */
function drawBroadBend(random: Random): SimulatedRun {
  if (random.chance(0.5)) {
    const centerC = random.uniform(35, 80);
    const widthC = random.uniform(5, 15);
    return drawWithoutTransition(
      random,
      { center_c: centerC, width_c: widthC },
      (temperatureC) => (widthC * Math.log1p(Math.exp((temperatureC - centerC) / widthC))) / 40,
    );
  }
  const scan = drawScan(random);
  const dhKcal = random.uniform(22, 45);
  const tmC = findRange(scan).highC + random.uniform(-10, 10);
  const transition = { tmC, dhKcal, dcpKcalPerK: 0.2 * drawHeatCapacity(random, dhKcal) };
  return drawEquilibrium(random, scan, [transition], drawIntrinsic(random), {
    signalToNoise: drawSignalToNoise(random),
  });
}

function drawFlat(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const isDye = random.chance(0.5);
  const base = isDye ? random.logUniform(300, 20_000) : random.uniform(0.5, 1.1);
  const noiseSd = base * random.logUniform(0.0005, 0.02);
  const drawn = drawWells(random, { mayBeTable: true }, () => ({
    scan,
    channel: isDye ? 'dye' : random.pick(['ratio', '330nm']),
    signal: scan.temperaturesC.map(() => base),
    noiseSd,
  }));
  return createMeltSimulation(drawn, { tmC: null, toleranceC: 1, facts: { noise: noiseSd / base } });
}

/** Light that only gets quenched, or a straight line; no protein unfolds. */
function drawSloping(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const channel = random.pick(['ratio', '330nm', '350nm', 'dye']);
  const base = channel === 'ratio' ? random.uniform(0.5, 1.1) : random.logUniform(300, 20_000);
  const slope = random.uniform(0.001, 0.015) * (random.chance(0.75) ? -1 : 1);
  const isStraight = random.chance(0.4);
  const signal = scan.temperaturesC.map((temperatureC) => {
    const exponent = slope * (temperatureC - 25);
    return base * (isStraight ? 1 + exponent * 0.8 : Math.exp(exponent));
  });
  const noiseSd = base * random.logUniform(0.0005, 0.01);
  const drawn = drawWells(random, { mayBeTable: slope > 0 }, ({ gain }) => ({
    scan,
    channel,
    signal: signal.map((value) => (channel === 'ratio' ? 1 : gain) * value),
    noiseSd,
  }));
  return createMeltSimulation(drawn, {
    tmC: null,
    toleranceC: 1,
    facts: { slope_per_c: slope, noise: noiseSd / base, straight: String(isStraight) },
  });
}

/** Where a signal crosses a detector's limit, as the share of the step that the detector still shows. */
interface Clip {
  readonly share: number;
  readonly at: number;
}

/** Clips a rising or a falling step after `share` of its height, at the temperature where it gets there. */
function findClip(signal: readonly number[], scan: Scan, transition: Transition, share: number): Clip {
  const at = (temperatureC: number) => {
    const index = scan.temperaturesC.findIndex((each) => each >= temperatureC);
    return signal[index < 0 ? signal.length - 1 : index] ?? 0;
  };
  const before = at(transition.tmC - 8);
  const after = at(transition.tmC + 8);
  return { share, at: before + share * (after - before) };
}

/** Wells behind a detector that shows nothing beyond a limit. */
function drawClipped(
  random: Random,
  scan: Scan,
  transition: Transition,
  source: { channel: string; rises: boolean; height: number; signal: (shiftC: number) => number[] },
  clip: { at: number; isCeiling: boolean; facts: Readonly<Record<string, number>> },
): SimulatedRun {
  const signalToNoise = drawSignalToNoise(random);
  const drawn = drawWells(random, { mayBeTable: source.rises }, ({ shiftC, gain }) => ({
    scan,
    channel: source.channel,
    // Wells differ by about 1 % in light, so that all of them reach the limit of the detector.
    signal: source.signal(shiftC).map((value) => gain ** 0.2 * value),
    noiseSd: source.height / signalToNoise,
    detect: (value) => (clip.isCeiling ? Math.min(value, clip.at) : Math.max(value, clip.at)),
  }));
  return createMeltSimulation(drawn, {
    tmC: transition.tmC,
    toleranceC: chooseToleranceC(transition),
    facts: { dh_kcal: transition.dhKcal, signal_to_noise: signalToNoise, clip_at: clip.at, ...clip.facts },
  });
}

function createSource(scan: Scan, transition: Transition, optics: Optics) {
  return {
    channel: optics.channel,
    rises: optics.rises,
    height: optics.stepHeight,
    signal: (shiftC: number) =>
      computeEquilibriumSignal(scan, [{ ...transition, tmC: transition.tmC + shiftC }], optics),
  };
}

function drawClippedTop(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan);
  const share = random.uniform(0.3, 0.95);
  if (random.chance(0.5)) {
    const source = createSource(
      scan,
      transition,
      drawIntrinsic(random, random.pick(['330nm', '350nm']), true),
    );
    const { at } = findClip(source.signal(0), scan, transition, share);
    return drawClipped(random, scan, transition, source, { at, isCeiling: true, facts: { share } });
  }
  const dye = drawDye(random);
  const loss = drawSlowLoss(random, transition.tmC);
  const signal = (shiftC: number) =>
    computeDyeSignal(scan, { ...transition, tmC: transition.tmC + shiftC }, loss, dye).signal;
  const highest = Math.max(...signal(0));
  const lowest = dye.counts * dye.background;
  const source = { channel: 'dye', rises: true, height: dye.counts, signal };
  const at = lowest + share * (highest - lowest);
  return drawClipped(random, scan, transition, source, { at, isCeiling: true, facts: { share } });
}

function drawClippedFloor(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan);
  const share = random.uniform(0.3, 0.95);
  const source = createSource(
    scan,
    transition,
    drawIntrinsic(random, random.pick(['330nm', '350nm']), false),
  );
  const { at } = findClip(source.signal(0), scan, transition, share);
  return drawClipped(random, scan, transition, source, { at, isCeiling: false, facts: { share } });
}

/** The cold, bright protein is beyond the detector, up to a temperature that may lie within the transition. */
function drawSaturatedStart(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan);
  const source = createSource(
    scan,
    transition,
    drawIntrinsic(random, random.pick(['330nm', '350nm']), false),
  );
  const untilC = random.uniform(findRange(scan).lowC + 6, transition.tmC + 1);
  const clean = source.signal(0);
  const at = clean[scan.temperaturesC.findIndex((each) => each >= untilC)] ?? 0;
  return drawClipped(random, scan, transition, source, { at, isCeiling: true, facts: { until_c: untilC } });
}

/** Aggregates form as soon as protein unfolds and bind little dye. */
function drawFallingDye(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.2, 0.5, 1]);
  const transition = drawTransition(random, scan);
  const dye = { ...drawDye(random), onAggregate: random.uniform(0, 0.2) };
  const loss = {
    perMinute: random.logUniform(0.3, 4),
    atC: transition.tmC + 2,
    activationKcal: random.uniform(30, 90),
  };
  const { halfC, signal: typical } = computeDyeSignal(scan, transition, loss, dye);
  const height = Math.max(...typical) - Math.min(...typical);
  const signalToNoise = drawSignalToNoise(random);
  const drawn = drawWells(random, { mayBeTable: true }, ({ shiftC, gain }) => {
    const shifted = { ...transition, tmC: transition.tmC + shiftC };
    const { signal } = computeDyeSignal(scan, shifted, { ...loss, atC: loss.atC + shiftC }, dye);
    return {
      scan,
      channel: 'dye',
      signal: signal.map((value) => gain * value),
      noiseSd: height / signalToNoise,
    };
  });
  return createMeltSimulation(drawn, {
    tmC: halfC,
    toleranceC: chooseToleranceC(transition),
    facts: {
      dh_kcal: transition.dhKcal,
      loss_per_minute: loss.perMinute,
      peak_c: scan.temperaturesC[typical.indexOf(Math.max(...typical))] ?? null,
      signal_to_noise: signalToNoise,
    },
  });
}

/** Particles scatter and leave the beam soon after unfolding: light is lost, and what is left flickers. */
function drawPrecipitation(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan, [80, 180]);
  const optics = drawIntrinsic(random);
  const fromC = transition.tmC + random.uniform(1, 8);
  const lost = random.uniform(-0.4, 0.8);
  const overC = random.logUniform(0.5, 8);
  const flicker = random.logUniform(3, 30);
  const signalToNoise = random.logUniform(60, 600);
  const drawn = drawWells(random, { mayBeTable: optics.rises }, ({ shiftC, gain }) => {
    const shifted = { ...transition, tmC: transition.tmC + shiftC };
    const beginC = fromC + shiftC + random.normal() * 0.5;
    const clean = computeEquilibriumSignal(scan, [shifted], optics);
    const signal = clean.map((value, i) => {
      const beyondC = (scan.temperaturesC[i] ?? 0) - beginC;
      const share = beyondC > 0 ? 1 - Math.exp(-beyondC / overC) : 0;
      if (optics.channel === 'ratio') return value - lost * optics.stepHeight * share;
      return gain * value * (1 - lost * share);
    });
    const quiet = optics.stepHeight / signalToNoise;
    const noiseSd = scan.temperaturesC.map((each) => (each > beginC ? quiet * flicker : quiet));
    return { scan, channel: optics.channel, signal, noiseSd };
  });
  return createMeltSimulation(drawn, {
    tmC: transition.tmC,
    toleranceC: chooseToleranceC(transition),
    facts: { dh_kcal: transition.dhKcal, from_c: fromC, lost, over_c: overC, flicker },
  });
}

const bend: Limits = { ...LIMITS.nothingThere, ...LIMITS.toldFault };

export const HOSTILE_MELT_FAMILIES: readonly WellsFamily[] = [
  defineMelt('oscillation', LIMITS.nothingThere, drawOscillation),
  defineMelt('dye_hump', LIMITS.nothingThere, drawHump),
  defineMelt('broad_bend_no_baseline', bend, drawBroadBend),
  defineMelt('saturated_start', LIMITS.toldFault, drawSaturatedStart),
  defineMelt('clipped_top', LIMITS.toldFault, drawClippedTop),
  defineMelt('clipped_floor', LIMITS.toldFault, drawClippedFloor),
  defineMelt('dye_falls_right_after_step', LIMITS.toldFault, drawFallingDye),
  defineMelt('precipitation_after_step', LIMITS.toldFault, drawPrecipitation),
  defineMelt('flat', LIMITS.nothingThere, drawFlat),
  defineMelt('sloping', LIMITS.nothingThere, drawSloping),
];
