/**
 * Screening: does a sequence bind, judged against the negative controls of its plate.
 * This folder: whether a sequence binds. Not here: fits of kinetics (`binding/kinetics`).
 */
import type { BindingPart, InputFileRecord, Outcome, PlateQc } from '../affinity/types.ts';
import { bindingStrength, speaksFor } from '../affinity/aggregate.ts';
import {
  assertAssigned,
  assertPositiveControls,
  assertSamples,
  usedAssignments,
} from '../binding/assignments.ts';
import { AnalysisError } from '../../failures/errors.ts';
import { distinctFlags, flag } from '../../quality/flags.ts';
import type { Flag } from '../../quality/flags.ts';
import { arrangePlate, referenceLookup } from '../binding/kinetics/plate.ts';
import { plateLevels, processPlate } from '../binding/kinetics/plate-levels.ts';
import { plateQc } from '../../quality/plate-qc.ts';
import { applyDoubts, measured } from '../../quantities/quantity.ts';
import type { Quantity } from '../../quantities/quantity.ts';
import { ENGINE, resolveSettings } from '../binding/settings.ts';
import type { BindingSettings, BindingSettingsInput } from '../binding/settings.ts';
import { computeMean, computeStandardDeviation } from '../../numerics/moments.ts';
import type { TraceSet } from '../../curves/trace.ts';
import { screenReplicate } from './replicate.ts';
import type { ReplicateScreening, ScreeningAnalysis, SequenceScreening } from './types.ts';

export function analyzeScreeningSets(
  sets: readonly TraceSet[],
  input: BindingSettingsInput = {},
  inputs: InputFileRecord[] = [],
): ScreeningAnalysis {
  const settings = resolveSettings(input);
  return combineScreening([screenSets(sets, settings)], settings, inputs);
}

/** Every replicate of every plate; `firstPlate` counts plates whose files do not name them. */
export function screenSets(
  sets: readonly TraceSet[],
  settings: BindingSettings,
  firstPlate = 0,
): BindingPart<ReplicateScreening> {
  const judged = sets.map((set, index) => judgePlate(set, settings, firstPlate + index));
  return {
    notices: sets.flatMap((set) => set.notices),
    plates: judged.map(({ qc }) => qc),
    replicates: judged.flatMap(({ replicates }) => replicates),
    assigned: usedAssignments(
      settings.assign,
      judged.map(({ qc }, index) => ({ name: qc.plate, set: sets[index] })),
    ),
  };
}

/** From replicates to sequences and their ranking. Throws `nothing_to_analyze` without any replicate. */
export function combineScreening(
  parts: readonly BindingPart<ReplicateScreening>[],
  settings: BindingSettings,
  inputs: InputFileRecord[],
): ScreeningAnalysis {
  const replicates = parts.flatMap((part) => part.replicates);
  const plates = parts.flatMap((part) => part.plates);
  assertAssigned(
    settings.assign,
    parts.flatMap((part) => part.assigned),
  );
  if (replicates.length === 0)
    throw new AnalysisError('nothing_to_analyze', 'The files contain no sample traces.');
  assertPositiveControls('control_kd_m', settings.controlKdM, replicates);
  assertSamples('ligand_mass_da', settings.ligandMassDa, replicates);
  const groups = Map.groupBy(replicates, ({ role, sample }) => JSON.stringify([role, sample]));
  const unit = settings.normalizeToLoading ? 'per loading' : (plates[0].signalUnit ?? 'signal');
  const all = [...groups.values()].map((group) => aggregate(group, unit, settings));
  const sequences = all.filter((each) => each.role === 'sample');
  assignPlaces(sequences);
  return {
    experimentType: 'screening',
    analysis: { engine: { ...ENGINE }, model: settings.model, settings, inputs },
    notices: parts.flatMap((part) => part.notices),
    plates,
    sequences,
    controls: all.filter((each) => each.role !== 'sample'),
  };
}

function judgePlate(
  set: TraceSet,
  settings: BindingSettings,
  index: number,
): { qc: PlateQc; replicates: ReplicateScreening[] } {
  const plate = arrangePlate(set, settings, { index, needsDissociation: false });
  const processed = processPlate(plate, referenceLookup(plate), settings);
  const levels = plateLevels(plate, processed, { settings, decidesBinding: true });
  const replicates = [...processed].map(([group, each]) =>
    screenReplicate(group, each, { plate, levels, settings }),
  );
  const controls = replicates.map((each) => ({
    sample: each.sample,
    role: each.role,
    outcome: each.binding === 'inconclusive' ? ('non_binder' as const) : each.outcome,
    kd: null,
  }));
  const qc = plateQc(set, plate.name, { levels, controls, settings });
  const told = qc.flags.filter(({ code }) => code === 'CONTROL_FAILED' || code === 'FEW_NEGATIVE_CONTROLS');
  const hasFailed = told.some(({ code }) => code === 'CONTROL_FAILED');
  for (const replicate of replicates) {
    replicate.flags = distinctFlags([...replicate.flags, ...told]);
    if (hasFailed && replicate.confidence === 'high') replicate.confidence = 'medium';
  }
  return { qc, replicates };
}

function aggregate(
  replicates: ReplicateScreening[],
  responseUnit: string,
  settings: BindingSettings,
): SequenceScreening {
  const sorted = replicates.toSorted((a, b) => a.replicate - b.replicate || a.plate.localeCompare(b.plate));
  const [first] = sorted;
  const usable = sorted.filter((each) => each.response !== null);
  const { outcome, binding, flags } = combined(sorted, settings);
  const values = (of: (each: ReplicateScreening) => number | null): number[] =>
    usable.flatMap((each) => of(each) ?? []);
  const average = (of: (each: ReplicateScreening) => number | null): number | null => {
    const found = values(of);
    return found.length === 0 ? null : computeMean(found);
  };
  const responses = values((each) => each.response);
  const kdEstimate = binding === 'binder' ? estimateKd(sorted) : null;
  const levels = (['expressed', 'low', 'none'] as const).find((level) =>
    sorted.some((each) => each.expression === level),
  );
  return {
    sample: first.sample,
    role: first.role,
    isControl: first.role !== 'sample',
    outcome,
    binding,
    bindingStrength:
      binding === 'non_binder' ? 'none' : kdEstimate === null ? null : bindingStrength(kdEstimate),
    place: null,
    bindingScore: average((each) => each.bindingScore),
    expression: levels ?? 'unknown',
    response: average((each) => each.response),
    responseSd: responses.length > 1 ? computeStandardDeviation(responses) : null,
    responseUnit,
    threshold: average((each) => each.threshold),
    zScore: average((each) => each.zScore),
    loadingLevel: average((each) => each.loading),
    pctTheoreticalRmax: average((each) => each.pctTheoreticalRmax),
    kdEstimate,
    nReplicates: sorted.length,
    nReplicatesPassed: sorted.filter((each) => speaksFor(outcome, each.outcome)).length,
    concentrationsM: [...new Set(sorted.flatMap((each) => each.concentrationsM))].sort((a, b) => a - b),
    flags: distinctFlags([...flags, ...sorted.flatMap((each) => each.flags)]),
    replicates: sorted,
  };
}

/** Replicates that disagree, or one that stays open, leave the sequence open. */
function combined(
  replicates: readonly ReplicateScreening[],
  { limits }: BindingSettings,
): Pick<SequenceScreening, 'outcome' | 'binding'> & { flags: Flag[] } {
  const said = new Set(replicates.map((each) => each.binding).filter((binding) => binding !== 'unknown'));
  const [only] = said;
  if (only === undefined) {
    const order: Outcome[] = ['not_expressed', 'failed_qc', 'not_tested'];
    const outcome =
      order.find((each) => replicates.some((replicate) => replicate.outcome === each)) ?? 'not_tested';
    return { outcome, binding: 'unknown', flags: [] };
  }
  if (said.size === 1) {
    const flags = only === 'binder' ? spreadFlags(replicates, limits.replicateLog10SdMax) : [];
    return { outcome: only === 'non_binder' ? 'non_binder' : 'measured', binding: only, flags };
  }
  const message = 'The replicates do not agree on binding.';
  return {
    outcome: 'measured',
    binding: 'inconclusive',
    flags: [flag('REPLICATES_DISAGREE', 'warning', message)],
  };
}

/** Of binders: responses are held to the spread that KD of replicates is held to. */
function spreadFlags(replicates: readonly ReplicateScreening[], limit: number): Flag[] {
  const logs = replicates.flatMap(({ response }) =>
    response !== null && response > 0 ? [Math.log10(response)] : [],
  );
  if (logs.length < 2) return [];
  const value = computeStandardDeviation(logs);
  if (value <= limit) return [];
  const message = `The replicates bind, but their responses spread by a log10 SD of ${value.toPrecision(2)}.`;
  return [flag('REPLICATES_DISAGREE', 'warning', message, { value, limit })];
}

/** R/R' = C(KD + C')/(C'(KD + C)) of the two highest concentrations, solved for KD; null where they do not determine it. */
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
  return applyDoubts({ ...measured(value, 'M', null), n: found.length }, { screening_estimate: true });
}

function assignPlaces(sequences: readonly SequenceScreening[]): void {
  const ranked = sequences
    .filter((each) => each.binding === 'binder' && each.response !== null)
    .sort((a, b) => (b.zScore ?? 0) - (a.zScore ?? 0));
  for (const [index, each] of ranked.entries()) each.place = index + 1;
}
