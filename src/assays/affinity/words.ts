import type { ResultCurves } from '#features/results/store.ts';
import { writeAggregate, writeReplicates } from '#features/results/figures/captions.ts';
import type { Row } from '#features/results/figures/measures.ts';
import { describeDoubt } from '../binding/candidates.ts';
import { formatReplicateOutcome } from '#features/results/words/models.ts';
import { formatReplicateKd } from '../binding/replicate-kd.ts';
import { describeResult } from '#features/results/words/results.ts';
import type { SensorgramWords } from '../binding/sensorgrams.ts';

export const affinityWords: SensorgramWords = {
  writeLine,
  curves: 'sensorgrams',
  writeNumbers,
  writeReplicate,
  findThreshold: () => null,
};

/** One KD in the headline would hide that the models disagree. */
function writeLine(result: ResultCurves): string {
  const doubt = result.outcome === 'measured' ? describeDoubt(result) : undefined;
  return doubt?.line ?? describeResult(result);
}

function writeNumbers(result: ResultCurves): string {
  const { kd } = result.quantities;
  if (kd === undefined || kd.value === null) return writeReplicates(result);
  const own = result.replicates.some(
    ({ kd_app: interval }) => typeof interval === 'object' && interval !== null,
  );
  const mean = writeAggregate(result, kd, {
    mean: 'geometric',
    member: 'kd',
    error: 'fit',
    amongLimits: 'mean',
  });
  return `KD: ${mean}${own && kd.n !== 1 ? ' Above each plot: KD of the replicate (95% CI of its fit).' : ''}`;
}

function writeReplicate(row: Row): string {
  const { kd, outcome } = row;
  if (typeof kd !== 'number')
    return typeof outcome === 'string' && outcome !== 'measured' ? formatReplicateOutcome(outcome) : '';
  const said = formatReplicateKd(row);
  if (said === undefined) return '';
  return `KD ${said.signed}${said.interval === undefined ? '' : ` (${said.interval})`}`;
}
