/** The KD of one replicate, which pages, figures and reviews write alike. */
import type { Row } from '#documents/records.ts';
import { formatMolar, type MolarText } from '#features/results/words/results.ts';

/** Returns undefined where the replicate has no KD. */
export function formatReplicateKd({
  kd,
  kd_relation: relation,
  kd_app: interval,
}: Row): MolarText | undefined {
  if (typeof kd !== 'number') return undefined;
  const { ci_low: low, ci_high: high }: Row = Object.fromEntries(Object.entries(interval ?? {}));
  return formatMolar({
    value: kd,
    relation: typeof relation === 'string' ? relation : '=',
    ...(typeof low === 'number' && typeof high === 'number' ? { ci95_low: low, ci95_high: high } : {}),
  });
}
