/** Judges a result as a client reads it: relation, value, interval and flags of the wire. */
import { isRecord } from '#core/records.ts';
import type { JudgedResult, Judgment, Truth } from './family.ts';

interface ReadQuantity {
  readonly value: number;
  readonly relation: string;
  readonly low: number | null;
  readonly high: number | null;
}

export interface ReadResult {
  readonly outcome: string;
  readonly quantity: ReadQuantity | null;
  readonly intensity: ReadQuantity | null;
  readonly flags: readonly string[];
  readonly tmAllC: readonly number[];
  /** Every transition of a melt, ascending. */
  readonly transitions: readonly ReadQuantity[];
  readonly reason: string | null;
}

/** The slack of a stated limit: a reading that noise puts just on its other side does not mislead. */
const LIMIT_SLACK = 0.1;

export function decideOutcomes(result: JudgedResult | Error, truth: Truth): Judgment {
  if (result instanceof Error) return { refused: true, silent_miss: false, kept: false };
  const read = readResult(result, truth);
  const { quantity, flags } = read;
  const relation = quantity?.relation ?? null;
  const isTold = flags.length > 0;
  const isOff = quantity !== null && isFarOff(quantity, truth);
  const judged: Record<string, boolean> = {
    refused: false,
    silent_miss: (isOff || isIntensityOff(read, truth)) && !isTold,
    kept: relation === '=' && !isOff && truth.value !== null,
    untold: relation === '=' && !isTold,
  };
  if (truth.value === null) judged['false_firm'] = relation === '=';
  else if (quantity !== null && relation === '=') judged['interval_miss'] = isMissedBy(quantity, truth.value);
  if (quantity !== null && (relation === '<' || relation === '>')) judged['wrong_limit'] = isOff;
  if (truth.intensity !== undefined && read.intensity?.relation === '=')
    judged['intensity_interval_miss'] = isMissedBy(read.intensity, truth.intensity);
  if (truth.all !== undefined) {
    judged['all_found'] = areAllFound(read.tmAllC, truth.all);
    const missed = findMissedTransitions(read.transitions, truth.all);
    for (const [k, name] of LATER_MISSES.entries()) {
      const isMissed = missed[k + 1];
      if (isMissed !== undefined && isMissed !== null) judged[name] = isMissed;
    }
  }
  return judged;
}

/** The first transition is the value itself. */
const LATER_MISSES = ['second_interval_miss', 'third_interval_miss'] as const;

/**
 * Returns for each stated transition whether its interval misses; null of an estimate. Which transition it is of those in
 * truth is decided by what is nearest; one that is stated twice, or that is not there, is a miss.
 */
function findMissedTransitions(
  stated: readonly ReadQuantity[],
  expected: readonly number[],
): (boolean | null)[] {
  const free = new Set(expected);
  return stated.map((each) => {
    const nearest = [...free].sort((a, b) => Math.abs(a - each.value) - Math.abs(b - each.value))[0];
    if (nearest !== undefined) free.delete(nearest);
    if (each.relation !== '=') return null;
    return nearest === undefined || isMissedBy(each, nearest);
  });
}

export function readResult(result: JudgedResult, truth: Truth): ReadResult {
  const wire = result.results.get(truth.sequence);
  const record = toRecord(wire?.record);
  const quantities = toRecord(record['quantities']);
  const row = toRecord(wire?.summary[0]);
  return {
    outcome: wire?.outcome ?? 'missing',
    quantity: readQuantity(quantities[truth.quantity]),
    intensity: readQuantity(quantities['intensity']),
    flags: toList(toRecord(record['qc'])['flags']).map(String),
    tmAllC: toList(row['tm_all']).map(Number),
    transitions: toList(row['transitions']).flatMap((each) => readTransition(toRecord(each)) ?? []),
    reason: typeof row['no_transition_reason'] === 'string' ? row['no_transition_reason'] : null,
  };
}

/** Whether the value is further from the truth than anybody would forgive; a limit is, if the truth is within it. */
function isFarOff({ value, relation }: ReadQuantity, truth: Truth): boolean {
  if (truth.value === null) return true;
  if (relation === '>') return truth.value < value * (1 - LIMIT_SLACK);
  if (relation === '<') return truth.value > value * (1 + LIMIT_SLACK);
  return isBeyondTolerance(value, truth.value, truth);
}

function isIntensityOff({ intensity }: ReadResult, truth: Truth): boolean {
  if (truth.intensity === undefined || intensity === null) return false;
  return isFarOff(intensity, { ...truth, value: truth.intensity });
}

function isBeyondTolerance(value: number, expected: number, { tolerance }: Truth): boolean {
  const off = Math.abs(value - expected);
  return off > (tolerance.kind === 'absolute' ? tolerance.by : tolerance.by * Math.abs(expected));
}

function isMissedBy({ low, high }: ReadQuantity, value: number): boolean {
  return low === null || high === null || value < low || value > high;
}

/** A transition counts as found within this distance. */
const FOUND_WITHIN_C = 1;

function areAllFound(found: readonly number[], expected: readonly number[]): boolean {
  return (
    found.length === expected.length &&
    expected.every((tmC) => found.some((each) => Math.abs(each - tmC) <= FOUND_WITHIN_C))
  );
}

function readQuantity(value: unknown): ReadQuantity | null {
  const fields = toRecord(value);
  if (typeof fields['value'] !== 'number' || typeof fields['relation'] !== 'string') return null;
  return {
    value: fields['value'],
    relation: fields['relation'],
    low: toNumber(fields['ci95_low']),
    high: toNumber(fields['ci95_high']),
  };
}

function readTransition({
  tm,
  tm_relation: relation,
  tm_interval: interval,
}: Readonly<Record<string, unknown>>) {
  if (typeof tm !== 'number' || typeof relation !== 'string') return null;
  const { ci_low: low, ci_high: high } = toRecord(interval);
  return { value: tm, relation, low: toNumber(low), high: toNumber(high) };
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
