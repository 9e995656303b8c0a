/** Rules that accept an experiment: required fields by assay, defaults, and who may change what when. */
import { fail, type Failure, type Problem } from '#core/failures.ts';
import { isTerminal, type ExperimentStatus } from '#core/lifecycle.ts';
import { createSliceCounter, runAtOnce, type Steps } from '#core/slices.ts';
import { checkSequence, type NewSequence, type SequenceProblem } from '#domain/sequences/rules.ts';
import { findAssay, hasTarget, isAssay } from '#domain/assays/registry.ts';
import type { SequenceEntry, SequenceValue } from '#domain/sequences/contract.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from '#domain/sequences/quality.ts';

const REPLICATES_DEFAULT = 3;
const REPLICATES_MAX = 5;
const CONCENTRATIONS_DEFAULT_NM: readonly number[] = [1000, 316.2, 100, 31.6, 0];
const CONCENTRATION_NM_MAX = 1_000_000;
const NAME_LENGTH_MAX = 300;
const PROBLEMS_MAX = 100;
const WARNINGS_MAX = 200;
const INSPECTED_SEQUENCES_MAX = 5_000;
/** Fixed cost of checking one entry, in letters. */
const ENTRY_LETTERS = 500;

export function takesConcentrations(experimentType: string): boolean {
  return findAssay(experimentType)?.takesConcentrations ?? false;
}

export interface SpecLimits {
  readonly sequencesPerExperiment: number;
  readonly residuesPerSequence: number;
}

/** Sequences by name in their order; an object would put names such as "10" before all others. */
export type SequencePairs = readonly (readonly [name: string, value: SequenceValue])[];

export function listSequencePairs(sequences: SpecLike['sequences'] = {}): SequencePairs {
  return isPairs(sequences) ? sequences : Object.entries(sequences);
}

function isPairs(sequences: NonNullable<SpecLike['sequences']>): sequences is SequencePairs {
  return Array.isArray(sequences);
}

/**
 * The part of a specification that the rules read; looser than the wire type, so that they also run on invalid
 * bodies.
 */
export interface SpecLike {
  readonly experiment_type: string;
  readonly method?: string | null;
  readonly target_id?: string | null;
  readonly requested_target?: Readonly<Record<string, unknown>> | null;
  readonly n_replicates?: number | null;
  readonly antigen_concentrations?: readonly number[] | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly sequences?: Readonly<Record<string, SequenceValue>> | SequencePairs;
}

export interface NewExperimentSpec {
  readonly experimentType: string;
  readonly method: 'bli' | 'spr' | null;
  readonly targetId: string | null;
  readonly requestedTarget: Readonly<Record<string, unknown>> | null;
  readonly nReplicates: number;
  readonly antigenConcentrationsNm: readonly number[] | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly sequences: readonly NewSequence[];
}

export interface CheckedSpec {
  /** Null when the specification has problems. */
  readonly spec: NewExperimentSpec | null;
  readonly problems: readonly SequenceProblem[];
  readonly warnings: readonly string[];
}

const ROOT = 'experiment_spec';

/** Checks a whole specification and returns every problem with its JSON path. */
export function* checkSpec(spec: SpecLike, limits: SpecLimits): Steps<CheckedSpec> {
  const problems: SequenceProblem[] = [...findShapeProblems(spec)];
  const entries = listSequencePairs(spec.sequences);
  const sequences: NewSequence[] = [];
  const warnings: string[] = [];
  const isSliceFull = createSliceCounter();
  if (entries.length <= limits.sequencesPerExperiment) {
    for (const [name, value] of entries) {
      if (isSliceFull(countLetters(value))) yield;
      const checked = checkSequence(name, value, `${ROOT}.sequences.${name}`, limits);
      problems.push(...checked.problems);
      warnings.push(...checked.warnings);
      if (checked.sequence !== null) sequences.push(checked.sequence);
    }
  }
  if (problems.length > 0) return { spec: null, problems, warnings };
  return {
    spec: {
      experimentType: spec.experiment_type,
      method: spec.method === 'bli' || spec.method === 'spr' ? spec.method : null,
      targetId: spec.target_id ?? null,
      requestedTarget: spec.requested_target ?? null,
      nReplicates: spec.n_replicates ?? REPLICATES_DEFAULT,
      antigenConcentrationsNm: getConcentrations(spec),
      parameters: spec.parameters ?? null,
      sequences,
    },
    problems,
    warnings: [...warnings, ...(yield* collectQualityWarnings(sequences))],
  };
}

/** The cost of checking one entry, in letters. */
function countLetters(value: SequenceValue | SequenceEntry): number {
  return ENTRY_LETTERS + (typeof value === 'string' ? value.length : value.aa_string.length);
}

/**
 * Returns at most `WARNINGS_MAX` warnings, then a sentence that more exist: nobody reads further, so the search
 * stops.
 */
function* collectQualityWarnings(sequences: readonly NewSequence[]): Steps<string[]> {
  const warnings: string[] = [];
  const add = ({ sequence, message }: SequenceWarning): void => void warnings.push(`${sequence}: ${message}`);
  const isSliceFull = createSliceCounter();
  for (const { name, aaString } of sequences) {
    if (warnings.length > WARNINGS_MAX) break;
    if (isSliceFull(ENTRY_LETTERS + aaString.length)) yield;
    for (const warning of findSequenceWarnings(name, aaString)) add(warning);
  }
  if (warnings.length <= WARNINGS_MAX)
    for (const warning of yield* duplicateWarnings(sequences)) add(warning);
  if (warnings.length <= WARNINGS_MAX) return warnings;
  return [...warnings.slice(0, WARNINGS_MAX), 'Further warnings are not listed.'];
}

function getConcentrations(spec: SpecLike): readonly number[] | null {
  if (!takesConcentrations(spec.experiment_type)) return null;
  return spec.antigen_concentrations ?? CONCENTRATIONS_DEFAULT_NM;
}

function findShapeProblems(spec: SpecLike): SequenceProblem[] {
  const problems: SequenceProblem[] = [];
  const form = (field: string, message: string): void => {
    problems.push({ kind: 'form', path: `${ROOT}.${field}`, message });
  };
  const type = spec.experiment_type;
  if (hasTarget(type)) {
    if (isAbsent(spec.method)) form('method', `${type} needs a method: bli or spr`);
    if (isAbsent(spec.target_id) && isAbsent(spec.requested_target)) {
      form('target_id', `${type} needs a target_id from the catalog, or a requested_target`);
    }
    if (!isAbsent(spec.target_id) && !isAbsent(spec.requested_target)) {
      form('requested_target', 'give either target_id or requested_target, not both');
    }
  } else if (isAssay(type)) {
    if (!isAbsent(spec.method)) form('method', `${type} takes no method`);
    if (!isAbsent(spec.target_id)) form('target_id', `${type} takes no target`);
    if (!isAbsent(spec.requested_target)) form('requested_target', `${type} takes no target`);
  }
  if (Object.keys(spec.sequences ?? {}).length === 0) form('sequences', 'at least one sequence is needed');
  problems.push(...findNumberProblems(spec.experiment_type, spec, ROOT));
  return problems;
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

interface Numbers {
  readonly n_replicates?: number | null;
  readonly antigen_concentrations?: readonly number[] | null;
}

/** Checks the replicate count and the concentration series, for creation and change. */
export function findNumberProblems(
  experimentType: string,
  numbers: Numbers,
  root: string,
): SequenceProblem[] {
  const problems: SequenceProblem[] = [];
  const form = (field: string, message: string): void => {
    problems.push({ kind: 'form', path: root === '' ? field : `${root}.${field}`, message });
  };
  const { n_replicates: replicates, antigen_concentrations: series } = numbers;
  if (typeof replicates === 'number' && (replicates < 1 || replicates > REPLICATES_MAX)) {
    form('n_replicates', `must be between 1 and ${REPLICATES_MAX}`);
  }
  if (Array.isArray(series)) {
    if (!takesConcentrations(experimentType))
      form('antigen_concentrations', `${experimentType} takes no concentration series`);
    else if (!series.some((nM) => nM > 0))
      form('antigen_concentrations', 'at least one concentration must be above zero');
    if (series.some((nM) => !(nM >= 0 && nM <= CONCENTRATION_NM_MAX))) {
      form('antigen_concentrations', `every concentration must be between 0 and ${CONCENTRATION_NM_MAX} nM`);
    }
    if (new Set(series).size !== series.length)
      form('antigen_concentrations', 'a concentration is given twice; give each once');
  }
  return problems;
}

export interface CheckedEntries {
  readonly sequences: readonly NewSequence[];
  readonly problems: readonly SequenceProblem[];
  readonly warnings: string[];
}

/** Turns an array of sequence entries (PATCH, POST /sequences) into sequences; names must be unique within it. */
export function* checkEntries(
  entries: readonly SequenceEntry[],
  limits: SpecLimits,
  firstNumber: number,
): Steps<CheckedEntries> {
  const sequences: NewSequence[] = [];
  const problems: SequenceProblem[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  const isSliceFull = createSliceCounter();
  for (const [index, entry] of entries.entries()) {
    if (isSliceFull(countLetters(entry))) yield;
    // The strict form of metadata is that of the map of a creation; entries may have any.
    const { name: given, metadata = null, ...value } = entry;
    const name = given ?? `sequence-${firstNumber + index}`;
    const path = `sequences.${index}`;
    const checked = checkSequence(name, value, path, limits);
    problems.push(...checked.problems);
    warnings.push(...checked.warnings);
    if (seen.has(name)) problems.push({ kind: 'form', path, message: `the name ${name} is given twice` });
    seen.add(name);
    if (checked.sequence !== null) sequences.push({ ...checked.sequence, metadata });
  }
  return { sequences, problems, warnings: [...warnings, ...(yield* collectQualityWarnings(sequences))] };
}

export function checkName(name: string): Problem[] {
  if (name.trim() === '') return [{ path: 'name', message: 'must not be empty' }];
  if (name.length > NAME_LENGTH_MAX) {
    return [{ path: 'name', message: `must be at most ${NAME_LENGTH_MAX} characters` }];
  }
  if (name.includes('\u0000')) return [{ path: 'name', message: 'must not contain a NUL character' }];
  return [];
}

export function formatCopyName(name: string): string {
  const suffix = ' (copy)';
  return `${name.slice(0, NAME_LENGTH_MAX - suffix.length)}${suffix}`;
}

/** Accepts https addresses only. Where the address may point is checked again before every delivery. */
export function checkWebhookUrl(url: string | null | undefined): Problem[] {
  if (url === null || url === undefined) return [];
  const problem = (message: string): Problem[] => [{ path: 'webhook_url', message }];
  if (url.length > 2_000 || !URL.canParse(url)) return problem('must be an absolute https address');
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:') return problem('must start with https://');
  if (parsed.username !== '' || parsed.password !== '')
    return problem('must not contain a user name or password');
  return [];
}

/** Checks the fields of a creation outside the specification. */
export function checkEnvelope(body: { name: string; webhook_url?: string | null }): Problem[] {
  return [...checkName(body.name), ...checkWebhookUrl(body.webhook_url)];
}

export function refuseIfTooMany(count: number, limits: SpecLimits): void {
  if (count > limits.sequencesPerExperiment) {
    throw fail('too_many_sequences', { limit: limits.sequencesPerExperiment, count });
  }
}

export function refuseIfNotOffered(experimentType: string, offered: ReadonlySet<string>): void {
  if (!isAssay(experimentType) && !offered.has(experimentType)) {
    throw fail('experiment_type_not_offered', { experiment_type: experimentType });
  }
}

/** Makes one failure that names every problem: 400 when any of them is about form, else 422. */
export function createProblemsFailure(problems: readonly (SequenceProblem | Problem)[]): Failure {
  const listed = problems.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({ path, message }));
  const isForm = problems.some((problem) => !('kind' in problem) || problem.kind === 'form');
  const [head] = listed;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const reason = head === undefined ? 'unknown.' : `${head.path}: ${head.message}${more}.`;
  return fail(isForm ? 'invalid_experiment' : 'unprocessable_experiment', { reason }, { problems: listed });
}

const ALWAYS_EDITABLE: ReadonlySet<string> = new Set([
  'name',
  'description',
  'webhook_url',
  'webhook_secret',
]);

export function refuseIfNotEditable(status: ExperimentStatus, fields: readonly string[]): void {
  if (status === 'draft') return;
  if (isTerminal(status)) throw fail('experiment_closed', { status });
  const locked = fields.filter((field) => !ALWAYS_EDITABLE.has(field));
  if (locked.length > 0) throw fail('experiment_not_editable', { status, fields: locked.join(', ') });
}

/** Runs the rules on a body that its schema rejected, as far as its parts have usable types. */
export function inspectNewExperiment(body: unknown): Problem[] {
  if (!isRecord(body)) return [];
  const name = typeof body.name === 'string' ? checkName(body.name) : [];
  const webhook = typeof body.webhook_url === 'string' ? checkWebhookUrl(body.webhook_url) : [];
  return [...name, ...webhook, ...inspectEstimate(body)];
}

export function inspectEstimate(body: unknown): Problem[] {
  if (!isRecord(body) || !isRecord(body.experiment_spec)) return [];
  const spec = body.experiment_spec;
  if (typeof spec.experiment_type !== 'string') return [];
  const usable: SpecLike = {
    experiment_type: spec.experiment_type,
    method: toText(spec.method),
    target_id: toText(spec.target_id),
    requested_target: isRecord(spec.requested_target) ? spec.requested_target : null,
    n_replicates: typeof spec.n_replicates === 'number' ? spec.n_replicates : null,
    antigen_concentrations: toNumbers(spec.antigen_concentrations),
    sequences: toSequences(spec.sequences),
  };
  const limits = {
    sequencesPerExperiment: INSPECTED_SEQUENCES_MAX,
    residuesPerSequence: Number.MAX_SAFE_INTEGER,
  };
  return runAtOnce(checkSpec(usable, limits)).problems.map(({ path, message }) => ({ path, message }));
}

function toNumbers(value: unknown): number[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : null;
}

/** A value of a wrong type counts as given, so that it is not also reported as missing. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : '(not a text)';
}

function toSequences(value: unknown): Record<string, SequenceValue> {
  const usable: Record<string, SequenceValue> = {};
  if (value === undefined) return usable;
  if (!isRecord(value)) return { '(not a map)': 'A' };
  for (const [name, sequence] of Object.entries(value)) {
    if (typeof sequence === 'string') usable[name] = sequence;
    // The schema has checked the metadata already, so any shape passes here.
    else if (isRecord(sequence) && typeof sequence.aa_string === 'string') usable[name] = sequence.aa_string;
    // The schema has rejected this value already; here it only has to count as one sequence.
    else usable[name] = 'A';
  }
  return usable;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
