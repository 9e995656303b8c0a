/** Follows an experiment to its end: every update, and between updates who acts next. */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#core/clock.ts';
import { experimentStatuses, writeTurn } from '#core/lifecycle.ts';
import type { Static } from '#core/schema.ts';
import type { ExpInfo } from '#domain/experiments/contract.ts';
import { getExperimentTurn } from '#domain/experiments/turn.ts';
import type { UpdateItem } from '#domain/updates/contract.ts';
import { RefusedError, UnreachableError, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { formatExperimentPath } from './purchase.ts';
import { formatCount } from './words.ts';

export type Update = Static<typeof UpdateItem>;
export type Experiment = Pick<
  ExpInfo,
  'code' | 'name' | 'status' | 'waiting_on' | 'experiment_url' | 'costs' | 'target_name' | 'sequences'
>;

export interface Watcher {
  /** Called for each update; `experiment` is its present state. */
  onUpdate(update: Update, experiment: Experiment): void;
  /** Called several times a second, for animations. */
  onTick(experiment: Experiment, sinceMs: number): void;
  /** Called when the service does not answer. */
  onTrouble(sentence: string): void;
}

const readNowMs = (): number => systemClock.readMonotonicMs();

const QUICK_POLL_MS = 400;
const CALM_POLL_MS = 5_000;
/** After a minute without updates the polling becomes slower. */
const CALM_AFTER_MS = 60_000;
const TICK_MS = 100;
const TROUBLE_MAX_MS = 120_000;
/** Each request overlaps the one before by this many updates, because two may be recorded at the same time. */
const OVERLAP = 20;

/** Follows until the experiment is done or canceled; `timeoutMs` bounds the wait. */
export async function followExperiment(
  api: Api,
  code: string,
  watcher: Watcher,
  timeoutMs = Infinity,
): Promise<Experiment> {
  const startMs = readNowMs();
  const seen = new Set<string>();
  let experiment = await api.get<Experiment>(formatExperimentPath(code));
  let newsMs = startMs;
  let answeredMs = startMs;
  for (;;) {
    try {
      const fresh = await listFreshUpdates(api, code, seen);
      if (fresh.length > 0) {
        experiment = await api.get<Experiment>(formatExperimentPath(code));
        newsMs = readNowMs();
      }
      for (const update of fresh) {
        seen.add(update.id);
        watcher.onUpdate(update, experiment);
      }
      answeredMs = readNowMs();
      if (isOver(experiment) && fresh.length === 0) return experiment;
    } catch (error) {
      if (!isPassing(error) || readNowMs() - answeredMs > TROUBLE_MAX_MS) throw error;
      watcher.onTrouble('The service does not answer; trying again.');
    }
    if (readNowMs() - startMs > timeoutMs)
      throw new CommandError(
        `${code} is not finished after ${formatCount(Math.round(timeoutMs / 1_000), 'second')}.`,
      );
    const pauseMs = readNowMs() - newsMs > CALM_AFTER_MS ? CALM_POLL_MS : QUICK_POLL_MS;
    await pause(pauseMs, () => watcher.onTick(experiment, readNowMs() - startMs));
  }
}

async function listFreshUpdates(api: Api, code: string, seen: ReadonlySet<string>): Promise<Update[]> {
  const from = Math.max(0, seen.size - OVERLAP);
  const { items } = await api.list<Update>(formatExperimentPath(code, '/updates'), from);
  return items.filter(({ id }) => !seen.has(id));
}

function isOver({ status }: Experiment): boolean {
  return status === 'done' || status === 'canceled';
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof UnreachableError ||
    (error instanceof RefusedError && (error.status >= 500 || error.status === 429))
  );
}

async function pause(durationMs: number, tick: () => void): Promise<void> {
  const endMs = readNowMs() + durationMs;
  for (;;) {
    tick();
    const leftMs = endMs - readNowMs();
    if (leftMs <= 0) return;
    await wait(Math.min(TICK_MS, leftMs));
  }
}

const LAST_STEP = experimentStatuses.indexOf('done');

/** Progress from draft to done, 0 to 1. */
export function computeProgress({ status }: Pick<Experiment, 'status'>): number {
  return status === 'canceled' ? 1 : experimentStatuses.indexOf(status) / LAST_STEP;
}

/** Such as `the lab: the assay runs`; the actor is omitted where the sentence contains it. */
export function formatTurn(experiment: Experiment): string {
  const turn = getExperimentTurn(experiment);
  const { actor, awaiting } = writeTurn(turn);
  if (actor === 'client') return `your turn: ${awaiting}`;
  return actor === null || 'does' in turn ? awaiting : `the ${actor}: ${awaiting}`;
}
