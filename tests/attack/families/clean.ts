/** 1:1 binding as textbooks show it: correlated noise and the optical steps of wells, nothing else. */
import { drawDesign, type Technique } from '../instrument/design.ts';
import { recordRun } from '../instrument/record.ts';
import { makeCase, type Family } from './family.ts';

const SHARE_OFF_CENTER = 0.25;

function defineClean(technique: Technique): Family {
  return {
    name: `clean_${technique}`,
    assay: 'affinity',
    demand: `clean_${technique}`,
    draw: (random) => {
      const isOffCenter = random.hasLuck(SHARE_OFF_CENTER);
      const design = drawDesign(random, {
        technique,
        ...(isOffCenter ? { centering: [0.02, 50] as const, mustBeFirm: false } : {}),
      });
      return makeCase(random, design, recordRun(random, design));
    },
  };
}

/** All injections of ascending dose over one surface without regeneration (Karlsson et al. 2006, Anal. Biochem. 349, 136). */
const singleCycleClean: Family = {
  name: 'single_cycle_clean',
  assay: 'affinity',
  demand: 'clean_spr',
  draw: (random) => {
    const design = drawDesign(random, { technique: 'spr', isSingleCycle: true, hasReferences: false });
    return makeCase(random, design, recordRun(random, design));
  },
};

/** Every dose is 30 to 1,000 times KD: the surface saturates, and only rates tell KD. */
const farAboveKd: Family = {
  name: 'doses_far_above_kd',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { centering: [300, 3000], mustBeFirm: false });
    return makeCase(random, design, recordRun(random, design));
  },
};

/** The highest dose is far below KD: the curves tell kon times Rmax, not kon. */
const farBelowKd: Family = {
  name: 'doses_far_below_kd',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { centering: [0.0003, 0.01], mustBeFirm: false });
    return makeCase(random, design, recordRun(random, design));
  },
};

export const cleanFamilies: readonly Family[] = [
  defineClean('bli'),
  defineClean('spr'),
  singleCycleClean,
  farAboveKd,
  farBelowKd,
];
