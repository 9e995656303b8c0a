import { baselineFamilies } from './baselines.ts';
import { cleanFamilies } from './clean.ts';
import type { Family } from './family.ts';
import { kineticFamilies } from './kinetics.ts';
import { nonBinderFamilies } from './non-binders.ts';
import { protocolFamilies } from './protocols.ts';
import { sampleFamilies } from './samples.ts';
import { screenFamilies } from './screens.ts';
import { surfaceFamilies } from './surfaces.ts';

export const FAMILIES: readonly Family[] = [
  ...cleanFamilies,
  ...kineticFamilies,
  ...baselineFamilies,
  ...surfaceFamilies,
  ...protocolFamilies,
  ...sampleFamilies,
  ...nonBinderFamilies,
  ...screenFamilies,
];

export function getFamily(name: string): Family {
  const family = FAMILIES.find((candidate) => candidate.name === name);
  if (family === undefined)
    throw new Error(`There is no family "${name}"; there are ${FAMILIES.map((one) => one.name).join(', ')}.`);
  return family;
}
