import type { SeedTarget } from './target-type.ts';
import { checkpointTargets } from './targets-checkpoint.ts';
import { growthFactorTargets } from './targets-growth-factor.ts';
import { interleukinTargets } from './targets-interleukin.ts';
import { modelTargets } from './targets-model.ts';
import { tumourTargets } from './targets-tumour.ts';
import { virusTargets } from './targets-virus.ts';

export type { SeedTarget } from './target-type.ts';

/**
 * The public catalogue that a new installation starts with.
 *
 * Source of every protein fact: the UniProtKB entry in `uniprotId` (https://www.uniprot.org), residue range
 * in `construct`. Ids are fixed so that documentation and scripts can name them.
 */
export const seedTargets: readonly SeedTarget[] = [
  ...tumourTargets,
  ...checkpointTargets,
  ...interleukinTargets,
  ...growthFactorTargets,
  ...virusTargets,
  ...modelTargets,
];
