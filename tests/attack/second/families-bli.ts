/** What BLI plates of real laboratories show, one fault a family, clean plates beside them. */
import { runBli } from './bli.ts';
import { drawDesign } from './design.ts';
import type { Dice } from './dice.ts';
import type { SimulatedRun } from './truth.ts';

export type Family = (dice: Dice) => SimulatedRun;

const bli = { technique: 'bli' } as const;

function drawTransient(dice: Dice, share: number) {
  return () => ({ share: dice.sign() * dice.logUniform(share / 5, share), tauS: dice.logUniform(20, 200) });
}

function runAggregates(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isBinder: true, isEasy: true });
  const share = dice.logUniform(0.03, 0.4);
  const stayingShare = dice.uniform(0.2, 0.9);
  const topM = design.dosesM.at(-1) ?? 1e-7;
  const depositPerMS = share / (topM * design.associationS);
  const aggregates = { depositPerMS, leavePerS: 0.003, stayingShare };
  return runBli(dice, design, { chemistry: { aggregates } }, { share, stayingShare });
}

function runAvidity(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isBinder: true, isEasy: true });
  const crosslinkPerS = design.koffPerS * dice.logUniform(0.3, 30);
  const made = runBli(dice, design, { chemistry: { crosslinkPerS } }, { crosslinkPerS });
  const { kdM } = design;
  // Two arms land twice as often: both the KD of an arm and half of it are a right answer.
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

function runSwapped(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isEasy: true });
  const trueDosesM = [...design.dosesM];
  const first = dice.integer(0, trueDosesM.length - 2);
  const second = dice.integer(first + 1, trueDosesM.length - 1);
  [trueDosesM[first], trueDosesM[second]] = [trueDosesM[second] ?? 0, trueDosesM[first] ?? 0];
  return runBli(dice, design, { trueDosesM, statedDosesM: design.dosesM }, { first, second });
}

function runMistyped(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isEasy: true });
  const wrong = dice.integer(0, design.dosesM.length - 1);
  const factor = dice.pick([0.1, 0.3, 3, 10]);
  const trueDosesM = design.dosesM.map((dose, at) => (at === wrong ? dose * factor : dose));
  return runBli(dice, design, { trueDosesM, statedDosesM: design.dosesM }, { wrong, factor });
}

function runRepeated(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isEasy: true });
  const missing = dice.integer(1, design.dosesM.length - 2);
  const doses = design.dosesM.filter((_, at) => at !== missing);
  const again = dice.pick(doses);
  const all = dice.chance(0.5) ? [...doses, again] : doses;
  return runBli(dice, design, { trueDosesM: all }, { missing, again });
}

function runTemperature(dice: Dice): SimulatedRun {
  const design = drawDesign(dice, { ...bli, isEasy: true });
  const warming = dice.uniform(-2, 2);
  const lengthS = design.associationS + design.dissociationS;
  const warm = (timeS: number) => {
    const celsius = warming * (timeS / lengthS - 0.5);
    return { kon: Math.exp(0.03 * celsius), koff: Math.exp(0.09 * celsius) };
  };
  const perTip = (warming * design.rmax * 0.01) / lengthS;
  return runBli(
    dice,
    design,
    { chemistry: { warm }, driftPerS: () => perTip * dice.uniform(0.6, 1.4) },
    { warming },
  );
}

export const BLI_FAMILIES: Readonly<Record<string, Family>> = {
  'bli-clean-reference': (dice) => runBli(dice, drawDesign(dice, { ...bli, hasReference: true }), {}, {}),
  'bli-clean-bare': (dice) => runBli(dice, drawDesign(dice, { ...bli, hasReference: false }), {}, {}),
  'bli-dried-tips': (dice) => {
    const share = dice.logUniform(0.02, 0.15);
    const leachPerS = dice.logUniform(3e-6, 1e-4);
    const faults = { chemistry: { leachPerS }, transient: drawTransient(dice, share) };
    return runBli(dice, drawDesign(dice, { ...bli, isEasy: true }), faults, { share, leachPerS });
  },
  'bli-uneven-tips': (dice) => {
    const sensitivitySd = dice.logUniform(0.05, 0.25);
    return runBli(dice, drawDesign(dice, { ...bli, isEasy: true }), { sensitivitySd }, { sensitivitySd });
  },
  'bli-swapped-wells': runSwapped,
  'bli-loaded-reference': (dice) => {
    const referenceLoaded = dice.logUniform(0.05, 1);
    const design = drawDesign(dice, { ...bli, hasReference: true, isEasy: true });
    return runBli(dice, design, { referenceLoaded }, { referenceLoaded });
  },
  'bli-evaporation': (dice) => {
    const isEvaporating = dice.uniform(0, 0.25);
    const chemistry = { evaporationPerS: dice.logUniform(1e-5, 1.5e-4) };
    return runBli(
      dice,
      drawDesign(dice, { ...bli, isEasy: true }),
      { chemistry, isEvaporating },
      { isEvaporating },
    );
  },
  'bli-depletion': (dice) => {
    const design = drawDesign(dice, { ...bli, isBinder: true, isEasy: true });
    const sitesM = (design.dosesM[0] ?? 1e-9) * dice.logUniform(0.05, 5);
    return runBli(dice, design, { chemistry: { sitesM } }, { sitesM });
  },
  'bli-aggregates': runAggregates,
  'bli-avidity': runAvidity,
  'bli-rebinding': (dice) => {
    const damkohler = dice.logUniform(0.1, 5);
    const design = drawDesign(dice, { ...bli, isBinder: true, isEasy: true });
    return runBli(dice, design, { chemistry: { damkohler } }, { damkohler });
  },
  'bli-sticky-analyte': (dice) => {
    const stick = {
      share: dice.logUniform(0.05, 1),
      power: dice.uniform(0.8, 1.3),
      leavePerS: dice.logUniform(0.003, 0.1),
    };
    return runBli(dice, drawDesign(dice, { ...bli, isEasy: true }), { stick }, { stick });
  },
  'bli-temperature': runTemperature,
  'bli-rounded': (dice) => {
    const drawn = drawDesign(dice, { ...bli, isEasy: true });
    const design = { ...drawn, noise: dice.logUniform(0.0002, 0.001), rmax: dice.logUniform(0.03, 0.3) };
    return runBli(dice, design, { decimals: 3 }, {});
  },
  'bli-smoothed': (dice) => {
    const smoothing = dice.pick([5, 11, 21, 31]);
    return runBli(dice, drawDesign(dice, { ...bli, isEasy: true }), { smoothing }, { smoothing });
  },
  'bli-late-dissociation': (dice) => {
    const lateS = dice.logUniform(1, 12);
    return runBli(dice, drawDesign(dice, { ...bli, isEasy: true }), { lateS }, { lateS });
  },
  'bli-repeated-missing': runRepeated,
  'bli-mistyped-dose': runMistyped,
  'bli-dead-control': (dice) => {
    const design = { ...drawDesign(dice, { ...bli, isEasy: true }), hasControl: true };
    return runBli(dice, design, { controlDied: true }, {});
  },
  'bli-jump-nonbinder': (dice) => {
    const design = drawDesign(dice, { ...bli, isBinder: false });
    const jump = {
      tip: dice.integer(0, design.dosesM.length - 1),
      height: design.noise * dice.logUniform(10, 100),
      atS: dice.uniform(0, design.associationS),
    };
    return runBli(dice, design, { jump }, { jump });
  },
  'bli-settling-nonbinder': (dice) => {
    const share = dice.logUniform(0.03, 0.3);
    const design = drawDesign(dice, { ...bli, isBinder: false });
    return runBli(dice, design, { transient: drawTransient(dice, share) }, { share });
  },
  'bli-sticky-nonbinder': (dice) => {
    const design = drawDesign(dice, { ...bli, isBinder: false });
    const stick = {
      share: dice.logUniform(0.05, 1),
      power: dice.uniform(0.7, 1.2),
      leavePerS: dice.logUniform(0.001, 0.1),
    };
    return runBli(dice, design, { stick }, { stick });
  },
};
