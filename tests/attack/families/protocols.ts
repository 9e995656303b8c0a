/** What the file says is not what was done: times, doses, and single cycles with both. */
import { drawDesign } from '../instrument/design.ts';
import { addJump } from '../instrument/faults.ts';
import { recordRun } from '../instrument/record.ts';
import { findScale } from './baselines.ts';
import { makeCase, type Family } from './family.ts';

/** Analyte and buffer arrive after the times in the file, by the same delay or each by its own. */
function defineLate(name: string, demand: Family['demand'], range: readonly [number, number]): Family {
  return {
    name,
    assay: 'affinity',
    demand,
    draw: (random) => {
      const design = drawDesign(random);
      const start = random.draw(...range);
      const end = random.hasLuck(0.5) ? start : random.draw(...range);
      const recording = recordRun(random, design, { lagS: { start, end } });
      return makeCase(random, design, recording, { story: { start, end } });
    },
  };
}

function defineDoses(
  name: string,
  demand: Family['demand'],
  distort: (random: Parameters<Family['draw']>[0], dosesM: readonly number[]) => number[],
): Family {
  return {
    name,
    assay: 'affinity',
    demand,
    draw: (random) => {
      const design = drawDesign(random);
      const trueDosesM = distort(random, design.dosesM);
      const recording = recordRun(random, design, { trueDosesM });
      return makeCase(random, design, recording, { story: { trueDosesM } });
    },
  };
}

/** Injections arrive late, the needle brings some analyte of the one before, and the baseline jumps between them. */
const singleCycleHostile: Family = {
  name: 'single_cycle_late_start_carry_over',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { technique: 'spr', isSingleCycle: true, hasReferences: false });
    const start = random.draw(1, 5);
    const remainder = random.drawLog(0.001, 0.05);
    const recording = recordRun(random, design, { lagS: { start, end: start }, remainder });
    const cycle = recording.curves.find(({ dose }) => dose >= 0);
    const height = findScale(design) * random.drawLog(0.005, 0.05) * random.drawSign();
    const injections = cycle?.steps.filter(({ name }) => name === 'association') ?? [];
    const atS = random.pick(injections.slice(1)).startS - random.draw(2, 12);
    const hasJump = random.hasLuck(0.5);
    if (hasJump && cycle !== undefined) addJump(cycle, atS, height);
    return makeCase(random, design, recording, {
      story: { start, remainder, jump: hasJump ? { atS, height } : null },
    });
  },
};

export const protocolFamilies: readonly Family[] = [
  defineLate('late_start', 'hostile', [1, 5]),
  defineLate('mild_late_start', 'mild', [0.05, 1]),
  // A stock of wrong concentration: no curve can show it.
  defineDoses('wrong_doses_common', 'told', (random, dosesM) => {
    const factor = random.drawLog(1.4, 10) ** random.drawSign();
    return dosesM.map((dose) => dose * factor);
  }),
  // One dilution went wrong, and the ones after it were made from the stock.
  defineDoses('wrong_doses_single', 'hostile', (random, dosesM) => {
    const wrong = random.drawInteger(0, dosesM.length - 1);
    const factor = random.drawLog(1.5, 10) ** random.drawSign();
    return dosesM.map((dose, index) => (index === wrong ? dose * factor : dose));
  }),
  defineDoses('mild_doses', 'mild', (random, dosesM) =>
    dosesM.map((dose) => dose * (1 + random.draw(-0.05, 0.05))),
  ),
  singleCycleHostile,
];
