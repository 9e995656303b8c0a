/** Decisions of staff on replicates, and who may end a review. */

export const decisions = ['accept', 'exclude', 'repeat'] as const;
export type DecisionName = (typeof decisions)[number];

/** One measurement of a sequence, or one curve of it, as its row in the results names it. */
export interface ReplicateKey {
  readonly sequence: string;
  readonly plate: string;
  readonly replicate: number;
  readonly well: string | null;
  /** Concentration in M of the one curve of it that is meant; null or absent for the whole replicate. */
  readonly concentration_m?: number | null;
}

export interface Decision extends ReplicateKey {
  readonly concentration_m: number | null;
  readonly decision: DecisionName;
  readonly reason: string | null;
  readonly decided_by: string;
  readonly created_at: string;
}

/** A replicate that does not count: excluded, or measured again. */
export type Exclusion = ReplicateKey & { readonly decision: 'exclude' | 'repeat'; readonly reason: string };

export function isExclusion(decision: Decision): decision is Decision & Exclusion {
  return decision.decision !== 'accept' && decision.reason !== null;
}

/**
 * Lists what the run in production measures again. A decision from before the end of the last completed run was carried
 * out by that run.
 */
export function listOpenRepeats<D extends Pick<Decision, 'decision' | 'created_at'>>(
  decisions: readonly D[],
  runs: readonly { readonly completed_at: string | null }[],
): D[] {
  const completed = Math.max(0, ...runs.map(({ completed_at: at }) => (at === null ? 0 : Date.parse(at))));
  return decisions.filter(
    ({ decision, created_at: at }) => decision === 'repeat' && Date.parse(at) >= completed,
  );
}

export function isSameReplicate(one: ReplicateKey, other: ReplicateKey): boolean {
  return writeKey(one) === writeKey(other);
}

function writeKey({ sequence, plate, replicate, well, concentration_m: dose = null }: ReplicateKey): string {
  return JSON.stringify([sequence, plate, replicate, well, dose]);
}

/** Whether two analyses leave out the same replicates. */
export function isSameExclusion(one: readonly ReplicateKey[], other: readonly ReplicateKey[]): boolean {
  const toText = (list: readonly ReplicateKey[]): string => list.map(writeKey).toSorted().join('\n');
  return toText(one) === toText(other);
}

export const reviewActions = [
  'completed',
  'analyzed',
  'analysis_asked',
  'analysis_failed',
  'decided',
  'sent_back',
  'run_repeated',
  'released_part',
  'released',
  'amended',
  'discarded',
] as const;
export type ReviewAction = (typeof reviewActions)[number];

/** Actions of a person that change what is released. */
const JUDGING: ReadonlySet<ReviewAction> = new Set([
  'decided',
  'analysis_asked',
  'sent_back',
  'run_repeated',
  'discarded',
]);

export interface ReviewEvent {
  readonly action: ReviewAction;
  readonly version: number | null;
  readonly analysis_id: string | null;
  readonly reason: string | null;
  readonly details: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly exclusions?: readonly ReplicateKey[];
  } | null;
  readonly actor: string;
  readonly user_id: string | null;
  readonly created_at: string;
}

/** Finds the last event with which a person decided what is released; `events` begin with the oldest. */
export function findLastJudgment(events: readonly ReviewEvent[]): ReviewEvent | undefined {
  return events.findLast(({ action, user_id: userId }) => userId !== null && JUDGING.has(action));
}

/** Whether an analysis that somebody asked for has neither ended nor failed. */
export function isAnalysisOpen(events: readonly ReviewEvent[]): boolean {
  const endedAnalyses = new Set(
    events.flatMap(({ action, analysis_id: id }) => (action === 'analysis_asked' || id === null ? [] : [id])),
  );
  return events.some(
    ({ action, analysis_id: id }) => action === 'analysis_asked' && id !== null && !endedAnalyses.has(id),
  );
}

/** Finds the event that made a version; undefined for a version from before such events were recorded. */
export function findAnalysis(events: readonly ReviewEvent[], version: number): ReviewEvent | undefined {
  return events.findLast((event) => event.action === 'analyzed' && event.version === version);
}

/** Finds the last event that ended a review; undefined for a release from before such events were recorded. */
export function findLastRelease(events: readonly ReviewEvent[]): ReviewEvent | undefined {
  return events.findLast(({ action }) => action === 'released' || action === 'amended');
}
