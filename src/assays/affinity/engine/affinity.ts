/**
 * Affinity: from trace sets to KD, kon and koff per sequence.
 * This folder: what affinity adds to the analysis of binding: values of a sequence from those of its replicates. Not
 * here: fits of one replicate (`binding/kinetics`).
 */
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import { analyzeBindingSets } from '../../binding/engine/analyze.ts';
import type { BindingRules } from '../../binding/engine/analyze.ts';
import type { BindingSettingsInput } from '../../binding/engine/settings.ts';
import { applyDoubts } from '#analysis/quantities/quantity.ts';
import type { TraceSet } from '#analysis/curves/trace.ts';
import { aggregateSequence, compareWithControls, rankByKd } from './aggregate.ts';
import { evaluateReplicate } from './replicate.ts';
import type { AffinityAnalysis, ReplicateAffinity, SequenceAffinity } from './types.ts';

export const AFFINITY: BindingRules<'affinity', ReplicateAffinity, SequenceAffinity> = {
  experimentType: 'affinity',
  needsDissociation: ({ model }) => model !== 'steady_state',
  decidesByThreshold: false,
  evaluate: evaluateReplicate,
  readControl: ({ outcome, kd }) => ({ outcome, kd }),
  castDoubt(replicate) {
    const doubts = { control_missed: true };
    for (const name of ['kd', 'kon', 'koff', 'kdSteadyState'] as const)
      replicate[name] = applyDoubts(replicate[name], doubts);
    if (replicate.binding === 'non_binder')
      Object.assign(replicate, { binding: 'inconclusive', outcome: 'inconclusive' });
    replicate.confidence = 'low';
  },
  toldFlags: ['CONTROL_FAILED', 'CONTROL_MISSING', 'CONTROL_VALUE_UNKNOWN'],
  assertSettings: () => {},
  aggregate: aggregateSequence,
  rank(sequences, controls) {
    rankByKd(sequences);
    compareWithControls(sequences, controls);
  },
};

/** Analyzes parsed trace sets; `inputs` are the files they came from, for the record. */
export function analyzeAffinitySets(
  sets: readonly TraceSet[],
  input?: BindingSettingsInput,
  inputs?: InputFileRecord[],
): AffinityAnalysis {
  return analyzeBindingSets(AFFINITY, sets, input, inputs);
}
