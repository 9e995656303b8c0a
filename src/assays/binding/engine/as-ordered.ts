/**
 * What the order says where a file is silent: the technique, and the sequence of an experiment that has only one. What
 * the file says itself is never changed.
 */
import { formatCount } from '#core/words.ts';
import type { Technique, Trace, TraceSet } from '#analysis/curves/trace.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { findAssignment, formatNames } from '#analysis/assays/settings.ts';
import type { TraceAssignment } from './assignments.ts';

/** What an analysis knows of the order when it reads a file. */
export interface OrderedRun {
  method: string | null;
  /** Names of the ordered sequences. */
  names: string[];
}

const UNITS: Readonly<Record<Technique, string>> = { bli: 'nm', spr: 'RU' };

/** Returns the set with the technique and the unit that the file or else the order states; a notice says so. */
export function withTechnique(set: TraceSet, method: string | null): TraceSet {
  const technique = set.technique ?? findTechnique(set.signalUnit) ?? toTechnique(method);
  if (technique === null || (set.technique !== null && set.signalUnit !== null)) return set;
  const signalUnit = set.signalUnit ?? UNITS[technique];
  const source = set.technique ?? findTechnique(set.signalUnit);
  const notice = `The file does not state its technique: it was analyzed as ${technique.toUpperCase()}, as ordered, with signals in ${signalUnit}.`;
  const notices = source === null ? [...set.notices, notice] : set.notices;
  return { ...set, technique, signalUnit, notices };
}

function findTechnique(signalUnit: string | null): Technique | null {
  const found = Object.entries(UNITS).find(([, unit]) => unit === signalUnit);
  return toTechnique(found?.[0] ?? null);
}

function toTechnique(method: string | null): Technique | null {
  return method === 'bli' || method === 'spr' ? method : null;
}

/**
 * Names the traces of a file that names no sample after the only sequence of the experiment. Does nothing where the
 * settings assign samples, because what they leave out is then left out on purpose.
 */
export function withOnlySequence(
  set: TraceSet,
  names: readonly string[],
  assign: Readonly<Record<string, TraceAssignment>>,
): TraceSet {
  const [name] = names;
  const isAssigned = Object.values(assign).some(({ sample }) => sample !== undefined);
  if (names.length !== 1 || isAssigned || !set.traces.some(isUnnamed)) return set;
  const traces = set.traces.map((trace) =>
    isUnnamed(trace) ? { ...trace, sample: name, isUnnamed: false } : trace,
  );
  const count = set.traces.filter(isUnnamed).length;
  const subject =
    count === set.traces.length
      ? 'The file names no sample'
      : `${formatCount(count, 'trace')} ${count === 1 ? 'names' : 'name'} no sample`;
  const notice = `${subject}: taken as ${name}, the only sequence of the experiment.`;
  return { ...set, traces, notices: [...set.notices, notice] };
}

function isUnnamed({ isUnnamed: said, role, sample }: Trace): boolean {
  return role === 'sample' && (said === true || sample === '');
}

/** Returns the ids of the traces that neither the file nor the settings give a sample. */
export function listUnnamed(
  set: TraceSet,
  plate: string,
  assign: Readonly<Record<string, TraceAssignment>>,
): string[] {
  return set.traces.flatMap((trace) => {
    const assignment = findAssignment(assign, plate, trace.id) ?? {};
    const role = assignment.role ?? trace.role;
    const isNamed = assignment.sample !== undefined || assignment.exclude === true || role !== 'sample';
    return isNamed || !isUnnamed(trace) ? [] : [trace.id];
  });
}

/**
 * Returns what people have to assign where the files and the order do not name the same samples; null where every trace
 * has a name and some name was ordered. Throws `nothing_to_analyze` where traces without a name are all there is.
 */
export function describeUnmatched(
  found: { readonly samples: readonly string[]; readonly unnamed: readonly string[] },
  names: readonly string[],
): string | null {
  const { samples, unnamed } = found;
  if (names.length === 0) return null;
  const isMatched = samples.some((sample) => names.includes(sample));
  const ordered = `${names.length === 1 ? 'the sequence' : 'the sequences'} ${formatNames(names)}`;
  if (unnamed.length > 0) {
    const sentence = `The files name no sample for ${formatNames(unnamed)}, and the order has ${ordered}: state which sequence each trace is, as in assign["${unnamed[0]}"].sample.`;
    if (!isMatched) throw new AnalysisError('nothing_to_analyze', sentence);
    // What people left out while they assigned other traces to the only sequence was left out on purpose.
    return names.length === 1 ? null : sentence;
  }
  if (isMatched) return null;
  return `No trace has the name of an ordered sequence: the files have ${formatNames(samples)}, the order has ${ordered}. State which sequence a trace is, as in assign["<trace>"].sample.`;
}
