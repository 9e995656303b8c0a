import { BLI_FAMILIES, type Family } from './families-bli.ts';
import type { Dice } from './dice.ts';
import { MELT_FAMILIES } from './families-melts.ts';
import { PLATE_FAMILIES } from './families-plates.ts';
import { SPR_FAMILIES } from './families-spr.ts';
import type { SimulatedRun } from './truth.ts';

const FAMILIES: Readonly<Record<string, Family>> = {
  ...BLI_FAMILIES,
  ...SPR_FAMILIES,
  ...MELT_FAMILIES,
  ...PLATE_FAMILIES,
};

/** Lists the families whose name begins so. */
export function findFamilies(begin: string): readonly string[] {
  return Object.keys(FAMILIES).filter((name) => name.startsWith(begin));
}

export function makeRun(family: string, dice: Dice): SimulatedRun {
  const build = FAMILIES[family];
  if (build === undefined) throw new Error(`no family ${family}`);
  return build(dice);
}
