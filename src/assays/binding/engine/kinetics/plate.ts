/** Groups the sensors of a plate: replicates of samples, their blanks, and the reference sensors. */
import { formatConcentration, isSameConcentration } from '#core/number-words.ts';
import { findAssignment } from '#analysis/assays/settings.ts';
import { formatCount } from '#core/words.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { withInjections } from './injections.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import type { Trace, TraceRole, TraceSet } from '#analysis/curves/trace.ts';
import { alignTrace, averageTraces, subtractTrace, type AlignedTrace } from './align.ts';
import { selectLoadedReferences, findRespondingBlanks } from './blanks.ts';
import { buildDriftPrior, estimatePlateDrift, type DriftSource } from './drift-prior.ts';
import { processCurve, computeResponse, type ProcessedCurve } from './process.ts';
import { estimateStepNoise } from './step-noise.ts';
import { areLevelsHeld } from './hold-levels.ts';
import { chooseReferenceRule, type ReferenceRule } from './reference-rule.ts';
import { markSharedCeiling } from './shared-ceiling.ts';
import { splitRepeats } from './repeats.ts';
import { keepZero } from './zero.ts';

/** All sensors of one sample and replicate. */
export interface ReplicateGroup {
  sample: string;
  role: TraceRole;
  replicate: number;
  /** Dips at concentrations above zero, ascending. */
  dips: AlignedTrace[];
  /** The sample's own sensors in buffer. */
  blanks: AlignedTrace[];
  /** Traces that could not be used, each with the reason. */
  unusable: { traceId: string; reason: string }[];
  /** Flags raised while the sensors were grouped. */
  flags: Flag[];
}

export interface Plate {
  name: string;
  set: TraceSet;
  groups: ReplicateGroup[];
  references: AlignedTrace[];
  /** Sensors that cannot be references because they carry protein; not among `references`. */
  loadedReferences: AlignedTrace[];
  /** Sensors in buffer that belong to no sample. */
  sharedBlanks: AlignedTrace[];
  /** Ids of reference sensors with a constant signal; they were left out. */
  deadReferences: string[];
}

/** With fewer samples of dissociation its rate cannot be estimated. */
const DISSOCIATION_MIN = 3;

/** `needsDissociation`: a sample trace without dissociation is left out, because koff cannot be estimated. */
export function arrangePlate(
  set: TraceSet,
  settings: BindingSettings,
  { index, needsDissociation }: { index: number; needsDissociation: boolean },
): Plate {
  const name = set.plate ?? `plate ${index + 1}`;
  const plate: Plate = {
    name,
    set,
    groups: [],
    references: [],
    loadedReferences: [],
    sharedBlanks: [],
    deadReferences: [],
  };
  const groups = new Map<string, ReplicateGroup>();
  const used: AlignedTrace[] = [];
  for (const raw of set.traces) {
    const trace = applyAssignment(raw, name, settings);
    if (trace === null) continue;
    const owner = trace.role === 'reference' ? null : findGroup(groups, trace);
    const aligned = tryAlign(trace, settings, { owner, needsDissociation });
    if (aligned === null) continue;
    used.push(aligned);
    placeTrace(plate, owner, aligned);
  }
  if (set.technique === 'spr') keepZero(used);
  const named = [...groups.values()].filter((group) => group.sample !== '' || group.dips.length > 0);
  // On one surface a concentration is repeated to test its stability; on separate sensors it is another replicate.
  plate.groups = set.technique === 'spr' ? named : splitRepeats(named);
  for (const group of plate.groups) group.dips.sort((a, b) => getConcentrationM(a) - getConcentrationM(b));
  const carriers = plate.groups.flatMap((group) => group.dips);
  plate.loadedReferences = selectLoadedReferences(plate.references, carriers, settings);
  plate.references = plate.references.filter((each) => !plate.loadedReferences.includes(each));
  return plate;
}

function applyAssignment(trace: Trace, plate: string, settings: BindingSettings): Trace | null {
  const assignment = findAssignment(settings.assign, plate, trace.id);
  if (assignment?.exclude === true) return null;
  const steps = withInjections(trace, assignment ?? {}, settings);
  const injectionsM = steps.flatMap((step) => step.concentrationM ?? []);
  const highestM = injectionsM.length > 1 ? Math.max(...injectionsM) : trace.concentrationM;
  return {
    ...trace,
    steps,
    sample: assignment?.sample ?? trace.sample,
    replicate: assignment?.replicate ?? trace.replicate,
    role: assignment?.role ?? trace.role,
    concentrationM: assignment?.concentrationM ?? highestM,
  };
}

function findGroup(groups: Map<string, ReplicateGroup>, trace: Trace): ReplicateGroup | null {
  if (trace.role === 'blank') {
    return trace.sample === '' ? null : findBlankOwner(groups, trace);
  }
  const key = JSON.stringify([trace.role, trace.sample, trace.replicate]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const { sample, role, replicate } = trace;
  const group: ReplicateGroup = { sample, role, replicate, dips: [], blanks: [], unusable: [], flags: [] };
  groups.set(key, group);
  return group;
}

/**
 * A blank that names a sample belongs to it, whatever the role of the sample; it may precede the sample in the file.
 */
function findBlankOwner(groups: Map<string, ReplicateGroup>, trace: Trace): ReplicateGroup | null {
  const owner = [...groups.values()].find((group) => {
    return group.sample === trace.sample && group.replicate === trace.replicate;
  });
  return owner ?? findGroup(groups, { ...trace, role: 'sample' });
}

/** Errors that concern all traces alike; such a trace is not left out by itself. */
const CONCERNS_ALL: ReadonlySet<string> = new Set([
  'association_length_needed',
  'settings_invalid',
  'values_implausible',
]);

function assertDissociation({ trace, dissociation }: AlignedTrace): void {
  const samples = dissociation?.timeS.length ?? 0;
  if (samples >= DISSOCIATION_MIN) return;
  const message =
    samples === 0
      ? `Trace ${trace.id} has no dissociation; only the model "steady_state" does not need it.`
      : `Trace ${trace.id} has ${formatCount(samples, 'sample')} of dissociation; ${DISSOCIATION_MIN} are needed.`;
  throw new AnalysisError('steps_missing', message);
}

/** An unusable reference is an error; an unusable sample trace is left out and reported with its replicate. */
function tryAlign(
  trace: Trace,
  settings: BindingSettings,
  { owner, needsDissociation }: { owner: ReplicateGroup | null; needsDissociation: boolean },
): AlignedTrace | null {
  try {
    if (trace.concentrationM === null && trace.role !== 'blank') {
      throw new AnalysisError(
        'steps_missing',
        `Trace ${trace.id} has no concentration: set assign["${trace.id}"].concentration_m.`,
      );
    }
    const aligned = alignTrace(trace, settings);
    const isMeasured = trace.role !== 'reference' && trace.role !== 'blank' && getConcentrationM(aligned) > 0;
    if (needsDissociation && isMeasured) assertDissociation(aligned);
    return aligned;
  } catch (error) {
    const deferrable = error instanceof AnalysisError && !CONCERNS_ALL.has(error.code);
    if (owner === null || !deferrable) throw error;
    owner.unusable.push({ traceId: trace.id, reason: error.message });
    return null;
  }
}

function placeTrace(plate: Plate, owner: ReplicateGroup | null, aligned: AlignedTrace): void {
  const { role, id, concentrationM } = aligned.trace;
  const isBlank = role === 'blank' || concentrationM === 0;
  // In buffer a constant signal may be genuine.
  const isDead = !isBlank && isConstant(aligned.trace);
  if (role === 'reference' && isDead) plate.deadReferences.push(id);
  else if (role === 'reference') plate.references.push(aligned);
  else if (owner !== null && isDead)
    owner.unusable.push({ traceId: id, reason: 'Its signal is constant: the sensor recorded nothing.' });
  else if (owner === null) plate.sharedBlanks.push(aligned);
  else if (isBlank) owner.blanks.push(aligned);
  else owner.dips.push(aligned);
}

/** Fewer equal samples may be chance. */
const CONSTANT_MIN = 20;

/** Whether a sensor gave one value from first to last step, which noise makes impossible. */
function isConstant({ steps }: Trace): boolean {
  const first = steps.at(0)?.signal.at(0);
  const samples = steps.reduce((sum, { signal }) => sum + signal.length, 0);
  return samples >= CONSTANT_MIN && steps.every(({ signal }) => signal.every((value) => value === first));
}

function getConcentrationM(aligned: AlignedTrace): number {
  return aligned.trace.concentrationM ?? 0;
}

/** Returns the reference sensors of one concentration on the plate. */
export function getReferencesAt(plate: Plate, concentrationM: number): AlignedTrace[] {
  return plate.references.filter((each) => isSameConcentration(getConcentrationM(each), concentrationM));
}

/**
 * Returns how many sensors of equal noise the variance of a referenced curve is worth, and the fraction that comes
 * from its blank.
 */
function countSensors(
  plate: Plate,
  { rule, blanks, concentrationM }: { rule: ReferenceRule; blanks: number; concentrationM: number },
): { sensors: number; commonNoise: number } {
  const isReferenced = rule === 'reference' || rule === 'double';
  const computeShare = (sensors: number): number => (isReferenced && sensors > 0 ? 1 / sensors : 0);
  const own = 1 + computeShare(getReferencesAt(plate, concentrationM).length);
  if (rule !== 'blank' && rule !== 'double') return { sensors: own, commonNoise: 0 };
  const ofBlank = 1 / blanks + computeShare(getReferencesAt(plate, 0).length);
  return { sensors: own + ofBlank, commonNoise: ofBlank / (own + ofBlank) };
}

export interface ProcessedGroup {
  rule: ReferenceRule;
  /** Where the drift of the curves is known from. */
  driftSource: DriftSource;
  curves: ProcessedCurve[];
  /** Curves that people left out: they are drawn, and nothing is taken from them. */
  leftOut: ProcessedCurve[];
  /** Per curve: the response of the reference sensor, and that of the sample's sensor before subtraction. */
  reference: { traceId: string; response: number; sampleResponse: number }[];
}

/** References by concentration, averaged once per plate. */
export type ReferenceLookup = (concentrationM: number) => AlignedTrace | null;

export function createReferenceLookup(plate: Plate): ReferenceLookup {
  const known = new Map<number, AlignedTrace | null>();
  return (concentrationM) => {
    const seen = known.get(concentrationM);
    if (seen !== undefined) return seen;
    const same = getReferencesAt(plate, concentrationM);
    const found = same.length === 0 ? null : averageTraces(same);
    known.set(concentrationM, found);
    return found;
  };
}

/**
 * Subtracts the reference, double where possible: (y − ref) − (blank − ref_blank) (Myszka 1999), then processes the
 * curves. Throws AnalysisError when the settings require a rule for which sensors are missing.
 */
function processGroup(
  plate: Plate,
  group: ReplicateGroup,
  lookup: ReferenceLookup,
  settings: BindingSettings,
): ProcessedGroup {
  if (settings.reference === 'auto') leaveOutUnreferenced(plate, group, lookup);
  const blanks = group.blanks.length > 0 ? group.blanks : plate.sharedBlanks;
  const processed = processWithBlanks(plate, group, blanks, { lookup, settings });
  if (processed.rule !== 'blank' && processed.rule !== 'double') return processed;
  const zero = processed.rule === 'double' ? lookup(0) : null;
  const responses = blanks.map((each) =>
    computeResponse(zero === null ? each : subtractTrace(each, zero), settings),
  );
  const respond = findRespondingBlanks(processed.curves, responses, computeMean(responses), settings);
  if (!respond.includes(true)) return processed;
  for (const { trace } of blanks.filter((_, i) => respond[i])) {
    const reason = 'The blank responds like sensors in analyte: check whether it contains analyte.';
    group.unusable.push({ traceId: trace.id, reason });
  }
  const left = blanks.filter((_, i) => !respond[i]);
  if (left.length === 0 && processed.rule === 'blank') {
    const message = `The blank of ${group.sample} responds like its sensors in analyte, and there is no other blank.`;
    throw new AnalysisError('not_enough_data', message);
  }
  return processWithBlanks(plate, group, left, { lookup, settings });
}

export type ProcessedPlate = Map<ReplicateGroup, ProcessedGroup | AnalysisError>;

/** Processes every replicate of the plate; a replicate that fails is kept as its error. */
export function processPlate(
  plate: Plate,
  lookup: ReferenceLookup,
  settings: BindingSettings,
): ProcessedPlate {
  const processed: ProcessedPlate = new Map();
  for (const group of plate.groups) {
    try {
      processed.set(group, processGroup(plate, group, lookup, settings));
    } catch (error) {
      if (!(error instanceof AnalysisError)) throw error;
      processed.set(group, error);
    }
  }
  if (settings.drift === 'held') holdDrift(plate, processed);
  if (plate.set.technique === 'bli') addStepNoise(plate, processed, settings);
  return processed;
}

/** Returns the blanks of the plate but for those that respond like sensors in analyte. */
function listBlanks({ sharedBlanks, groups }: Plate): AlignedTrace[] {
  const leftOut = new Set(groups.flatMap(({ unusable }) => unusable.map(({ traceId }) => traceId)));
  const all = [...sharedBlanks, ...groups.flatMap((group) => group.blanks)];
  return all.filter(({ trace }) => !leftOut.has(trace.id));
}

/** A BLI sensor changes its well between the steps. */
function addStepNoise(plate: Plate, processed: ProcessedPlate, settings: BindingSettings): void {
  const ofSensor = estimateStepNoise([...plate.references, ...listBlanks(plate)], settings.baselineS);
  for (const each of processed.values()) {
    if (each instanceof AnalysisError) continue;
    for (const { fit, sensors, noise } of each.curves) {
      const root = Math.sqrt(sensors);
      // Jumps as small as the noise cannot be excluded; only a fit with held levels takes them up.
      const least = areLevelsHeld(settings) ? noise : 0;
      const [start, end] = [ofSensor.start, ofSensor.end].map((each) => Math.max(each * root, least));
      fit.stepSe = { start, end };
      fit.jumpSd = Math.max(start, end, noise);
    }
  }
}

/** Gives every curve what its plate shows about drift. */
function holdDrift(plate: Plate, processed: ProcessedPlate): void {
  const { references } = plate;
  const usable = [...processed.values()].flatMap((each) => (each instanceof AnalysisError ? [] : [each]));
  const blanks = listBlanks(plate);
  const drift = estimatePlateDrift({ references, blanks, curves: usable.flatMap(({ curves }) => curves) });
  for (const each of usable) {
    each.driftSource = drift.source;
    for (const curve of each.curves) curve.fit.drift = buildDriftPrior(drift, curve);
  }
}

function processWithBlanks(
  plate: Plate,
  group: ReplicateGroup,
  blanks: readonly AlignedTrace[],
  { lookup, settings }: { lookup: ReferenceLookup; settings: BindingSettings },
): ProcessedGroup {
  const blank = blanks.length > 0 ? averageTraces(blanks) : null;
  const zero = lookup(0);
  const isEveryReferenced =
    group.dips.length > 0 && group.dips.every((dip) => lookup(getConcentrationM(dip)) !== null);
  const has = { references: isEveryReferenced, blank: blank !== null, referenceBlank: zero !== null };
  const rule = chooseReferenceRule(group.sample, has, settings.reference);
  const joinsSteps = plate.set.technique === 'bli';
  const processed: ProcessedGroup = { rule, driftSource: 'none', curves: [], leftOut: [], reference: [] };
  const isReferenced = rule === 'reference' || rule === 'double';
  const emptyLevel = Math.min(...[...group.dips, ...group.blanks].map((dip) => dip.level));
  let referencedBlank: AlignedTrace | null = null;
  for (const dip of rule === 'none' ? markSharedCeiling(group.dips) : group.dips) {
    const concentrationM = getConcentrationM(dip);
    const reference = lookup(concentrationM);
    let curve = dip;
    if (reference !== null && isReferenced) curve = subtractTrace(curve, reference);
    if (blank !== null && rule === 'blank') curve = subtractTrace(curve, blank);
    if (blank !== null && rule === 'double') {
      referencedBlank ??= zero === null ? blank : subtractTrace(blank, zero);
      curve = subtractTrace(curve, referencedBlank);
    }
    const options = { settings, joinsSteps, concentrationM };
    // All cycles share one surface, and its lowest baseline is the empty surface.
    const sharesSurface = settings.regeneration === 'measured' || plate.set.technique === 'spr';
    const leftSignal = sharesSurface ? dip.level - emptyLevel : 0;
    const counted = countSensors(plate, { rule, blanks: blanks.length, concentrationM });
    processed.curves.push(processCurve(curve, { ...options, leftSignal, ...counted }));
    if (reference !== null) {
      processed.reference.push({
        traceId: dip.trace.id,
        response: computeResponse(reference, settings),
        sampleResponse: computeResponse(dip, settings),
      });
    }
  }
  return processed;
}

/** Leaves out dips without a reference sensor where most dips have one; else references nothing. Flags both. */
function leaveOutUnreferenced(plate: Plate, group: ReplicateGroup, lookup: ReferenceLookup): void {
  const bare = group.dips.filter((dip) => lookup(getConcentrationM(dip)) === null);
  const left = group.dips.length - bare.length;
  if (bare.length === 0 || !plate.references.some((each) => getConcentrationM(each) > 0)) return;
  if (left >= REFERENCED_MIN && left >= bare.length) {
    for (const dip of bare) {
      const reason = `The plate has no reference sensor at ${formatConcentration(getConcentrationM(dip))}.`;
      group.unusable.push({ traceId: dip.trace.id, reason });
    }
    group.dips = group.dips.filter((dip) => !bare.includes(dip));
    return;
  }
  const list = bare.map((dip) => formatConcentration(getConcentrationM(dip))).join(', ');
  const message = `The plate has no reference sensors at ${list}: non-specific binding was not subtracted.`;
  group.flags.push(createFlag('NO_REFERENCE', 'warning', message));
}

const REFERENCED_MIN = 2;
