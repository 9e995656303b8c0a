/** Signals that move without binding: bulk steps, drift, jumps, and what the reference shows. */
import { drawDesign, findKd, type Design, type Wish } from '../instrument/design.ts';
import { addBulkStep, addJump, addOverTime, findDurationS } from '../instrument/faults.ts';
import { recordRun, type Recording } from '../instrument/record.ts';
import { createOneToOne } from '../physics/models.ts';
import type { Random } from '../physics/random.ts';
import { makeCase, type Family } from './family.ts';

/** The response of the highest dose at equilibrium, by which faults are measured. */
export function findScale(design: Design): number {
  const top = design.dosesM.at(-1) ?? 0;
  return ((design.rmax.at(-1) ?? 0) * top) / (top + findKd(design.rates));
}

/**
 * The buffer of the analyte is not the running buffer (DMSO, glycerol, salt): every injection has a step, the same in
 * each or growing with the dose (Davis & Wilson 2000, Anal. Biochem. 284, 348).
 */
const bulkStep: Family = {
  name: 'bulk_step',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const recording = recordRun(random, design);
    const height = findScale(design) * random.drawLog(0.02, 0.3) * random.drawSign();
    const isConstant = random.hasLuck(0.5);
    const top = design.dosesM.at(-1) ?? 1;
    const mixingS = design.technique === 'spr' ? random.draw(0.2, 1) : random.draw(0.1, 0.3);
    for (const curve of recording.curves) {
      if (curve.dose < 0 || curve.role === 'reference') continue;
      addBulkStep(
        curve,
        curve.statedM.map((dose) => height * (isConstant ? 1 : dose / top)),
        mixingS,
      );
    }
    return makeCase(random, design, recording, { story: { height, isConstant, mixingS } });
  },
};

/** Nothing binds; each injection has a step of the refractive index that grows with the dose. */
function defineRefractiveIndex(name: string, wish: Wish): Family {
  return {
    name,
    assay: 'affinity',
    demand: 'hostile',
    draw: (random) => {
      const design = drawDesign(random, { mustBeFirm: false, centering: [0.1, 10], ...wish });
      const recording = recordRun(random, design, { createSurface: null });
      const height = design.technique === 'spr' ? random.drawLog(2, 100) : random.drawLog(0.01, 0.3);
      const power = random.draw(0.7, 1.2);
      const mixingS = random.drawLog(0.2, 3);
      const top = design.dosesM.at(-1) ?? 1;
      for (const curve of recording.curves) {
        if (curve.dose < 0 || curve.role === 'reference') continue;
        addBulkStep(
          curve,
          curve.statedM.map((dose) => height * (dose / top) ** power),
          mixingS,
        );
      }
      return makeCase(random, design, recording, { kdM: null, story: { height, power, mixingS } });
    },
  };
}

/** Adds a drift of a common part, which references and blanks see, and a part of each sensor. */
function addDrifts(
  random: Random,
  recording: Recording,
  total: number,
  shape: (elapsedS: number, durationS: number) => number,
): number {
  const ownShare = random.draw(0.1, 1);
  for (const curve of recording.curves) {
    const size = total * (1 - ownShare + ownShare * random.drawNormal());
    const durationS = findDurationS(curve);
    addOverTime(curve, (elapsedS) => size * shape(elapsedS, durationS));
  }
  return ownShare;
}

function defineDrift(
  name: string,
  demand: Family['demand'],
  sizes: readonly [number, number],
  isExponential = false,
): Family {
  return {
    name,
    assay: 'affinity',
    demand,
    draw: (random) => {
      const design = drawDesign(random);
      const recording = recordRun(random, design);
      const share = random.drawLog(...sizes) * random.drawSign();
      const tauS = isExponential ? random.drawLog(60, 1500) : null;
      const ownShare = addDrifts(random, recording, share * findScale(design), (elapsedS, durationS) =>
        tauS === null
          ? elapsedS / durationS
          : (1 - Math.exp(-elapsedS / tauS)) / (1 - Math.exp(-durationS / tauS)),
      );
      return makeCase(random, design, recording, { story: { share, ownShare, tauS } });
    },
  };
}

/** One to three steps of the baseline that stay. */
const jumps: Family = {
  name: 'jumps',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const recording = recordRun(random, design);
    const found = Array.from({ length: random.drawInteger(1, 3) }, () => {
      const curve = random.pick(recording.curves);
      const atS = random.draw(5, findDurationS(curve) - 5);
      const height = findScale(design) * random.drawLog(0.03, 0.5) * random.drawSign();
      addJump(curve, atS, height);
      return { trace: curve.trace, atS, height };
    });
    return makeCase(random, design, recording, { story: { jumps: found } });
  },
};

/**
 * Analyte sticks to the reference as well as to the sample, by weak and fast contacts whose response follows the dose;
 * the sample has 0.5 to 1.5 times as much of them as the reference.
 */
const referenceBinds: Family = {
  name: 'reference_binds',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { hasReferences: true });
    const sticky = { kon: random.drawLog(1e2, 1e4), koff: random.drawLog(1e-3, 1e-1) };
    const top = design.dosesM.at(-1) ?? 1;
    const level = findScale(design) * random.drawLog(0.03, 0.6);
    const rmax = (level * (top + findKd(sticky))) / top;
    const matches = random.draw(0.5, 1.5);
    const createSticky = (factor: number) => createOneToOne(sticky, rmax * factor);
    const recording = recordRun(random, design, {
      createReference: () => createSticky(1),
      createSurface: (dose) => {
        const [own, other] = [createOneToOne(design.rates, design.rmax[dose] ?? 0), createSticky(matches)];
        return {
          start: [0, 0],
          derive: (state, concentrationM, change) => {
            own.derive(state.subarray(0, 1), concentrationM, change.subarray(0, 1));
            other.derive(state.subarray(1), concentrationM, change.subarray(1));
          },
          readSignal: (state) => (state[0] ?? 0) + (state[1] ?? 0),
          findFastestRate: (concentrationM) =>
            Math.max(own.findFastestRate(concentrationM), other.findFastestRate(concentrationM)),
        };
      },
    });
    return makeCase(random, design, recording, { story: { sticky, level, matches } });
  },
};

export const baselineFamilies: readonly Family[] = [
  bulkStep,
  defineRefractiveIndex('refractive_index_by_dose', {}),
  defineRefractiveIndex('single_cycle_refractive_index', {
    technique: 'spr',
    isSingleCycle: true,
    hasReferences: false,
  }),
  defineDrift('linear_drift', 'hostile', [0.05, 0.5]),
  defineDrift('mild_drift', 'mild', [0.005, 0.05]),
  defineDrift('exponential_drift', 'hostile', [0.05, 0.5], true),
  jumps,
  referenceBinds,
];
