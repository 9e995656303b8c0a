/** Reads a result as a client does, from the row and the record on the wire, and compares it with the truth. */
import type { WireResult } from '#assays/result-record.ts';
import { analyzeRun } from '../analyze-run.ts';
import { drawCase, type Family, type Truth } from '../families/family.ts';

/** What one sequence of one run came out as. */
export interface Verdict {
  readonly seed: number;
  readonly sequence: string;
  readonly truth: Truth;
  /** Null where the run was refused with a sentence, which misleads nobody. */
  readonly reading: Reading | null;
  readonly refusal: string | null;
  /** Processor time of the analysis. */
  readonly ms: number;
}

export interface Reading {
  readonly outcome: string;
  readonly call: string | null;
  readonly kdM: number | null;
  readonly relation: string | null;
  readonly lowM: number | null;
  readonly highM: number | null;
  /** Weakest KD that the result claims it would have seen. */
  readonly detectableM: number | null;
  readonly flags: readonly string[];
}

/** The faults that are counted, and whether a value was kept. */
export type Mark =
  | 'exact'
  | 'exact_right'
  | 'exact_missed'
  | 'limit'
  | 'limit_wrong'
  | 'silent'
  | 'silent_outside'
  | 'twofold'
  | 'flagged'
  | 'false_binder'
  | 'firm_non_binder'
  | 'refused';

const SILENT_FRACTION = 0.3;
const TWOFOLD = 2;

type Members = Readonly<Record<string, unknown>>;

function toMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

const readNumber = (value: unknown) => (typeof value === 'number' ? value : null);
const readText = (value: unknown) => (typeof value === 'string' ? value : null);

/** Throws where row and record contradict each other, because a client may read either. */
export function readResult(
  result: Pick<WireResult, 'outcome' | 'record'> & { readonly summary: readonly object[] },
): Reading {
  const row = toMembers(result.summary[0]);
  const kd = toMembers(toMembers(result.record['quantities'])['kd']);
  const kdM = readNumber(kd['value']);
  const relation = kdM === null ? null : readText(kd['relation']);
  if (readNumber(row['kd_mean']) !== kdM || (kdM !== null && readText(row['kd_relation']) !== relation))
    throw new Error('The row and the record of the result give different KD.');
  const flags = toMembers(result.record['qc'])['flags'];
  const detectable = row['kd_detectable_m'] ?? result.record['kd_detectable_m'];
  return {
    outcome: result.outcome,
    call: readText(row['call']),
    kdM,
    relation,
    lowM: readNumber(kd['ci95_low']),
    highM: readNumber(kd['ci95_high']),
    detectableM:
      readNumber(detectable) ??
      readNumber(toMembers(toMembers(result.record['quantities'])['kd_detectable'])['value']),
    flags: Array.isArray(flags) ? flags.map(String) : [],
  };
}

/** Analyzes a run of the family and judges each of its sequences. */
export function examineRun(family: Family, seed: number): Verdict[] {
  const { run, truths } = drawCase(family, seed);
  const started = process.threadCpuUsage();
  const measureMs = () => {
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / 1000;
  };
  let analyzed: ReturnType<typeof analyzeRun>;
  try {
    analyzed = analyzeRun(run);
  } catch (error) {
    const refusal = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const ms = measureMs();
    return Object.entries(truths).map(([sequence, truth]) => ({
      seed,
      sequence,
      truth,
      reading: null,
      refusal,
      ms,
    }));
  }
  const ms = measureMs();
  return Object.entries(truths).map(([sequence, truth]) => {
    const result = analyzed.results.get(sequence);
    if (result === undefined) throw new Error(`There is no result of ${sequence}.`);
    return { seed, sequence, truth, reading: readResult(result), refusal: null, ms };
  });
}

function markBinder(truth: Extract<Truth, { kind: 'binder' }>, reading: Reading): Mark[] {
  const { kdM, relation, lowM, highM, flags, outcome, call, detectableM } = reading;
  const marks: Mark[] = [];
  const isInside = (lowM === null || lowM <= truth.kdM) && (highM === null || highM >= truth.kdM);
  if (relation === '=') marks.push('exact', isInside ? 'exact_right' : 'exact_missed');
  if (relation === '<' || relation === '>') {
    marks.push('limit');
    if (kdM !== null && (relation === '<' ? truth.kdM > kdM : truth.kdM < kdM)) marks.push('limit_wrong');
  }
  if (kdM !== null && (relation === '=' || relation === '~')) {
    const ratio = kdM / truth.kdM;
    if (Math.abs(ratio - 1) > SILENT_FRACTION && flags.length === 0)
      marks.push('silent', ...(isInside ? [] : (['silent_outside'] as const)));
    if (ratio <= TWOFOLD && ratio >= 1 / TWOFOLD) marks.push('twofold');
  }
  const claims = detectableM === null ? truth.isDetectable : detectableM >= truth.kdM;
  if (outcome === 'non_binder' && call !== 'inconclusive' && flags.length === 0 && claims)
    marks.push('firm_non_binder');
  return marks;
}

/** What counts of one verdict. A refused run has no value, and says so. */
export function markVerdict({ truth, reading }: Pick<Verdict, 'truth' | 'reading'>): Mark[] {
  if (reading === null) return ['refused'];
  const flagged: Mark[] = reading.flags.length > 0 ? ['flagged'] : [];
  if (truth.kind === 'binder') return [...flagged, ...markBinder(truth, reading)];
  return reading.call === 'binder' ? [...flagged, 'false_binder'] : flagged;
}
