/** Rules that accept an experiment: required fields by assay, defaults, and who may change what when. */
import { findLineProblem, removeControls } from '#core/one-line.ts';
import { fail, type Failure, type Problem } from '#core/failures.ts';
import { isTerminal, type ExperimentStatus } from '#core/lifecycle.ts';
import { isRecord } from '#core/records.ts';
import { runAtOnce, type Steps } from '#core/slices.ts';
import type { NewSequence, SequenceLimits, SequenceProblem } from '../sequences/rules.ts';
import {
  chooseReplicates,
  findOfferProblems,
  REPLICATES_MAX,
  type Offer,
} from '../pricing/assay-types/rules.ts';
import { hasTarget, isAssay, takesConcentrations } from '#assays/registry.ts';
import type { NewSequences } from '../sequences/contract.ts';
import {
  addQualityWarnings,
  checkSequences,
  listGiven,
  nameGiven,
  type GivenSequence,
} from '../sequences/check-sequences.ts';
import { findMisnamedPayment } from './payment-choice.ts';
import type { WarningGroup } from '../sequences/warnings.ts';

const REPLICATES_DEFAULT = 3;
export const CONCENTRATIONS_DEFAULT_NM: readonly number[] = [1000, 316.2, 100, 31.6, 0];
const CONCENTRATION_NM_MAX = 1_000_000;
const NAME_LENGTH_MAX = 300;
const PROBLEMS_MAX = 100;
const INSPECTED_SEQUENCES_MAX = 5_000;

/**
 * A specification as a request gives it, with its sequences as one list. Looser than the wire type, so that the rules
 * also run on invalid bodies.
 */
export interface GivenSpec {
  readonly experiment_type: string;
  readonly method?: string | null;
  readonly target_id?: string | null;
  readonly target?: string | null;
  readonly requested_target?: Readonly<Record<string, unknown>> | null;
  readonly n_replicates?: number | null;
  readonly antigen_concentrations?: readonly number[] | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly sequences: readonly GivenSequence[];
}

type WireSpec = Omit<GivenSpec, 'sequences'> & { readonly sequences?: NewSequences };

/** Reads a specification that its schema accepted. */
export function readSpec(wire: WireSpec): GivenSpec {
  return { ...wire, sequences: listGiven(wire.sequences ?? {}) };
}

export interface NewExperimentSpec {
  readonly experiment_type: string;
  readonly method: 'bli' | 'spr' | null;
  readonly target_id: string | null;
  readonly requested_target: Readonly<Record<string, unknown>> | null;
  readonly n_replicates: number;
  readonly antigen_concentrations_nm: readonly number[] | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly sequences: readonly NewSequence[];
}

export interface CheckedSpec {
  /** Null when the specification has problems. */
  readonly spec: NewExperimentSpec | null;
  readonly problems: readonly SequenceProblem[];
  readonly warnings: readonly WarningGroup[];
}

const ROOT = 'experiment_spec';

/**
 * Checks a whole specification and returns every problem with its JSON path. Without an offer it checks only what the
 * contract says.
 */
export function* checkSpec(spec: GivenSpec, limits: SequenceLimits, offer?: Offer): Steps<CheckedSpec> {
  const checked = yield* checkSequences(spec.sequences, `${ROOT}.sequences`, limits);
  const { sequences, warnings } = checked;
  const nReplicates = spec.n_replicates ?? chooseReplicates(REPLICATES_DEFAULT, offer);
  const problems = [
    ...findShapeProblems(spec),
    ...findOrderProblems(spec, nReplicates, offer),
    ...checked.problems,
  ];
  if (problems.length > 0) return { spec: null, problems, warnings: [] };
  yield* addQualityWarnings(warnings, sequences);
  const series = spec.antigen_concentrations ?? [SERIES_NM_MIN];
  if (Math.max(...series) < SERIES_NM_MIN) warnings.add(SERIES_IN_MOLAR);
  return {
    spec: {
      experiment_type: spec.experiment_type,
      method: spec.method === 'bli' || spec.method === 'spr' ? spec.method : null,
      target_id: spec.target_id ?? null,
      requested_target: spec.requested_target ?? null,
      n_replicates: nReplicates,
      antigen_concentrations_nm: findConcentrations(spec),
      parameters: spec.parameters ?? null,
      sequences,
    },
    problems,
    warnings: warnings.list(),
  };
}

/** Finds what the lab does not offer; what the contract does not allow at all is found elsewhere. */
function findOrderProblems(
  { experiment_type: type, method }: GivenSpec,
  nReplicates: number,
  offer: Offer | undefined,
): SequenceProblem[] {
  if (offer === undefined) return [];
  const isAllowed = nReplicates >= 1 && nReplicates <= REPLICATES_MAX;
  const ordered = {
    method: hasTarget(type) ? (method ?? null) : null,
    n_replicates: isAllowed ? nReplicates : offer.replicates_min,
  };
  return findOfferProblems(offer, ordered, `${ROOT}.`).map((problem) => ({ ...problem, kind: 'content' }));
}

/** Below it no antigen is measurable, but a series in M often ends there. */
const SERIES_NM_MIN = 1e-3;
const SERIES_IN_MOLAR = {
  rule: 'concentrations_in_molar',
  sequence: null,
  message:
    'The largest value of antigen_concentrations is below 0.001 nM; the series looks like M. Values are nM: multiply them by 1e9 if they are M.',
} as const;

function findConcentrations(spec: GivenSpec): readonly number[] | null {
  if (!takesConcentrations(spec.experiment_type)) return null;
  return spec.antigen_concentrations ?? CONCENTRATIONS_DEFAULT_NM;
}

function findShapeProblems(spec: GivenSpec): SequenceProblem[] {
  const problems: SequenceProblem[] = [];
  const addProblem = (field: string, message: string): void => {
    problems.push({ kind: 'form', path: `${ROOT}.${field}`, message });
  };
  const type = spec.experiment_type;
  if (hasTarget(type)) {
    if (isAbsent(spec.method)) addProblem('method', `${type} needs a method: bli or spr`);
    problems.push(...findTargetProblems(type, spec));
  } else if (isAssay(type)) {
    if (!isAbsent(spec.method)) addProblem('method', `${type} takes no method`);
    if (!isAbsent(spec.target_id)) addProblem('target_id', `${type} takes no target`);
    if (!isAbsent(spec.target)) addProblem('target', `${type} takes no target`);
    if (!isAbsent(spec.requested_target)) addProblem('requested_target', `${type} takes no target`);
  }
  if (spec.sequences.length === 0) addProblem('sequences', 'at least one sequence is needed');
  for (const [field, text] of Object.entries(spec.requested_target ?? {})) {
    const isLine = typeof text === 'string' && !TEXTS_OF_LINES.has(field);
    const problem = isLine ? findLineProblem(text) : undefined;
    if (problem !== undefined) addProblem(`requested_target.${field}`, problem);
  }
  problems.push(...findNumberProblems(spec.experiment_type, spec, ROOT));
  return problems;
}

/** Members of a requested target that may have several lines. */
const TEXTS_OF_LINES: ReadonlySet<string> = new Set(['sequence', 'note']);

/** The target stands in one of three fields. */
function findTargetProblems(type: string, spec: GivenSpec): SequenceProblem[] {
  const createProblems = (field: string, message: string): SequenceProblem[] => [
    { kind: 'form', path: `${ROOT}.${field}`, message },
  ];
  const named = (['target_id', 'target', 'requested_target'] as const).filter(
    (field) => !isAbsent(spec[field]),
  );
  const [first, second] = named;
  if (first === undefined)
    return createProblems(
      'target_id',
      `${type} needs a target_id from the catalog (or target, its name), or a requested_target`,
    );
  return second === undefined ? [] : createProblems(second, `give either ${first} or ${second}, not both`);
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
  const addProblem = (field: string, message: string): void => {
    problems.push({ kind: 'form', path: root === '' ? field : `${root}.${field}`, message });
  };
  const { n_replicates: replicates, antigen_concentrations: series } = numbers;
  if (typeof replicates === 'number' && (replicates < 1 || replicates > REPLICATES_MAX)) {
    addProblem('n_replicates', `must be between 1 and ${REPLICATES_MAX}`);
  }
  if (Array.isArray(series)) {
    if (!takesConcentrations(experimentType))
      addProblem('antigen_concentrations', `${experimentType} takes no concentration series`);
    else if (!series.some((nM) => nM > 0))
      addProblem('antigen_concentrations', 'at least one concentration must be above zero');
    if (series.some((nM) => !(nM >= 0 && nM <= CONCENTRATION_NM_MAX))) {
      addProblem(
        'antigen_concentrations',
        `every concentration must be between 0 and ${CONCENTRATION_NM_MAX} nM`,
      );
    }
    if (new Set(series).size !== series.length)
      addProblem('antigen_concentrations', 'a concentration is given twice; give each once');
  }
  return problems;
}

export function checkName(name: string): Problem[] {
  if (name.trim() === '') return [{ path: 'name', message: 'must not be empty' }];
  if (name.length > NAME_LENGTH_MAX)
    return [{ path: 'name', message: `must be at most ${NAME_LENGTH_MAX} characters` }];
  const message = findLineProblem(name);
  return message === undefined ? [] : [{ path: 'name', message }];
}

export function formatCopyName(name: string): string {
  const suffix = ' (copy)';
  return `${removeControls(name).slice(0, NAME_LENGTH_MAX - suffix.length)}${suffix}`;
}

/** `findProblem` says why this installation never sends to an address. Every delivery asks again, with what the name resolves to. */
export function checkWebhookUrl(
  url: string | null | undefined,
  findProblem: (url: string) => string | null,
): Problem[] {
  const message = url === null || url === undefined ? null : findProblem(url);
  return message === null ? [] : [{ path: 'webhook_url', message }];
}

/** Checks the fields of a creation outside the specification, as far as they have usable types. */
export function checkEnvelope(
  body: { name?: unknown; webhook_url?: unknown },
  findReceiverProblem: (url: string) => string | null,
): Problem[] {
  return [
    ...(typeof body.name === 'string' ? checkName(body.name) : []),
    ...(typeof body.webhook_url === 'string' ? checkWebhookUrl(body.webhook_url, findReceiverProblem) : []),
    ...findMisnamedPayment(body),
  ];
}

/** Throws `too_many_sequences`. */
export function refuseIfTooMany(
  count: number,
  { sequencesPerExperiment: limit }: { readonly sequencesPerExperiment: number },
): void {
  if (count > limit) throw fail('too_many_sequences', { limit, count });
}

/** Makes one failure that names every problem: 400 when any of them is about form, else 422; DNA has its own code. */
export function createProblemsFailure(problems: readonly (SequenceProblem | Problem)[]): Failure {
  const listed = problems.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({ path, message }));
  const isForm = problems.some((problem) => !('kind' in problem) || problem.kind === 'form');
  const [head] = listed;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const reason = head === undefined ? 'unknown.' : `${head.path}: ${head.message}${more}.`;
  const isDna = problems.some((problem) => 'kind' in problem && problem.kind === 'dna');
  if (isForm) return fail('invalid_experiment', { reason }, { problems: listed });
  return fail(isDna ? 'looks_like_dna' : 'unprocessable_experiment', { reason }, { problems: listed });
}

const ALWAYS_EDITABLE: ReadonlySet<string> = new Set(
  'name description webhook_url webhook_secret'.split(' '),
);

/** Throws `experiment_closed` or `experiment_not_editable`. */
export function refuseIfNotEditable(status: ExperimentStatus, fields: readonly string[]): void {
  if (status === 'draft') return;
  if (isTerminal(status)) throw fail('experiment_closed', { status });
  const locked = fields.filter((field) => !ALWAYS_EDITABLE.has(field));
  if (locked.length > 0) throw fail('experiment_not_editable', { status, fields: locked.join(', ') });
}

/** Finds what is wrong with the form of an address; only an address of this machine may do without TLS. */
function findFormProblem(url: string): string | null {
  if (!URL.canParse(url)) return 'must be an absolute https address';
  const isLocal = /^http:\/\/(?:localhost|127\.|\[::1\])/.test(url);
  return url.startsWith('https://') || isLocal ? null : 'must start with https://';
}

/** Runs the rules on a body that its schema rejected, as far as its parts have usable types. */
export function inspectNewExperiment(body: unknown): Problem[] {
  return isRecord(body) ? [...checkEnvelope(body, findFormProblem), ...inspectEstimate(body)] : [];
}

export function inspectEstimate(body: unknown): Problem[] {
  if (!isRecord(body) || !isRecord(body.experiment_spec)) return [];
  const spec = body.experiment_spec;
  if (typeof spec.experiment_type !== 'string') return [];
  const usable: GivenSpec = {
    experiment_type: spec.experiment_type,
    method: toText(spec.method),
    target_id: toText(spec.target_id),
    target: toText(spec.target),
    requested_target: isRecord(spec.requested_target) ? spec.requested_target : null,
    n_replicates: typeof spec.n_replicates === 'number' ? spec.n_replicates : null,
    antigen_concentrations: toNumbers(spec.antigen_concentrations),
    sequences: listUsable(spec.sequences),
  };
  const limits = { residuesPerSequence: Number.MAX_SAFE_INTEGER };
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

/** What cannot be read, or is too much to read at once, counts as one sequence. */
function listUsable(value: unknown): GivenSequence[] {
  if (value === undefined) return [];
  if (!isRecord(value) && !Array.isArray(value)) return [nameGiven('(not a map)', 'A')];
  if (Object.keys(value).length > INSPECTED_SEQUENCES_MAX) return [nameGiven('(too many)', 'A')];
  if (!Array.isArray(value))
    return Object.entries(value).map(([name, entry]) => nameGiven(name, toLetters(entry)));
  return listGiven(
    value.map((entry: unknown) => {
      const named = isRecord(entry) && typeof entry.name === 'string' ? { name: entry.name } : {};
      return { ...named, aa_string: toLetters(entry) };
    }),
  );
}

/**
 * The schema has checked the metadata already, so any shape passes here. A value that it rejected only has to count as
 * one sequence.
 */
function toLetters(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  return isRecord(entry) && typeof entry.aa_string === 'string' ? entry.aa_string : 'A';
}
