/**
 * Screening: decides whether a sequence binds, by the negative controls of its plate.
 * This folder: whether a sequence binds. Not here: fits of kinetics (`binding/kinetics`).
 */
import { type InputFileRecord, assignPlaces } from '#analysis/assays/analysis-records.ts';
import { analyzeBindingSets } from '../../binding/engine/analyze.ts';
import type { BindingRules } from '../../binding/engine/analyze.ts';
import { classifyStrength, describeSequence, decideSilentOutcome } from '../../binding/engine/sequence.ts';
import type { BindingSettings, BindingSettingsInput } from '../../binding/engine/settings.ts';
import { assertSamples } from '#analysis/assays/settings.ts';
import type { TraceSet } from '#analysis/curves/trace.ts';
import { computeMean, computeStandardDeviation } from '#analysis/numerics/statistics.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { createMeasuredQuantity, applyDoubts, type Quantity } from '#analysis/quantities/quantity.ts';
import { getOutcome, screenReplicate } from './replicate.ts';
import type { ReplicateScreening, ScreeningAnalysis, SequenceScreening } from './types.ts';

export const SCREENING: BindingRules<'screening', ReplicateScreening, SequenceScreening> = {
  experimentType: 'screening',
  needsDissociation: () => false,
  decidesByThreshold: true,
  evaluate: screenReplicate,
  readControl: ({ outcome, controlKd }) => ({ outcome, kd: controlKd }),
  castDoubt(replicate) {
    if (replicate.binding === 'non_binder')
      Object.assign(replicate, { binding: 'inconclusive', outcome: 'inconclusive' });
    replicate.confidence = 'low';
  },
  toldFlags: ['CONTROL_FAILED', 'CONTROL_MISSING', 'CONTROL_VALUE_UNKNOWN', 'FEW_NEGATIVE_CONTROLS'],
  assertSettings: ({ ligandMassDa }, replicates) => assertSamples('ligand_mass_da', ligandMassDa, replicates),
  aggregate: aggregateSequence,
  rank: rankByZScore,
};

/** Analyzes parsed trace sets; `inputs` are the files they came from, for the record. */
export function analyzeScreeningSets(
  sets: readonly TraceSet[],
  input?: BindingSettingsInput,
  inputs?: InputFileRecord[],
): ScreeningAnalysis {
  return analyzeBindingSets(SCREENING, sets, input, inputs);
}

function aggregateSequence(
  replicates: ReplicateScreening[],
  settings: BindingSettings,
  signalUnit: string | null,
): SequenceScreening {
  const usable = replicates.filter((each) => each.response !== null);
  const { outcome, binding, flags } = combineBinding(replicates, settings);
  const collectValues = (of: (each: ReplicateScreening) => number | null): number[] =>
    usable.flatMap((each) => of(each) ?? []);
  const average = (of: (each: ReplicateScreening) => number | null): number | null => {
    const values = collectValues(of);
    return values.length === 0 ? null : computeMean(values);
  };
  const responses = collectValues((each) => each.response);
  const kdEstimate = binding === 'binder' ? estimateKd(replicates) : null;
  return {
    ...describeSequence(replicates, outcome),
    binding,
    bindingStrength:
      binding === 'non_binder' ? 'none' : kdEstimate === null ? null : classifyStrength(kdEstimate),
    bindingScore: average((each) => each.bindingScore),
    response: average((each) => each.response),
    responseSd: responses.length > 1 ? computeStandardDeviation(responses) : null,
    responseUnit: settings.normalizeToLoading ? 'per loading' : (signalUnit ?? 'signal'),
    threshold: average((each) => each.threshold),
    zScore: average((each) => each.zScore),
    loadingLevel: average((each) => each.loading),
    pctTheoreticalRmax: average((each) => each.pctTheoreticalRmax),
    kdEstimate,
    flags: removeDuplicateFlags([...flags, ...replicates.flatMap((each) => each.flags)]),
  };
}

/** A sequence is inconclusive if its replicates disagree or one of them is inconclusive. */
function combineBinding(
  replicates: readonly ReplicateScreening[],
  { limits }: BindingSettings,
): Pick<SequenceScreening, 'outcome' | 'binding'> & { flags: Flag[] } {
  const calls = new Set(replicates.map((each) => each.binding).filter((binding) => binding !== 'unknown'));
  const [only] = calls;
  if (only === undefined) return { outcome: decideSilentOutcome(replicates), binding: 'unknown', flags: [] };
  if (calls.size === 1) {
    const flags = only === 'binder' ? findSpreadFlags(replicates, limits.replicateLog10SdMax) : [];
    return { outcome: getOutcome(only), binding: only, flags };
  }
  const message = 'The replicates do not agree on binding.';
  return {
    outcome: 'inconclusive',
    binding: 'inconclusive',
    flags: [createFlag('REPLICATES_DISAGREE', 'warning', message)],
  };
}

/** Flags the spread of responses of binders, with the limit that applies to the KD of replicates. */
function findSpreadFlags(replicates: readonly ReplicateScreening[], limit: number): Flag[] {
  const logs = replicates.flatMap(({ response }) =>
    response !== null && response > 0 ? [Math.log10(response)] : [],
  );
  if (logs.length < 2) return [];
  const value = computeStandardDeviation(logs);
  if (value <= limit) return [];
  const message = `The replicates bind, but their responses spread by a log10 SD of ${value.toPrecision(2)}.`;
  return [createFlag('REPLICATES_DISAGREE', 'warning', message, { value, limit })];
}

/**
 * Solves R/R' = C(KD + C')/(C'(KD + C)) of the two highest concentrations for KD; null where they do not determine
 * it.
 */
function estimateKd(replicates: readonly ReplicateScreening[]): Quantity | null {
  const found: number[] = [];
  for (const { doses } of replicates) {
    const [low, high] = doses.slice(-2);
    if (low === undefined || high === undefined || low.concentrationM === high.concentrationM) continue;
    const ratio = high.response / low.response;
    const dose = high.concentrationM / low.concentrationM;
    if (low.response <= 0 || ratio <= 1 || ratio >= dose) continue;
    found.push((high.concentrationM * (ratio - 1)) / (dose - ratio));
  }
  if (found.length === 0) return null;
  const value = 10 ** computeMean(found.map(Math.log10));
  return applyDoubts(
    { ...createMeasuredQuantity(value, 'M', null), n: found.length },
    { screening_estimate: true },
  );
}

/** Ranks binders by their distance from the negative controls, which has no interval. */
function rankByZScore(sequences: readonly SequenceScreening[]): void {
  assignPlaces(sequences, ({ binding, response, zScore }) =>
    binding === 'binder' && response !== null ? { best: -(zScore ?? 0), worst: -(zScore ?? 0) } : null,
  );
}
