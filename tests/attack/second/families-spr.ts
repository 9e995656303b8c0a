/** What SPR runs of real laboratories show, one fault a family, clean runs beside them. */
import { drawDesign } from './design.ts';
import type { Dice } from './dice.ts';
import type { Family } from './families-bli.ts';
import { runSpr } from './spr.ts';
import type { SimulatedRun } from './truth.ts';

const spr = { technique: 'spr' } as const;

function runMismatch(dice: Dice, isBinder?: boolean): SimulatedRun {
  const design = drawDesign(dice, { ...spr, isEasy: true, ...(isBinder === undefined ? {} : { isBinder }) });
  const constant = dice.sign() * design.rmax * dice.logUniform(0.01, 0.5);
  const atTop = dice.sign() * design.rmax * dice.logUniform(0.01, 0.5);
  const mismatch = { constant, atTop, jitter: Math.abs(constant) * dice.uniform(0, 0.4) };
  return runSpr(dice, design, { mismatch, chemistry: { dispersionS: dice.uniform(0.3, 1.5) } }, { mismatch });
}

function runRegeneration(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...spr, isEasy: true });
  const leftOver = dice.uniform(0, 0.5);
  const lossPerCycle = dice.uniform(0, 0.05);
  const recovery = { height: -design.rmax * dice.logUniform(0.01, 0.3), tauS: dice.logUniform(20, 120) };
  return runSpr(dice, design, { leftOver, lossPerCycle, recovery }, { leftOver, lossPerCycle, recovery });
}

function runAggregates(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...spr, isBinder: true, isEasy: true });
  const share = dice.logUniform(0.03, 0.4);
  const topM = design.dosesM.at(-1) ?? 1e-7;
  const aggregates = {
    depositPerMS: share / (topM * design.associationS),
    leavePerS: 0.003,
    stayingShare: dice.uniform(0.2, 0.9),
  };
  return runSpr(dice, design, { chemistry: { aggregates } }, { share, aggregates });
}

function runAvidity(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...spr, isBinder: true, isEasy: true });
  const crosslinkPerS = design.koffPerS * dice.logUniform(0.3, 30);
  const made = runSpr(dice, design, { chemistry: { crosslinkPerS } }, { crosslinkPerS });
  const { kdM } = design;
  return {
    ...made,
    subjects: made.subjects.map(({ name, quantity, isSound }) => ({
      name,
      quantity,
      isSound,
      truth: { low: kdM / 2, high: kdM },
    })),
  };
}

function runTemperature(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...spr, isEasy: true });
  const swing = dice.uniform(0.1, 1.5);
  const periodS = dice.uniform(600, 5000);
  const warm = (timeS: number) => {
    const celsius = swing * Math.sin((2 * Math.PI * timeS) / periodS);
    return { kon: Math.exp(0.03 * celsius), koff: Math.exp(0.09 * celsius) };
  };
  const wavePerC = { height: swing * design.rmax * 0.02, periodS };
  return runSpr(dice, design, { chemistry: { warm }, wavePerC }, { swing, periodS });
}

export const SPR_FAMILIES: Readonly<Record<string, Family>> = {
  'spr-clean-cycles': (dice) => runSpr(dice, drawDesign(dice, spr), {}, {}),
  'spr-clean-single': (dice) => runSpr(dice, drawDesign(dice, spr), { isSingleCycle: true }, {}),
  'spr-mismatch': (dice) => runMismatch(dice),
  'spr-mismatch-nonbinder': (dice) => runMismatch(dice, false),
  'spr-regeneration': runRegeneration,
  'spr-air-spikes': (dice) => {
    const design = drawDesign(dice, { ...spr, isEasy: true });
    const spikes = design.rmax * dice.logUniform(0.05, 2);
    const bubbles = dice.chance(0.5) ? design.rmax * dice.logUniform(0.1, 1) : undefined;
    return runSpr(
      dice,
      design,
      { spikes, ...(bubbles === undefined ? {} : { bubbles }) },
      { spikes, bubbles },
    );
  },
  'spr-dispersion': (dice) => {
    const dispersionS = dice.uniform(1, 5);
    const isSingleCycle = dice.chance(0.3);
    const design = drawDesign(dice, { ...spr, isEasy: true });
    return runSpr(
      dice,
      design,
      { isSingleCycle, chemistry: { dispersionS } },
      { dispersionS, isSingleCycle },
    );
  },
  'spr-aggregates': runAggregates,
  'spr-avidity': runAvidity,
  'spr-sticky-analyte': (dice) => {
    const stick = { share: dice.logUniform(0.03, 0.6) };
    return runSpr(dice, drawDesign(dice, { ...spr, isEasy: true }), { stick }, { stick });
  },
  'spr-temperature': runTemperature,
  'spr-exported': (dice) => {
    const hz = dice.pick([0.2, 0.5, 1, 5, 10]);
    const design = { ...drawDesign(dice, { ...spr, isEasy: true, doses: 5 }), hz };
    const smoothing = dice.chance(0.5) ? dice.pick([5, 11]) : undefined;
    const decimals = dice.pick([1, 2, 3]);
    return runSpr(
      dice,
      design,
      { isXy: true, decimals, ...(smoothing === undefined ? {} : { smoothing }) },
      { hz, smoothing },
    );
  },
  'spr-late-dissociation': (dice) => {
    const lateS = dice.logUniform(1, 10);
    return runSpr(dice, drawDesign(dice, { ...spr, isEasy: true }), { lateS }, { lateS });
  },
  'spr-mistyped-dose': (dice) => {
    const design = drawDesign(dice, { ...spr, isEasy: true });
    const wrong = dice.integer(0, design.dosesM.length - 1);
    const factor = dice.pick([0.1, 0.3, 3, 10]);
    const trueDosesM = design.dosesM.map((dose, at) => (at === wrong ? dose * factor : dose));
    return runSpr(dice, design, { trueDosesM, statedDosesM: design.dosesM }, { wrong, factor });
  },
  'spr-single-carry-over': (dice) => {
    const design = drawDesign(dice, { ...spr, isEasy: true });
    const recovery = {
      height: design.rmax * dice.sign() * dice.logUniform(0.02, 0.3),
      tauS: dice.logUniform(20, 200),
    };
    const driftPerS = dice.normal(design.rmax * 3e-5);
    const faults = { isSingleCycle: true, recovery, driftPerS, lateS: dice.uniform(0, 3) };
    return runSpr(dice, design, faults, faults);
  },
};
