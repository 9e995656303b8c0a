/** Reports the progress of a long analysis in the feed of its experiment, without delaying the analysis. */
import type { Progress } from '#analysis/pool/pool.ts';
import type { Work } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { lockExperiment, type ExperimentRow } from '../../experiments/store.ts';
import { ANALYSIS_PROGRESS } from '../../updates/details.ts';
import { addUpdate } from '../../experiments/transition-experiment.ts';

/** Shorter analyses report nothing. */
const SAID_EVERY_MS = 15_000;

/** Runs `analyze`; what it reports is written down while the experiment is in analysis. */
export async function withProgress<T>(
  work: Work,
  database: Database,
  experiment: ExperimentRow,
  analyze: (onProgress: Progress) => Promise<T>,
): Promise<T> {
  let saidAtMs = work.clock.readMonotonicMs();
  let saying = Promise.resolve();
  const onProgress = (done: number, total: number): void => {
    const nowMs = work.clock.readMonotonicMs();
    if (done === 0 || done >= total || nowMs - saidAtMs < SAID_EVERY_MS) return;
    saidAtMs = nowMs;
    // A failed progress update must not stop the analysis.
    saying = saying
      .then(() => database.runTransaction((tx) => addProgressUpdate(work, tx, experiment, { done, total })))
      .catch(() => undefined);
  };
  try {
    return await analyze(onProgress);
  } finally {
    await saying;
  }
}

async function addProgressUpdate(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { done, total }: { readonly done: number; readonly total: number },
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const current = await lockExperiment(scope, tx, experiment.id);
  if (current?.status !== 'data_analysis') return;
  await addUpdate(work, tx, current, {
    event: 'analysis.progressed',
    name: ANALYSIS_PROGRESS,
    actor: 'lab',
    description: `${done} of ${formatCount(total, 'file')} analyzed.`,
  });
}
