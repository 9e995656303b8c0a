/** Says how many results come from plates on which a control failed, and why it did. */
import { hasFailedPlate, listPlateFailures } from '../words/failed-plate.ts';
import type { FactCollector } from './facts.ts';

export const tellFailedPlates = (): FactCollector => {
  const reasons = new Set<string>();
  let all = 0;
  let failed = 0;
  return {
    take({ qc }) {
      all += 1;
      if (!hasFailedPlate(qc.flags)) return;
      failed += 1;
      for (const reason of listPlateFailures(qc.details)) reasons.add(reason);
    },
    writeSentence: () =>
      failed === 0
        ? undefined
        : [
            `Results from a plate on which a control failed: ${failed} of ${all}. Measure them on another plate before you rely on them.`,
            ...reasons,
          ].join(' '),
  };
};
