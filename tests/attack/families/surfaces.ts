/** Surfaces that change or lie: ligand lost, dead or not regenerated, and analyte carried over. */
import { drawDesign } from '../instrument/design.ts';
import { recordRun } from '../instrument/record.ts';
import { createBleeding, createOneToOne } from '../physics/models.ts';
import { makeCase, type Family } from './family.ts';

const SPR_SHARE = 0.7;

/** SPR: each regeneration takes 1 to 10 % of the ligand. BLI: the ligand leaves its sensor during the run. */
const ligandLoss: Family = {
  name: 'ligand_loss',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const technique = random.hasLuck(SPR_SHARE) ? 'spr' : 'bli';
    const design = drawDesign(random, { technique });
    const { rates, rmax } = design;
    if (technique === 'spr') {
      const lost = random.drawLog(0.01, 0.1);
      const recording = recordRun(random, design, {
        createSurface: (dose) => createOneToOne(rates, (rmax[dose] ?? 0) * (1 - lost) ** Math.max(0, dose)),
      });
      return makeCase(random, design, recording, { story: { lostPerCycle: lost } });
    }
    const loss = random.drawLog(1e-5, 2e-4);
    const ligandSignal = random.draw(0.5, 3);
    const recording = recordRun(random, design, {
      createSurface: (dose) => createBleeding(rates, rmax[dose] ?? 0, loss, ligandSignal),
    });
    return makeCase(random, design, recording, { story: { lossPerS: loss, ligandSignal } });
  },
};

/** Most of the ligand is denatured: one sensor of a BLI series, or the SPR surface as a whole. */
const deadLigand: Family = {
  name: 'dead_ligand',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const active = random.drawLog(0.01, 0.4);
    const dead = random.drawInteger(0, design.dosesM.length - 1);
    const recording = recordRun(random, design, {
      createSurface: (dose) => {
        const isDead = design.technique === 'spr' || dose === dead;
        return createOneToOne(design.rates, (design.rmax[dose] ?? 0) * (isDead ? active : 1));
      },
    });
    const dimmed = {
      ...design,
      rmax: design.rmax.map((rmax, dose) =>
        design.technique === 'spr' || dose === dead ? rmax * active : rmax,
      ),
    };
    return makeCase(random, dimmed, recording, { story: { active, dead } });
  },
};

/**
 * SPR: complex of the cycle before is left when a cycle begins, and goes on dissociating. BLI: buffer wells that were
 * used before contain analyte.
 */
const carryOver: Family = {
  name: 'carry_over',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const { rates, rmax, dosesM } = design;
    if (design.technique === 'bli') {
      const remainder = random.drawLog(0.001, 0.03);
      return makeCase(random, design, recordRun(random, design, { remainder }), { story: { remainder } });
    }
    const left = random.drawLog(0.02, 0.3);
    const recording = recordRun(random, design, {
      createSurface: (dose) => {
        const surface = rmax[Math.max(0, dose)] ?? 0;
        const before = dosesM[dose - 1] ?? 0;
        const start = (left * surface * before) / (before + rates.koff / rates.kon);
        return createOneToOne(rates, surface, start);
      },
    });
    return makeCase(random, design, recording, { story: { left } });
  },
};

export const surfaceFamilies: readonly Family[] = [ligandLoss, deadLigand, carryOver];
