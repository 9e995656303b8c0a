/**
 * Affinity: trace sets to KD, kon and koff per sequence.
 * This folder: what affinity adds to the analysis of binding: values of a sequence from those of its replicates. Not
 * here: fits of one replicate (`binding/kinetics`).
 */
import type {
  AffinityAnalysis,
  BindingPart,
  InputFileRecord,
  PlateQc,
  ReplicateAffinity,
  SequenceAffinity,
} from './types.ts';
import { aggregateSequence, assignPlaces, compareWithControls } from './aggregate.ts';
import { assertAssigned, assertPositiveControls, usedAssignments } from '../binding/assignments.ts';
import { AnalysisError } from '../../failures/errors.ts';
import { distinctFlags } from '../../quality/flags.ts';
import { arrangePlate, referenceLookup } from '../binding/kinetics/plate.ts';
import { plateLevels, processPlate } from '../binding/kinetics/plate-levels.ts';
import { judgeReplicate } from '../binding/kinetics/replicate.ts';
import { plateQc } from '../../quality/plate-qc.ts';
import { ENGINE, resolveSettings } from '../binding/settings.ts';
import type { BindingSettings, BindingSettingsInput } from '../binding/settings.ts';
import type { TraceSet } from '../../curves/trace.ts';

/** Analyses parsed trace sets; `inputs` are the files they came from, for the record. */
export function analyzeAffinitySets(
  sets: readonly TraceSet[],
  input: BindingSettingsInput = {},
  inputs: InputFileRecord[] = [],
): AffinityAnalysis {
  const settings = resolveSettings(input);
  return combineAffinity([judgeSets(sets, settings)], settings, inputs);
}

/** Every replicate of every plate; `firstPlate` counts plates whose files do not name them. */
export function judgeSets(
  sets: readonly TraceSet[],
  settings: BindingSettings,
  firstPlate = 0,
): BindingPart<ReplicateAffinity> {
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

/** From replicates to sequences, their ranking and comparison. Throws `nothing_to_analyze` without any replicate. */
export function combineAffinity(
  parts: readonly BindingPart<ReplicateAffinity>[],
  settings: BindingSettings,
  inputs: InputFileRecord[],
): AffinityAnalysis {
  const replicates = parts.flatMap((part) => part.replicates);
  assertAssigned(
    settings.assign,
    parts.flatMap((part) => part.assigned),
  );
  if (replicates.length === 0)
    throw new AnalysisError('nothing_to_analyze', 'The files contain no sample traces.');
  assertPositiveControls('control_kd_m', settings.controlKdM, replicates);
  const all = bySequence(replicates, settings);
  const sequences = all.filter((each) => each.role === 'sample');
  const controls = all.filter((each) => each.role !== 'sample');
  assignPlaces(sequences);
  compareWithControls(sequences, controls);
  return {
    experimentType: 'affinity',
    analysis: { engine: { ...ENGINE }, model: settings.model, settings, inputs },
    notices: parts.flatMap((part) => part.notices),
    plates: parts.flatMap((part) => part.plates),
    sequences,
    controls,
  };
}

function bySequence(replicates: readonly ReplicateAffinity[], settings: BindingSettings): SequenceAffinity[] {
  const groups = Map.groupBy(replicates, ({ role, sample }) => JSON.stringify([role, sample]));
  return [...groups.values()].map((group) => aggregateSequence(group, settings));
}

function judgePlate(
  set: TraceSet,
  settings: BindingSettings,
  index: number,
): { qc: PlateQc; replicates: ReplicateAffinity[] } {
  const plate = arrangePlate(set, settings, { index, needsDissociation: settings.model !== 'steady_state' });
  const lookup = referenceLookup(plate);
  const processed = processPlate(plate, lookup, settings);
  const levels = plateLevels(plate, processed, { settings, decidesBinding: false });
  const replicates = [...processed].map(([group, each]) =>
    judgeReplicate(group, each, { plate, levels, settings }),
  );
  const controls = replicates.map(({ sample, role, outcome, kd }) => ({
    sample,
    role,
    outcome,
    kd,
  }));
  const qc = plateQc(set, plate.name, { levels, controls, settings });
  for (const failed of qc.flags.filter((each) => each.code === 'CONTROL_FAILED')) {
    for (const replicate of replicates) {
      replicate.flags = distinctFlags([...replicate.flags, failed]);
      if (replicate.confidence === 'high') replicate.confidence = 'medium';
    }
  }
  return { qc, replicates };
}
