/** Analytes that do not bind, on instruments as they are. */
import { drawDesign } from '../instrument/design.ts';
import { addJump, addOverTime, findDurationS } from '../instrument/faults.ts';
import { recordRun } from '../instrument/record.ts';
import { makeCase, type Family } from './family.ts';

/** Noise, and a drift of each sensor of up to fifty times the noise over the run. */
const nonBinder: Family = {
  name: 'non_binder',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { mustBeFirm: false });
    const recording = recordRun(random, design, { createSurface: null });
    const drift = random.hasLuck(0.3) ? 0 : design.noise * random.drawLog(1, 50) * random.drawSign();
    const ownShare = random.draw(0.1, 1);
    for (const curve of recording.curves) {
      const size = drift * (1 - ownShare + ownShare * random.drawNormal());
      addOverTime(curve, (elapsedS) => (size * elapsedS) / findDurationS(curve));
    }
    return makeCase(random, design, recording, { kdM: null, story: { drift, ownShare } });
  },
};

/** The baseline of one to three sensors jumps once, often while analyte flows. */
const nonBinderJump: Family = {
  name: 'non_binder_jump',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { mustBeFirm: false });
    const recording = recordRun(random, design, { createSurface: null });
    const found = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => {
      const curve = random.pick(recording.curves);
      const association = curve.steps.find(({ name }) => name === 'association');
      const atS =
        random.hasLuck(0.5) && association !== undefined
          ? random.draw(association.startS, association.endS)
          : random.draw(2, findDurationS(curve) - 2);
      const height = design.noise * random.drawLog(5, 100) * random.drawSign();
      addJump(curve, atS, height);
      return { trace: curve.trace, atS, height };
    });
    return makeCase(random, design, recording, { kdM: null, story: { jumps: found } });
  },
};

export const nonBinderFamilies: readonly Family[] = [nonBinder, nonBinderJump];
