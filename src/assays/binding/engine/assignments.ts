/** What people say of traces where a file does not say it, or says it wrongly. Checked before anything is analyzed. */
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createSettingError, formatNames } from '#analysis/assays/settings.ts';
import { TRACE_ROLES, type TraceSet, type TraceRole } from '#analysis/curves/trace.ts';

export interface TraceAssignment {
  sample?: string;
  replicate?: number;
  role?: TraceRole;
  concentrationM?: number;
  /** Concentration of each association step, in order, for single-cycle kinetics. */
  injectionsM?: number[];
  /** Start of each injection on the clock of the file, in s, for a file that does not state its steps. */
  injectionStartsS?: number[];
  exclude?: boolean;
}

/** No analyte is measured above this; a larger number is in another unit. */
const CONCENTRATION_MAX_M = 0.01;
const REPLICATE_MAX = 10_000;
const NAME_MAX = 200;

const CONCENTRATION = `a concentration in M, from 0 to ${CONCENTRATION_MAX_M}`;

const isConcentration = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= CONCENTRATION_MAX_M;

const FIELDS: Readonly<
  Record<keyof TraceAssignment, { expected: string; holds: (value: unknown) => boolean }>
> = {
  sample: {
    expected: `a name of at most ${NAME_MAX} characters`,
    holds: (value) => typeof value === 'string' && value !== '' && value.length <= NAME_MAX,
  },
  replicate: {
    expected: `a whole number from 1 to ${REPLICATE_MAX}`,
    holds: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= REPLICATE_MAX,
  },
  role: {
    expected: TRACE_ROLES.join(', '),
    holds: (value) => TRACE_ROLES.some((role) => role === value),
  },
  concentrationM: { expected: CONCENTRATION, holds: isConcentration },
  injectionsM: {
    expected: `a list, each ${CONCENTRATION}`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isConcentration),
  },
  injectionStartsS: {
    expected: 'a list of ascending times in s',
    holds: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((each, i) => Number.isFinite(each) && (i === 0 || each > value[i - 1])),
  },
  exclude: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
};

/** Throws `settings_invalid` naming the first assignment that is wrong. */
export function assertAssignments(assign: Readonly<Record<string, unknown>>): void {
  for (const [trace, assignment] of Object.entries(assign)) {
    const name = `assign["${trace}"]`;
    if (typeof assignment !== 'object' || assignment === null || Array.isArray(assignment))
      throw createSettingError(name, 'an object');
    for (const [key, value] of Object.entries(assignment)) {
      const field = Object.entries(FIELDS).find(([known]) => known === key)?.[1];
      if (field === undefined) {
        const known = Object.keys(FIELDS).join(', ');
        throw new AnalysisError('settings_invalid', `Unknown setting ${name}.${key}; known are ${known}.`);
      }
      if (!field.holds(value)) throw createSettingError(`${name}.${key}`, field.expected);
    }
  }
}

/** Returns the assignments that refer to some trace of these plates. */
export function listUsedAssignments(
  assign: Readonly<Record<string, TraceAssignment>>,
  plates: readonly { name: string; set: TraceSet }[],
): string[] {
  const used = new Set<string>();
  for (const { name, set } of plates)
    for (const { id } of set.traces)
      for (const key of [`${name}/${id}`, id]) if (Object.hasOwn(assign, key)) used.add(key);
  return [...used];
}

/**
 * Throws `settings_invalid` for assignments of traces that no file has; otherwise a typing error would go unnoticed.
 */
export function assertAssigned(
  assign: Readonly<Record<string, TraceAssignment>>,
  used: readonly string[],
): void {
  const known = new Set(used);
  const unknown = Object.keys(assign).filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  throw new AnalysisError(
    'settings_invalid',
    `Setting assign names traces that no file has: ${formatNames(unknown)}.`,
  );
}
