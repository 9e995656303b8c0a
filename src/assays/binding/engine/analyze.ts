/** A binding run from trace sets to sequences; what a replicate and a sequence show is for the rules of the assay to say. */
import type { PlannedControl } from '#core/raw-mapping.ts';
import { mapWithPauses, finish, type Paused } from '#analysis/assays/assay.ts';
import {
  ENGINE,
  type InputFileRecord,
  groupBySample,
  sortReplicates,
  splitControls,
} from '#analysis/assays/analysis-records.ts';
import {
  assertExcluded,
  Exclusions,
  type ExcludedReplicate,
  countControls,
  flagLostControls,
  type PlateControls,
} from '#analysis/assays/exclusions.ts';
import { flagChangedSettings, assertPositiveControls, findAssignment } from '#analysis/assays/settings.ts';
import { listStatedControls, type Technique, type TraceSet } from '#analysis/curves/trace.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { removeDuplicateFlags, type FlagCode } from '#analysis/quality/flags.ts';
import { describeUnmatched, listUnnamed } from './as-ordered.ts';
import { assertAssigned, listUsedAssignments } from './assignments.ts';
import { arrangePlate, processPlate, createReferenceLookup } from './kinetics/plate.ts';
import type { ProcessedGroup, ReplicateGroup } from './kinetics/plate.ts';
import { computePlateLevels } from './kinetics/plate-levels.ts';
import { evaluatePlateControls } from './plate-qc.ts';
import type { ControlOutcome } from './plate-qc.ts';
import type { ReplicateContext } from './replicate.ts';
import { resolveSettings } from './settings.ts';
import type { BindingSettings, BindingSettingsInput } from './settings.ts';
import type {
  BindingAnalysis,
  BindingPart,
  BindingReplicate,
  BindingSequence,
  LeftOutReplicate,
  PlateQc,
} from './types.ts';

export interface BindingRules<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
> {
  readonly experimentType: Type;
  /** Whether a trace is of no use without its dissociation. */
  needsDissociation(settings: BindingSettings): boolean;
  /** The threshold alone says what binds, without a fit of the curves. */
  readonly decidesByThreshold: boolean;
  evaluate(
    group: ReplicateGroup,
    processed: ProcessedGroup | AnalysisError,
    context: ReplicateContext,
  ): Replicate;
  /** What a control of the plate showed. */
  readControl(replicate: Replicate): Pick<ControlOutcome, 'outcome' | 'kd'>;
  /** Takes firmness from a replicate whose plate missed the known value of its positive control. */
  castDoubt(replicate: Replicate): void;
  /** Flags of a plate that every replicate on it carries. */
  readonly toldFlags: readonly FlagCode[];
  /** Throws `settings_invalid` where settings say something of samples that no file has. */
  assertSettings(settings: BindingSettings, replicates: readonly Replicate[]): void;
  /** All replicates of a sequence, in their order. */
  aggregate(replicates: Replicate[], settings: BindingSettings, signalUnit: string | null): Sequence;
  /** Gives the samples their places and compares them with the controls. */
  rank(sequences: readonly Sequence[], controls: readonly Sequence[]): void;
}

/** Analyzes parsed trace sets; `inputs` are the files they came from, for the record. */
export function analyzeBindingSets<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
  sets: readonly TraceSet[],
  input: BindingSettingsInput = {},
  inputs: InputFileRecord[] = [],
): BindingAnalysis<Type, Sequence> {
  return finish(combineBindingParts(rules, [evaluateSets(rules, sets, input)], { input, names: [], inputs }));
}

/** What a part of a run is told beside its sets and settings. */
interface PartOptions {
  /** Numbers plates without a name. */
  readonly firstPlate: number;
  readonly excluded: readonly ExcludedReplicate[];
}

const WHOLE_RUN: PartOptions = { firstPlate: 0, excluded: [] };

/** Evaluates every replicate of every plate. */
export function evaluateSets<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
  sets: readonly TraceSet[],
  input: BindingSettingsInput,
  { firstPlate, excluded }: PartOptions = WHOLE_RUN,
): BindingPart<Replicate> {
  const exclusions = new Exclusions(excluded);
  const judged = sets.map((set, index) =>
    evaluatePlate(rules, set, resolveSettings(input, set.technique), {
      index: firstPlate + index,
      exclusions,
    }),
  );
  const { assign } = resolveSettings(input);
  return {
    notices: sets.flatMap((set) => set.notices),
    plates: judged.map(({ qc }) => qc),
    replicates: judged.flatMap(({ replicates }) => replicates),
    unnamed: judged.flatMap(({ qc }, index) => listUnnamed(sets[index], qc.plate, assign)),
    assigned: listUsedAssignments(
      assign,
      judged.map(({ qc }, index) => ({ name: qc.plate, set: sets[index] })),
    ),
    excluded: exclusions.listMatched(),
    leftOut: judged.flatMap((each) => each.leftOut),
    controls: judged.map(({ controls }) => controls),
  };
}

/** Segments, groups and names the traces as the analysis does. Throws AnalysisError where it would stop. */
export function assertAnalyzable<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
  sets: readonly TraceSet[],
  input: BindingSettingsInput,
  names: readonly string[],
): void {
  const { assign } = resolveSettings(input);
  const plates = sets.map((set, index) => {
    const settings = resolveSettings(input, set.technique);
    return arrangePlate(set, settings, { index, needsDissociation: rules.needsDissociation(settings) });
  });
  assertAssigned(assign, listUsedAssignments(assign, plates));
  const samples = plates.flatMap(({ groups }) => groups.map(({ sample }) => sample));
  if (samples.length === 0)
    throw new AnalysisError('nothing_to_analyze', 'The files contain no sample traces.');
  const unnamed = plates.flatMap(({ name, set }) => listUnnamed(set, name, assign));
  describeUnmatched({ samples, unnamed }, names);
}

/** Combines replicates to sequences, ranks and compares them. Throws `nothing_to_analyze` without any replicate. */
export function* combineBindingParts<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
  parts: readonly BindingPart<Replicate>[],
  {
    input,
    names,
    inputs,
    excluded = [],
    plannedControls,
  }: {
    input: BindingSettingsInput;
    /** Names of the ordered sequences; empty where they are not known. */
    names: readonly string[];
    inputs: InputFileRecord[];
    excluded?: readonly ExcludedReplicate[];
    plannedControls?: readonly PlannedControl[] | undefined;
  },
): Paused<BindingAnalysis<Type, Sequence>> {
  const replicates = parts.flatMap((part) => part.replicates);
  const plates = parts.flatMap((part) => part.plates);
  const technique = findTechnique(plates);
  const settings = resolveSettings(input, technique);
  assertAssigned(
    settings.assign,
    parts.flatMap((part) => part.assigned),
  );
  assertExcluded(
    excluded,
    parts.flatMap((part) => part.excluded),
  );
  if (replicates.length === 0)
    throw new AnalysisError('nothing_to_analyze', 'The files contain no sample traces.');
  assertPositiveControls('control_kd_m', settings.controlKdM, replicates);
  rules.assertSettings(settings, replicates);
  flagLostControls(plates, replicates, {
    controls: parts.flatMap(({ controls }) => controls),
    planned: plannedControls,
  });
  const { signalUnit } = plates[0];
  const all = yield* mapWithPauses(groupBySample(replicates), (group) =>
    rules.aggregate(sortReplicates(group), settings, signalUnit),
  );
  const { sequences, controls } = splitControls(all);
  const unmatched = describeUnmatched(
    { samples: all.map(({ sample }) => sample), unnamed: parts.flatMap(({ unnamed }) => unnamed) },
    names,
  );
  rules.rank(sequences, controls);
  flagChangedSettings(all, settings, resolveSettings({}, technique));
  return {
    experimentType: rules.experimentType,
    analysis: { engine: { ...ENGINE }, model: settings.model, settings, inputs },
    leftOut: parts.flatMap((part) => part.leftOut),
    notices: [...parts.flatMap((part) => part.notices), ...(unmatched === null ? [] : [unmatched])],
    plates,
    sequences,
    controls,
  };
}

/** Returns the technique of all plates; null where they differ or none is known. */
function findTechnique(plates: readonly PlateQc[]): Technique | null {
  const [first, ...others] = new Set(plates.map(({ technique }) => technique));
  return others.length > 0 ? null : (first ?? null);
}

function evaluatePlate<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
  set: TraceSet,
  settings: BindingSettings,
  { index, exclusions }: { readonly index: number; readonly exclusions: Exclusions },
): {
  qc: PlateQc;
  replicates: Replicate[];
  leftOut: LeftOutReplicate[];
  controls: PlateControls;
} {
  const plate = arrangePlate(set, settings, { index, needsDissociation: rules.needsDissociation(settings) });
  const { groups } = plate;
  plate.groups = exclusions.leaveOut(plate.name, groups);
  const processed = processPlate(plate, createReferenceLookup(plate), settings);
  for (const [group, each] of processed) {
    if (each instanceof AnalysisError) continue;
    each.leftOut = exclusions.selectCurves(plate.name, group, each.curves);
    each.curves = each.curves.filter((curve) => !each.leftOut.includes(curve));
  }
  const levels = computePlateLevels(plate, processed, { settings, decidesBinding: rules.decidesByThreshold });
  const replicates = [...processed].map(([group, each]) =>
    rules.evaluate(group, each, { plate, levels, settings }),
  );
  const controls = replicates.map((each) => ({
    sample: each.sample,
    role: each.role,
    ...rules.readControl(each),
  }));
  const qc = evaluatePlateControls(set, plate.name, { levels, controls, settings });
  const plateFlags = qc.flags.filter(({ code }) => rules.toldFlags.includes(code));
  if (qc.positiveControls.some(({ missed }) => missed)) for (const each of replicates) rules.castDoubt(each);
  const hasFailed = plateFlags.some(({ code }) => code === 'CONTROL_FAILED');
  for (const replicate of replicates) {
    if (plateFlags.length > 0) replicate.flags = removeDuplicateFlags([...replicate.flags, ...plateFlags]);
    if (hasFailed && replicate.confidence === 'high') replicate.confidence = 'medium';
  }
  const leftOutGroups = groups.filter((each) => !plate.groups.includes(each));
  const leftOut = new Set([
    ...leftOutGroups.flatMap(listTraceIds),
    ...[...processed.values()].flatMap((each) =>
      each instanceof AnalysisError ? [] : each.leftOut.map(({ traceId }) => traceId),
    ),
  ]);
  return {
    qc,
    replicates,
    leftOut: leftOutGroups.map(({ sample, replicate, dips }) => ({
      sample,
      plate: plate.name,
      replicate,
      nCurves: countCurves(dips),
    })),
    controls: countPlateControls(set, plate.name, { settings, leftOut }),
  };
}

/** A single cycle has a curve for each of its injections. */
function countCurves(dips: ReplicateGroup['dips']): number {
  return dips.reduce((sum, { trace }) => {
    const injections = trace.steps.filter(({ concentrationM = null }) => (concentrationM ?? 0) > 0).length;
    return sum + Math.max(1, injections);
  }, 0);
}

function listTraceIds({ dips, blanks, unusable }: ReplicateGroup): string[] {
  return [...[...dips, ...blanks].map(({ trace }) => trace.id), ...unusable.map(({ traceId }) => traceId)];
}

/** `leftOut` are the traces that people left out in a review. */
function countPlateControls(
  set: TraceSet,
  plate: string,
  { settings, leftOut }: { readonly settings: BindingSettings; readonly leftOut: ReadonlySet<string> },
): PlateControls {
  const kept = set.traces.flatMap(({ id, role }) => {
    const assignment = findAssignment(settings.assign, plate, id) ?? {};
    return leftOut.has(id) || assignment.exclude === true ? [] : [{ id, role: assignment.role ?? role }];
  });
  return countControls(plate, set.statedControls ?? listStatedControls(set.traces), kept);
}
