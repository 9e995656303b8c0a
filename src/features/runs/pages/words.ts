/** Words of stored runs. */
import type { Output } from '#core/operation.ts';
import type { getLabRun, listLabRuns } from '../run-contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';

export type Run = Output<typeof getLabRun>;
export type RunItem = Output<typeof listLabRuns>['items'][number];

export const RUN_STATES: Readonly<Record<RunItem['status'], readonly [words: string, tone: string]>> = {
  planned: ['Planned', 'yours'],
  running: ['Running', 'moving'],
  complete: ['Raw data complete', 'good'],
  canceled: ['Canceled', 'idle'],
};

/** Whether its orders were moved to production, so that it has raw files. */
export const hasStarted = ({ status }: Pick<RunItem, 'status'>): boolean =>
  status === 'running' || status === 'complete';

export function renderRunChip(status: RunItem['status']): Markup {
  const [words, tone] = RUN_STATES[status];
  return markup`<span class="chip ${tone}">${words}</span>`;
}

/** Such as `Affinity BLI`. */
export function describeAssay({
  experiment_type: type,
  method,
}: Pick<RunItem, 'experiment_type' | 'method'>): string {
  return [toSentenceCase(type), method?.toUpperCase() ?? ''].filter((part) => part !== '').join(' ');
}
