/** What is said of a replicate of any binding assay before its response is judged: what it was processed to, and whether it was loaded. */
import { AnalysisError } from '#analysis/failures/errors.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { createFlag } from '#analysis/quality/flags.ts';
import { excludeUnloaded } from './kinetics/doses.ts';
import type { PlateLevels } from './kinetics/plate-levels.ts';
import type { Plate, ProcessedGroup, ReplicateGroup } from './kinetics/plate.ts';
import type { ProcessedCurve } from './kinetics/process.ts';
import type { BindingSettings } from './settings.ts';
import type { BindingReplicate, Expression } from './types.ts';

export interface ReplicateContext {
  plate: Plate;
  levels: PlateLevels;
  settings: BindingSettings;
}

const SCORE = { min: -5, max: 8 } as const;

/** Returns log2 of the response over its threshold, clipped to −5…8. */
export function computeBindingScore(response: number, threshold: number): number {
  if (response <= 0) return SCORE.min;
  return Math.min(SCORE.max, Math.max(SCORE.min, Math.log2(response / threshold)));
}

/** The curves of a replicate, and of them those whose sensors were loaded. */
export interface FoundCurves extends ProcessedGroup {
  loaded: ProcessedCurve[];
}

/** The replicate as it stands before its curves are judged; `found` is null where there are none to judge. */
export function startReplicate(
  group: ReplicateGroup,
  processed: ProcessedGroup | AnalysisError,
  { plate, levels }: ReplicateContext,
): { start: BindingReplicate; found: FoundCurves | null } {
  const leftOut = processed instanceof AnalysisError ? [] : processed.leftOut;
  const counted = keepCounted(group, leftOut);
  const start = createEmptyReplicate(counted, plate.name);
  start.flags.push(...group.flags);
  for (const { traceId, reason } of group.unusable) {
    start.flags.push(createFlag('STEPS_UNUSABLE', 'warning', `Trace ${traceId} was left out. ${reason}`));
  }
  if (processed instanceof AnalysisError) {
    start.flags.push(createFlag('STEPS_UNUSABLE', 'error', processed.message));
    return { start, found: null };
  }
  if (processed.curves.length === 0) {
    const wasTried = leftOut.length === 0 && (group.unusable.length > 0 || group.blanks.length > 0);
    return { start: { ...start, outcome: wasTried ? 'failed_qc' : 'not_tested' }, found: null };
  }
  start.referenceRule = processed.rule;
  evaluateLoading(start, counted, levels);
  return { start, found: { ...processed, loaded: excludeUnloaded(start, processed.curves, levels) } };
}

/** The sensors that count: without those whose curves people left out. */
function keepCounted(group: ReplicateGroup, leftOut: readonly ProcessedCurve[]): ReplicateGroup {
  const ids = new Set(leftOut.map(({ traceId }) => traceId));
  return ids.size === 0 ? group : { ...group, dips: group.dips.filter(({ trace }) => !ids.has(trace.id)) };
}

function createEmptyReplicate(group: ReplicateGroup, plate: string): BindingReplicate {
  const traces = [...group.dips, ...group.blanks].map((dip) => dip.trace);
  return {
    sample: group.sample,
    role: group.role,
    replicate: group.replicate,
    plate,
    wells: traces.flatMap((trace) => trace.well ?? []),
    traceIds: traces.map((trace) => trace.id),
    concentrationsM: group.dips.flatMap(
      ({ trace, injections }) =>
        injections?.map(({ concentrationM }) => concentrationM) ?? trace.concentrationM ?? 0,
    ),
    outcome: 'failed_qc',
    binding: 'unknown',
    expression: 'unknown',
    referenceRule: null,
    response: null,
    bindingScore: null,
    loading: null,
    noise: null,
    kdDetectableM: null,
    kdDetectableBasis: null,
    confidence: 'low',
    flags: [],
    curves: [],
    packedCurves: null,
  };
}

/**
 * Evaluates the loading of a replicate's sensors against the rest of the plate; does nothing without a loading step.
 */
function evaluateLoading(replicate: BindingReplicate, group: ReplicateGroup, levels: PlateLevels): void {
  const loadings = [...group.dips, ...group.blanks].flatMap((dip) => dip.loading ?? []);
  if (loadings.length === 0 || levels.expressedMin === null) return;
  const loading = computeMedian(loadings);
  replicate.loading = loading;
  replicate.expression = classifyExpression(loading, levels);
  if (replicate.expression === 'none') {
    const message = 'Loading is at background level: the protein was not expressed or not loaded.';
    replicate.flags.push(
      createFlag('NOT_LOADED', 'error', message, { value: loading, limit: levels.expressedMin }),
    );
  } else if (replicate.expression === 'low') {
    const limit = levels.loadingLow ?? undefined;
    const numbers = limit === undefined ? { value: loading } : { value: loading, limit };
    replicate.flags.push(
      createFlag('LOADING_LOW', 'warning', 'Loading is low compared with the rest of the plate.', numbers),
    );
  }
}

function classifyExpression(loading: number | null, levels: PlateLevels): Expression {
  if (loading === null || levels.expressedMin === null) return 'unknown';
  if (loading <= levels.expressedMin) return 'none';
  return levels.loadingLow !== null && loading < levels.loadingLow ? 'low' : 'expressed';
}
