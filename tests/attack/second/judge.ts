/** Reads a result as a client does and compares it with the truth. */
import { isRecord } from '#core/records.ts';
import type { AttackResult } from '../analyze-run.ts';
import { analyzeRun } from '../analyze-run.ts';
import { computeLowerLimit } from '../judge/statistics.ts';
import type { SimulatedRun, Subject } from './truth.ts';

/** What went wrong, out of how many that could. */
export const FAULTS = [
  'interval misses',
  'kon misses',
  'koff misses',
  'Tm2 misses',
  'Tm3 misses',
  'wrong limit',
  'silent miss',
  'false positive',
  'false negative',
  'lost =',
  'error',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Of each fault that could occur in this result: whether it did. */
export type Verdict = Partial<Record<Fault, boolean>>;

interface Value {
  readonly value: number | null;
  readonly relation: string;
  readonly ci95_low: number | null;
  readonly ci95_high: number | null;
}

export interface Reading {
  readonly outcome: string;
  readonly flags: readonly string[];
  readonly value: Value | null;
  readonly kon: Value | null;
  readonly koff: Value | null;
  readonly detectableM: number | null;
  /** Every transition of a melt, ascending. */
  readonly transitions: readonly Value[];
}

const readNumber = (value: unknown) => (typeof value === 'number' ? value : null);

function readValue(quantities: unknown, name: string): Value | null {
  const found = isRecord(quantities) ? quantities[name] : undefined;
  if (!isRecord(found) || typeof found['value'] !== 'number') return null;
  return {
    value: found['value'],
    relation: typeof found['relation'] === 'string' ? found['relation'] : '',
    ci95_low: readNumber(found['ci95_low']),
    ci95_high: readNumber(found['ci95_high']),
  };
}

function readTransition(given: unknown): Value {
  const row = isRecord(given) ? given : {};
  const interval = isRecord(row['tm_interval']) ? row['tm_interval'] : {};
  return {
    value: readNumber(row['tm']),
    relation: typeof row['tm_relation'] === 'string' ? row['tm_relation'] : '',
    ci95_low: readNumber(interval['ci_low']),
    ci95_high: readNumber(interval['ci_high']),
  };
}

function readResult(found: AttackResult, subject: Subject): Reading {
  const result = found.results.get(subject.name);
  if (result === undefined) throw new Error(`no result of ${subject.name}`);
  const { quantities, qc } = result.record;
  const flags: unknown = isRecord(qc) ? qc['flags'] : [];
  const row: unknown = result.summary[0];
  return {
    outcome: result.outcome,
    flags: Array.isArray(flags) ? flags.filter((flag): flag is string => typeof flag === 'string') : [],
    value: readValue(quantities, subject.quantity),
    kon: readValue(quantities, 'kon'),
    koff: readValue(quantities, 'koff'),
    transitions:
      isRecord(row) && Array.isArray(row['transitions']) ? row['transitions'].map(readTransition) : [],
    detectableM: isRecord(row) ? readNumber(row['kd_detectable_m']) : null,
  };
}

function isOutside({ ci95_low, ci95_high }: Value, low: number, high: number): boolean {
  return (ci95_low !== null && ci95_low > high) || (ci95_high !== null && ci95_high < low);
}

function isFarOff(value: number, low: number, high: number, subject: Subject): boolean {
  if (subject.quantity === 'tm') return value > high + 1 || value < low - 1;
  return value > high * 1.3 || value < low / 1.3;
}

const LATER_MISSES = ['Tm2 misses', 'Tm3 misses'] as const;

/** Of each later transition that is stated as measured: whether its interval lacks the nearest one that no earlier one took. */
function findLaterMisses({ transitions }: Reading, expectedC: readonly number[] | undefined): Verdict {
  const verdict: Verdict = {};
  if (expectedC === undefined) return verdict;
  const left = [...expectedC];
  for (const [at, { value, relation, ci95_low: low, ci95_high: high }] of transitions.entries()) {
    const distances = left.map((celsius) => Math.abs(celsius - (value ?? Number.NaN)));
    const [nearest] = left.splice(distances.indexOf(Math.min(...distances)), 1);
    const fault = LATER_MISSES[at - 1];
    if (fault === undefined || relation !== '=') continue;
    verdict[fault] =
      nearest === undefined || low === null || high === null || nearest < low || nearest > high;
  }
  return verdict;
}

export function findFaults(reading: Reading, subject: Subject): Verdict {
  const { truth } = subject;
  const { value, outcome, flags } = reading;
  if (truth === null) {
    // A negative result is right, and so is to say that nothing can be told.
    const finds =
      subject.quantity === 'kd' ? outcome === 'measured' : value !== null && value.relation !== '<';
    return { 'false positive': finds, ...(finds ? { 'silent miss': flags.length === 0 } : {}) };
  }
  const { low, high } = truth;
  const verdict: Verdict = findLaterMisses(reading, subject.transitionsC);
  if (subject.isSound) verdict['lost ='] = value?.relation !== '=';
  if (subject.quantity === 'kd')
    verdict['false negative'] =
      outcome === 'non_binder' && (reading.detectableM ?? Number.POSITIVE_INFINITY) >= low;
  if (value === null || value.value === null) return verdict;
  if (value.relation === '=') verdict['interval misses'] = isOutside(value, low, high);
  if (value.relation === '<') verdict['wrong limit'] = low > value.value * 1.02;
  if (value.relation === '>') verdict['wrong limit'] = high < value.value / 1.02;
  if (value.relation === '=' || value.relation === '~')
    verdict['silent miss'] = flags.length === 0 && isFarOff(value.value, low, high, subject);
  const { rates } = subject;
  const { kon, koff } = reading;
  if (rates !== undefined && kon?.relation === '=')
    verdict['kon misses'] = isOutside(kon, rates.konPerMS, rates.konPerMS);
  if (rates !== undefined && koff?.relation === '=')
    verdict['koff misses'] = isOutside(koff, rates.koffPerS, rates.koffPerS);
  return verdict;
}

export interface Judged {
  readonly family: string;
  readonly seed: string;
  readonly subject: Subject;
  readonly reading: Reading | null;
  readonly error: string | null;
  readonly verdict: Verdict;
}

export function checkRun(family: string, seed: string, made: SimulatedRun): readonly Judged[] {
  try {
    const found = analyzeRun(made.run);
    return made.subjects.map((subject) => {
      const reading = readResult(found, subject);
      const verdict = { error: false, ...findFaults(reading, subject) };
      return { family, seed, subject, reading, error: null, verdict };
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return made.subjects.map((subject) => ({
      family,
      seed,
      subject,
      reading: null,
      error: message,
      verdict: { error: true, ...(subject.isSound ? { 'lost =': true } : {}) },
    }));
  }
}

export interface Cell {
  readonly count: number;
  readonly of: number;
  /** One-sided 95 % lower limit of the rate (Clopper & Pearson). */
  readonly lowerLimit: number;
}

export function countFaults(judged: readonly Judged[]): Readonly<Record<Fault, Cell>> {
  const countOne = (fault: Fault): Cell => {
    const seen = judged.flatMap(({ verdict }) => {
      const found = verdict[fault];
      return found === undefined ? [] : [found];
    });
    const count = seen.filter(Boolean).length;
    return { count, of: seen.length, lowerLimit: computeLowerLimit(count, seen.length) };
  };
  return {
    'interval misses': countOne('interval misses'),
    'kon misses': countOne('kon misses'),
    'koff misses': countOne('koff misses'),
    'Tm2 misses': countOne('Tm2 misses'),
    'Tm3 misses': countOne('Tm3 misses'),
    'wrong limit': countOne('wrong limit'),
    'silent miss': countOne('silent miss'),
    'false positive': countOne('false positive'),
    'false negative': countOne('false negative'),
    'lost =': countOne('lost ='),
    error: countOne('error'),
  };
}

const CHANCE_FAULTS: ReadonlySet<Fault> = new Set([
  'interval misses',
  'kon misses',
  'koff misses',
  'Tm2 misses',
  'Tm3 misses',
  'wrong limit',
]);

/** The rate that a family may not certainly exceed. Losing `=` is limited where nothing is wrong with the run. */
export function findLimit(family: string, fault: Fault): number | null {
  if (fault === 'error') return 0;
  if (fault === 'lost =') {
    if (!family.includes('clean')) return null;
    return family.startsWith('bli') ? 0.15 : 0.1;
  }
  return CHANCE_FAULTS.has(fault) ? 0.05 : 0.005;
}
