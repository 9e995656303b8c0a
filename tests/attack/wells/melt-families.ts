/** Melts of proteins that unfold, from clean to barely measurable. */
import { LIMITS, limitKept, type Limits, type SimulatedRun, type WellsFamily } from './family.ts';
import { decideOutcomes } from './judge.ts';
import {
  chooseToleranceC,
  computeDyeSignal,
  computeEquilibriumSignal,
  createScan,
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
import { createRandom, type Random } from './random.ts';
import { computeWidthC, findHalfC, integrateLoss, type Transition } from './unfolding.ts';

export function defineMelt(
  name: string,
  limits: Limits,
  draw: (random: Random) => SimulatedRun,
): WellsFamily {
  return { name, limits, judge: decideOutcomes, simulate: (seed) => draw(createRandom(`${name}:${seed}`)) };
}

/** Draws wells in equilibrium: the same protein, a Tm that differs a little from well to well. */
export function drawEquilibrium(
  random: Random,
  scan: Scan,
  steps: readonly Transition[],
  optics: Optics,
  { weights = [1], signalToNoise }: { weights?: readonly number[]; signalToNoise: number },
): SimulatedRun {
  const [first] = steps;
  if (first === undefined) throw new RangeError('a melt has at least one transition');
  const noiseSd = optics.stepHeight / signalToNoise;
  const mayBeTable = optics.rises;
  const drawn = drawWells(random, { mayBeTable }, ({ shiftC, gain }) => {
    const shifted = steps.map((step) => ({ ...step, tmC: step.tmC + shiftC }));
    const factor = optics.channel === 'ratio' ? 1 : gain;
    const signal = computeEquilibriumSignal(scan, shifted, optics, weights).map((value) => factor * value);
    return { scan, channel: optics.channel, signal, noiseSd };
  });
  return createMeltSimulation(drawn, {
    tmC: first.tmC,
    toleranceC: chooseToleranceC(first),
    all: steps.map(({ tmC }) => tmC),
    facts: {
      dh_kcal: first.dhKcal,
      dcp_kcal_per_k: first.dcpKcalPerK,
      signal_to_noise: signalToNoise,
      rises: String(optics.rises),
    },
  });
}

function drawClean(random: Random): SimulatedRun {
  const scan = drawScan(random);
  return drawEquilibrium(random, scan, [drawTransition(random, scan)], drawIntrinsic(random), {
    signalToNoise: drawSignalToNoise(random),
  });
}

function drawCleanDye(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.2, 0.5, 1]);
  const transition = drawTransition(random, scan);
  const dye = drawDye(random);
  const loss = drawSlowLoss(random, transition.tmC);
  const signalToNoise = drawSignalToNoise(random);
  const drawn = drawWells(random, { mayBeTable: true }, ({ shiftC, gain }) => {
    const shifted = { ...transition, tmC: transition.tmC + shiftC };
    const { signal } = computeDyeSignal(scan, shifted, { ...loss, atC: loss.atC + shiftC }, dye);
    return {
      scan,
      channel: 'dye',
      signal: signal.map((value) => gain * value),
      noiseSd: dye.counts / signalToNoise,
    };
  });
  return createMeltSimulation(drawn, {
    tmC: computeDyeSignal(scan, transition, loss, dye).halfC,
    toleranceC: chooseToleranceC(transition),
    facts: { dh_kcal: transition.dhKcal, signal_to_noise: signalToNoise, dimming: dye.dimming },
  });
}

/** Transitions that an eye tells apart: steep ones, each with a good part of the step. */
function drawSteps(random: Random, tms: readonly number[]): { steps: Transition[]; weights: number[] } {
  const steps = tms.map((tmC) => {
    const dhKcal = random.uniform(110, 180);
    return { tmC, dhKcal, dcpKcalPerK: drawHeatCapacity(random, dhKcal) };
  });
  const parts = tms.map(() => random.uniform(0.6, 1.4));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return { steps, weights: parts.map((part) => part / whole) };
}

const NAMED_TMS_C = [50, 62, 74];

function drawNamedThree(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.1, 0.2, 0.5]);
  const { steps, weights } = drawSteps(random, NAMED_TMS_C);
  return drawEquilibrium(random, scan, steps, drawIntrinsic(random), { weights, signalToNoise: 200 });
}

function drawThree(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.1, 0.2, 0.5]);
  const first = random.uniform(40, 52);
  const second = first + random.uniform(11, 16);
  const { steps, weights } = drawSteps(random, [first, second, second + random.uniform(11, 16)]);
  const signalToNoise = random.logUniform(150, 800);
  return drawEquilibrium(random, scan, steps, drawIntrinsic(random), { weights, signalToNoise });
}

function drawTwo(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.1, 0.2, 0.5]);
  const first = random.uniform(40, 58);
  const second = first + random.uniform(6, 22);
  const steps = [first, second].map((tmC) => {
    const dhKcal = random.uniform(80, 180);
    return { tmC, dhKcal, dcpKcalPerK: drawHeatCapacity(random, dhKcal) };
  });
  const part = random.uniform(0.2, 0.8);
  return drawEquilibrium(random, scan, steps, drawIntrinsic(random), {
    weights: [part, 1 - part],
    signalToNoise: random.logUniform(60, 600),
  });
}

function drawNoisy(random: Random): SimulatedRun {
  const scan = drawScan(random, [0.1, 0.2, 0.3, 0.5]);
  const transition = drawTransition(random, scan, [100, 180]);
  return drawEquilibrium(random, scan, [transition], drawIntrinsic(random), { signalToNoise: 5 });
}

/** Tm from 5 °C outside of the scan to 4 °C inside. */
function drawAtEdge(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const { lowC, highC } = findRange(scan);
  const insideC = random.uniform(-5, 4);
  const tmC = random.chance(0.5) ? lowC + insideC : highC - insideC;
  const dhKcal = random.uniform(60, 180);
  const transition = { tmC, dhKcal, dcpKcalPerK: drawHeatCapacity(random, dhKcal) };
  return drawEquilibrium(random, scan, [transition], drawIntrinsic(random), {
    signalToNoise: drawSignalToNoise(random),
  });
}

/** A short baseline on one side, a long one on the other. */
function drawShortBaseline(random: Random): SimulatedRun {
  const transition = { tmC: random.uniform(42, 75), dhKcal: random.uniform(80, 180), dcpKcalPerK: 0 };
  const dcpKcalPerK = drawHeatCapacity(random, transition.dhKcal);
  const width = computeWidthC(transition);
  const nearC = 2.5 * width + random.uniform(1, 5);
  const farC = random.uniform(20, 30);
  const [belowC, aboveC] = random.chance(0.5) ? [nearC, farC] : [farC, nearC];
  const stepC = random.pick([0.2, 0.5]);
  const startC = Math.round((transition.tmC - belowC) * 10) / 10;
  const scan = createScan(startC, transition.tmC + aboveC, stepC, 1);
  return drawEquilibrium(random, scan, [{ ...transition, dcpKcalPerK }], drawIntrinsic(random), {
    signalToNoise: random.logUniform(60, 600),
  });
}

/** Unfolded protein is lost while it is heated, and shines as unfolded protein does. */
function drawIrreversible(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan);
  const loss = {
    perMinute: random.logUniform(0.1, 5),
    atC: transition.tmC,
    activationKcal: random.uniform(30, 90),
  };
  const optics = drawIntrinsic(random);
  const signalToNoise = drawSignalToNoise(random);
  const melt = (shiftC: number) =>
    integrateLoss(
      scan.temperaturesC,
      { ...transition, tmC: transition.tmC + shiftC },
      { ...loss, atC: loss.atC + shiftC },
      scan.scanCPerMinute,
    );
  const drawn = drawWells(random, { mayBeTable: optics.rises }, ({ shiftC }) => {
    const { native } = melt(shiftC);
    const signal = scan.temperaturesC.map((temperatureC, i) => {
      const folded = native[i] ?? 0;
      return folded * optics.shine(0, temperatureC) + (1 - folded) * optics.shine(1, temperatureC);
    });
    return { scan, channel: optics.channel, signal, noiseSd: optics.stepHeight / signalToNoise };
  });
  return createMeltSimulation(drawn, {
    tmC: findHalfC(scan.temperaturesC, melt(0).native),
    toleranceC: chooseToleranceC(transition),
    facts: {
      dh_kcal: transition.dhKcal,
      loss_per_minute_at_tm: loss.perMinute,
      signal_to_noise: signalToNoise,
    },
  });
}

/** The brightness at 330 nm changes as well, so that the midpoint of the ratio is not that of the protein. */
function drawBrightnessShift(random: Random): SimulatedRun {
  const scan = drawScan(random);
  const transition = drawTransition(random, scan, [80, 180]);
  const nativeRatio = random.uniform(0.5, 0.9);
  const unfoldedRatio = nativeRatio + random.uniform(0.15, 0.5);
  const brightness = random.logUniform(0.4, 1.6);
  const signalToNoise = random.logUniform(100, 600);
  const drawn = drawWells(random, { mayBeTable: true }, ({ shiftC }) => {
    const shifted = { ...transition, tmC: transition.tmC + shiftC };
    const compute = (native: number, unfolded: number) =>
      computeEquilibriumSignal(scan, [shifted], {
        channel: '',
        rises: true,
        stepHeight: 1,
        shine: (unfoldedness) => native + (unfolded - native) * unfoldedness,
      });
    const at330 = compute(1, brightness);
    const at350 = compute(nativeRatio, unfoldedRatio * brightness);
    const signal = at350.map((value, i) => value / (at330[i] ?? 1));
    return { scan, channel: 'ratio', signal, noiseSd: (unfoldedRatio - nativeRatio) / signalToNoise };
  });
  return createMeltSimulation(drawn, {
    tmC: transition.tmC,
    toleranceC: chooseToleranceC(transition),
    facts: { dh_kcal: transition.dhKcal, brightness_330nm: brightness, signal_to_noise: signalToNoise },
  });
}

const allFound: Limits = { ...LIMITS.common, all_found: { share: 0.9, side: 'least' } };

export const MELT_FAMILIES: readonly WellsFamily[] = [
  defineMelt('clean_nanodsf', LIMITS.clean, drawClean),
  defineMelt('clean_dye', LIMITS.clean, drawCleanDye),
  defineMelt('three_transitions', allFound, drawNamedThree),
  defineMelt('three_transitions_random', LIMITS.common, drawThree),
  defineMelt('two_transitions', LIMITS.common, drawTwo),
  defineMelt('low_signal_to_noise', limitKept(0.9), drawNoisy),
  defineMelt('edge_of_range', LIMITS.common, drawAtEdge),
  defineMelt('few_points_one_side', LIMITS.common, drawShortBaseline),
  defineMelt('irreversible', LIMITS.common, drawIrreversible),
  defineMelt('ratio_brightness_shift', LIMITS.common, drawBrightnessShift),
];
