/** What a sequence of any binding assay is said to be, from its replicates. */
import { classifyKd } from '#core/binding-strength.ts';
import type { Outcome } from '#analysis/assays/analysis-records.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { BindingReplicate, BindingSequence, BindingStrength, Expression } from './types.ts';

/**
 * Returns the class of the value, also where its interval reaches into another; null where a limit leaves the class
 * open.
 */
export function classifyStrength({ value, relation }: Quantity): BindingStrength | null {
  const at = classifyKd(value);
  if (relation === '<' && at !== 'strong') return null;
  return relation === '>' && at !== 'none' ? null : at;
}

/** What does not depend on how the assay judges; `replicates` in their order. */
export function describeSequence<Replicate extends BindingReplicate>(
  replicates: Replicate[],
  outcome: Outcome,
): Pick<
  BindingSequence<Replicate>,
  | 'sample'
  | 'role'
  | 'isControl'
  | 'outcome'
  | 'place'
  | 'rankRange'
  | 'expression'
  | 'nReplicates'
  | 'nReplicatesPassed'
  | 'concentrationsM'
  | 'kdDetectableM'
  | 'kdDetectableBasis'
  | 'replicates'
> {
  const [{ sample, role }] = replicates;
  return {
    sample,
    role,
    isControl: role !== 'sample',
    outcome,
    place: null,
    rankRange: null,
    expression: combineExpression(replicates),
    nReplicates: replicates.length,
    nReplicatesPassed: replicates.filter((each) => isInformative(outcome, each.outcome)).length,
    concentrationsM: [...new Set(replicates.flatMap((each) => each.concentrationsM))].sort((a, b) => a - b),
    ...findLeastDetection(replicates, outcome),
    replicates,
  };
}

/** What every replicate that says the same as its sequence would have shown. */
function findLeastDetection(
  replicates: readonly BindingReplicate[],
  outcome: Outcome,
): Pick<BindingSequence, 'kdDetectableM' | 'kdDetectableBasis'> {
  const known = replicates.filter((each) => each.outcome === outcome && each.kdDetectableBasis !== null);
  const least = known.toSorted((a, b) => (a.kdDetectableM ?? 0) - (b.kdDetectableM ?? 0))[0];
  if (least === undefined) return { kdDetectableM: null, kdDetectableBasis: null };
  return { kdDetectableM: least.kdDetectableM, kdDetectableBasis: least.kdDetectableBasis };
}

function combineExpression(replicates: readonly BindingReplicate[]): Expression {
  const order: Expression[] = ['expressed', 'low', 'none'];
  return order.find((level) => replicates.some((each) => each.expression === level)) ?? 'unknown';
}

/**
 * Whether a replicate counts for its sequence; a replicate without protein counts only when no other had any, and one
 * without an answer only when the sequence has none either.
 */
export function isInformative(sequence: Outcome, replicate: Outcome): boolean {
  if (replicate === 'not_expressed' || replicate === 'inconclusive') return sequence === replicate;
  return replicate === 'measured' || replicate === 'non_binder';
}

/** Of a sequence of which no replicate says whether it binds. */
export function decideSilentOutcome(replicates: readonly BindingReplicate[]): Outcome {
  const order: Outcome[] = ['not_expressed', 'failed_qc', 'not_tested'];
  return order.find((outcome) => replicates.some((each) => each.outcome === outcome)) ?? 'not_tested';
}
