/** Follows an experiment to its end: every update, and between updates who acts next. */
import { systemClock } from '#core/clock.ts';
import { formatCount } from '#core/words.ts';
import { experimentStatuses, describeTurn } from '#core/lifecycle.ts';
import type { ExpInfo } from '#features/experiments/contract.ts';
import { getExperimentTurn } from '#features/experiments/turn.ts';
import type { Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { formatExperimentPath } from './purchase.ts';
import { toPlainText } from './terminal.ts';
import { UpdateStream, type Update } from './update-stream.ts';
import { formatStatus } from './words.ts';

export type Experiment = Pick<
  ExpInfo,
  'code' | 'name' | 'status' | 'waiting_on' | 'experiment_url' | 'costs' | 'target_name' | 'sequences'
>;

export interface Watcher {
  /** Called for each update; `experiment` is its current state. */
  onUpdate(update: Update, experiment: Experiment): void;
  /** Called several times a second, for animations. */
  onTick(experiment: Experiment, sinceMs: number): void;
  /** Called when the service does not answer. */
  onTrouble(sentence: string): void;
}

const readNowMs = (): number => systemClock.readMonotonicMs();

const TICK_MS = 100;

export function readExperiment(api: Api, code: string): Promise<Experiment> {
  const members = 'code status name? experiment_url waiting_on.awaiting sequences[]:object costs?:object';
  return api.get<Experiment>(formatExperimentPath(code), members);
}

/** Follows until the experiment is done or canceled; `timeoutMs` bounds the wait. */
export async function followExperiment(
  api: Api,
  code: string,
  watcher: Watcher,
  timeoutMs = Infinity,
): Promise<Experiment> {
  const startMs = readNowMs();
  let experiment = await readExperiment(api, code);
  const updates = new UpdateStream(api, experiment.code, () =>
    watcher.onTrouble('The service does not answer; trying again.'),
  );
  try {
    for (;;) {
      const fresh = await updates.take(TICK_MS);
      if (fresh.length > 0) experiment = await updates.repeat(() => readExperiment(api, code));
      for (const update of fresh) watcher.onUpdate(update, experiment);
      if (isOver(experiment)) {
        // The last step may bring several updates, which are there when its status is.
        for (const update of await updates.repeat(() => updates.readRest()))
          watcher.onUpdate(update, experiment);
        return experiment;
      }
      if (readNowMs() - startMs > timeoutMs)
        throw new CommandError(
          `${code} is not finished after ${formatCount(Math.round(timeoutMs / 1_000), 'second')}: it is ${formatStatus(experiment.status)} (${formatTurn(experiment)}).`,
        );
      watcher.onTick(experiment, readNowMs() - startMs);
    }
  } finally {
    updates.stop();
  }
}

function isOver({ status }: Experiment): boolean {
  return status === 'done' || status === 'canceled';
}

const isKnownStatus = (status: string): boolean => experimentStatuses.some((each) => each === status);

const LAST_STEP = experimentStatuses.indexOf('done');

/** Progress from draft to done, 0 to 1. */
export function computeProgress({ status }: Pick<Experiment, 'status'>): number {
  return status === 'canceled' ? 1 : experimentStatuses.indexOf(status) / LAST_STEP;
}

/** Such as `the lab: the assay runs`; the actor is omitted where the sentence contains it. */
export function formatTurn(experiment: Experiment): string {
  // A newer service may have a status that this program does not know; its own words say the rest.
  if (!isKnownStatus(experiment.status)) return toPlainText(experiment.waiting_on.awaiting);
  const turn = getExperimentTurn(experiment);
  const { actor, awaiting } = describeTurn(turn);
  if (actor === 'client') return `your turn: ${awaiting}`;
  return actor === null || 'does' in turn ? awaiting : `the ${actor}: ${awaiting}`;
}
