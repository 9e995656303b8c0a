/** The design of a kinetic run: the doses, the rates, the steps, the noise, as laboratories choose and meet them. */
import type { Dice } from './dice.ts';

export interface Design {
  readonly technique: 'bli' | 'spr';
  readonly isBinder: boolean;
  readonly kdM: number;
  readonly konPerMS: number;
  readonly koffPerS: number;
  readonly dosesM: readonly number[];
  readonly rmax: number;
  readonly noise: number;
  readonly hz: number;
  readonly baselineS: number;
  readonly associationS: number;
  readonly dissociationS: number;
  readonly decimals: number;
  /** Unloaded sensors in the same doses. */
  readonly hasReference: boolean;
  readonly hasBlank: boolean;
  readonly hasControl: boolean;
}

export interface Wish {
  readonly technique: 'bli' | 'spr';
  readonly isBinder?: boolean;
  readonly hasReference?: boolean;
  readonly doses?: number;
  /** A KD within the doses and a complex that leaves within the window. */
  readonly isEasy?: boolean;
}

export function drawDesign(dice: Dice, wish: Wish): Design {
  const isBinder = wish.isBinder ?? dice.chance(0.78);
  const isBli = wish.technique === 'bli';
  const count = wish.doses ?? dice.integer(5, 8);
  const ratio = dice.pick([2, 2.5, 3, 3, 3.1623]);
  const middleM = dice.logUniform(3e-9, 3e-7);
  const dosesM = Array.from({ length: count }, (_, index) => middleM * ratio ** (index - (count - 1) / 2));
  const kdM = middleM * (wish.isEasy === true ? dice.logUniform(0.15, 6) : dice.logUniform(0.03, 30));
  const associationS = dice.pick(isBli ? [180, 300, 300, 600] : [120, 180, 240, 300]);
  const dissociationS = dice.pick(isBli ? [300, 600, 600, 900] : [300, 600, 600, 1200]);
  let koffPerS = wish.isEasy === true ? dice.logUniform(3e-4, 1e-2) : dice.logUniform(5e-5, 3e-2);
  if (koffPerS / kdM > 5e6) koffPerS = 5e6 * kdM;
  if (koffPerS / kdM < 2e3) koffPerS = 2e3 * kdM;
  const noise = isBli ? dice.logUniform(0.0008, 0.004) : dice.logUniform(0.05, 0.5);
  return {
    technique: wish.technique,
    isBinder,
    kdM,
    konPerMS: koffPerS / kdM,
    koffPerS,
    dosesM,
    rmax: noise * dice.logUniform(30, isBli ? 500 : 600),
    noise,
    hz: isBli ? dice.pick([0.5, 1, 2, 5]) : dice.pick([1, 1, 2]),
    baselineS: dice.pick(isBli ? [60, 60, 120] : [20, 40, 60]),
    associationS,
    dissociationS,
    decimals: isBli ? 5 : 4,
    hasReference: wish.hasReference ?? (isBli && dice.chance(0.7)),
    hasBlank: true,
    hasControl: isBli && dice.chance(0.5),
  };
}

/** Whether a lab would expect a measured KD: doses around KD, enough dissociation, enough signal. */
export function isSoundDesign(design: Design): boolean {
  const { dosesM, kdM, konPerMS, koffPerS, associationS, dissociationS } = design;
  const middleM = Math.sqrt((dosesM[0] ?? 0) * (dosesM.at(-1) ?? 0));
  const topM = dosesM.at(-1) ?? 0;
  const rate = konPerMS * topM + koffPerS;
  const top = design.rmax * (topM / (topM + kdM)) * (1 - Math.exp(-rate * associationS));
  const left = 1 - Math.exp(-koffPerS * dissociationS);
  const ratio = kdM / middleM;
  return design.isBinder && ratio >= 0.1 && ratio <= 10 && left >= 0.05 && top >= 20 * design.noise;
}
