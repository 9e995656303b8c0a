import type { ResultCurves } from '#domain/results/store.ts';
import { writeMean, writeReplicates } from '../../figures/captions.ts';
import { formatKd, type Row } from '../../figures/measures.ts';
import { describeResult } from '../../words/results.ts';
import type { SensorgramWords } from '../binding/sensorgrams.ts';

export const affinityWords: SensorgramWords = {
  writeLine: describeResult,
  curves: 'sensorgrams',
  writeNumbers,
  writeReplicate,
  findThreshold: () => null,
};

function writeNumbers(result: ResultCurves): string {
  const { kd } = result.quantities;
  if (kd === undefined || kd.value === null) return writeReplicates(result);
  const own = result.replicates.some(
    ({ kd_app: interval }) => typeof interval === 'object' && interval !== null,
  );
  return `KD: ${writeMean('geometric', kd.n, typeof kd.ci95_low === 'number')}${own && kd.n !== 1 ? ' Above each plot: KD of the replicate (95% CI of its fit).' : ''}`;
}

function writeReplicate({ kd, kd_relation: relation, kd_app: interval, outcome }: Row): string {
  if (typeof kd !== 'number')
    return typeof outcome === 'string' && outcome !== 'measured' ? outcome.replaceAll('_', ' ') : '';
  const words = formatKd({
    value: kd,
    relation: typeof relation === 'string' ? relation : '=',
    ...getBounds(interval),
  });
  return words === undefined ? '' : `KD ${words}`;
}

function getBounds(interval: unknown): { ci95_low?: number; ci95_high?: number } {
  const fields = new Map<string, unknown>(Object.entries(interval ?? {}));
  const [low, high] = [fields.get('ci_low'), fields.get('ci_high')];
  return typeof low === 'number' && typeof high === 'number' ? { ci95_low: low, ci95_high: high } : {};
}
