/** What the methods of a screen count in its records. */
import type { FactCollector } from '#features/results/package/facts.ts';
import { listRecords } from '#documents/records.ts';
import { CONTROLS_MIN } from './threshold.ts';

/** Says of how many plates the threshold rests on negative controls. */
export const tellNegativeControls = (): FactCollector => {
  const plates = new Map<string, number>();
  return {
    take({ analysis }) {
      for (const { plate, n_negative_controls: count } of listRecords(analysis.plates))
        if (typeof count === 'number') plates.set(String(plate), count);
    },
    writeSentence() {
      const counts = [...plates.values()];
      if (counts.length === 0) return undefined;
      const enough = counts.filter((count) => count >= CONTROLS_MIN).length;
      const rest = counts.length - enough;
      return `Plates by threshold: ${[
        ...(enough > 0
          ? [
              `${enough} from negative controls (${listRange(counts.filter((count) => count >= CONTROLS_MIN))} each)`,
            ]
          : []),
        ...(rest > 0 ? [`${rest} from the noise alone`] : []),
      ].join(', ')}.`;
    },
  };
};

function listRange(counts: readonly number[]): string {
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? String(low) : `${low}–${high}`;
}
