/**
 * This table alone decides the grade of a result. Of the rules that hold, the first in the order of the table decides;
 * the reasons are those of all that hold. `docs/guide/results.md` has the same rows, and a test compares them.
 */
import { findStrengthRange } from '#core/binding-strength.ts';
import { isRecord } from '#core/records.ts';
import { isLimit } from '#core/relations.ts';
import { findAssay } from '#assays/registry.ts';
import type { Outcome } from './outcomes.ts';
import type { Quantity } from './row-fields.ts';

export const GRADES = ['solid', 'with_reservations', 'indicative'] as const;
export type Grade = (typeof GRADES)[number];

export interface Assessment {
  readonly grade: Grade;
  readonly reasons: string[];
}

/** An interval is wide from these factors between its ends on, and from these differences of temperatures in °C. */
const WIDE = { fold: 4, celsius: 2 } as const;
const VERY_WIDE = { fold: 10, celsius: 6 } as const;
/** So many different warnings leave little to rely on. */
const MANY_WARNINGS = 4;

export const ASSESSMENT_RULES = {
  not_tested: { grade: 'indicative', reason: 'The files have no data of the sequence.' },
  failed_qc: { grade: 'indicative', reason: 'The data cannot be used.' },
  not_expressed: { grade: 'indicative', reason: 'There was too little protein to measure.' },
  inconclusive: { grade: 'indicative', reason: 'The data neither show nor exclude binding.' },
  no_value: { grade: 'indicative', reason: 'The measurement gave no value.' },
  error_flags: { grade: 'indicative', reason: 'Flags rule the value out.' },
  estimate: { grade: 'indicative', reason: 'The value is an estimate.' },
  interval_very_wide: {
    grade: 'indicative',
    reason: 'The interval is open, or its ends are more than a factor of 10 (6 °C) apart.',
  },
  few_replicates: { grade: 'indicative', reason: 'Fewer than half of the ordered replicates support it.' },
  many_warnings: { grade: 'indicative', reason: 'Four warnings or more stand against it.' },
  limit_doubted: {
    grade: 'indicative',
    reason: 'The value is a limit, and its control, its model or its fit is in doubt.',
  },
  limit: { grade: 'with_reservations', reason: 'The value is a limit: the true value lies beyond it.' },
  interval_wide: {
    grade: 'with_reservations',
    reason: 'The ends of the interval are more than a factor of 4 (2 °C) apart.',
  },
  interval_unknown: { grade: 'with_reservations', reason: 'No interval is known.' },
  class_open: { grade: 'with_reservations', reason: 'The interval reaches into another strength class.' },
  replicates_missing: {
    grade: 'with_reservations',
    reason: 'Not all ordered replicates support it.',
  },
  single_replicate: { grade: 'with_reservations', reason: 'A single replicate supports it.' },
  curves_left_out: { grade: 'with_reservations', reason: 'The lab left single curves out of it.' },
  warnings: { grade: 'with_reservations', reason: 'Warnings stand against it.' },
  clean: { grade: 'solid', reason: 'None of the above holds.' },
} as const satisfies Readonly<Record<string, { readonly grade: Grade; readonly reason: string }>>;

type AssessmentCase = keyof typeof ASSESSMENT_RULES;

/** What is assessed: members of the record, and its first row. */
export interface Assessed {
  readonly outcome: Outcome;
  readonly experiment_type: string;
  readonly n_replicates_ordered?: number | null;
  readonly n_replicates: number;
  readonly n_replicates_passed: number;
  /** What the lab left out: whole replicates, and single curves with their concentration. */
  readonly excluded_replicates?: readonly unknown[];
  readonly qc: { readonly flags: readonly string[]; readonly details?: readonly unknown[] };
  readonly quantities: Readonly<Record<string, Quantity>>;
  readonly row: Readonly<Record<string, unknown>>;
}

export function computeAssessment(result: Assessed): Assessment {
  const cases = listCases(result);
  const [first = 'clean'] = cases;
  const counts = `${result.n_replicates_passed} of ${result.n_replicates_ordered ?? result.n_replicates}`;
  const { errors, warnings } = sortFlags(result);
  const isTemperature = findGraded(result)?.unit === '°C';
  const details: Partial<Record<AssessmentCase, string>> = {
    error_flags: errors.join(', '),
    limit_doubted: warnings.filter((code) => LIMIT_DOUBTS.has(code)).join(', '),
    many_warnings: warnings.join(', '),
    warnings: warnings.join(', '),
    few_replicates: counts,
    replicates_missing: counts,
  };
  return {
    grade: ASSESSMENT_RULES[first].grade,
    reasons: cases.map((name) => {
      const reason = nameWidth(ASSESSMENT_RULES[name].reason, isTemperature);
      const detail = details[name];
      return detail === undefined ? reason : `${reason.slice(0, -1)}: ${detail}.`;
    }),
  };
}

/** Of the two widths that a rule names, that of the value. */
function nameWidth(reason: string, isTemperature: boolean): string {
  return reason.replace(/a factor of (\d+) \((\d+ °C)\)/, isTemperature ? '$2' : 'a factor of $1');
}

/** Warnings that make an estimate of a value; a limit keeps its sign, so its grade has to say it. */
const LIMIT_DOUBTS: ReadonlySet<string> = new Set(['CONTROL_FAILED', 'MODEL_IN_DOUBT', 'POOR_FIT']);

/** Lists the cases that hold, in the order of the table. */
function listCases(result: Assessed): AssessmentCase[] {
  const { errors, warnings } = sortFlags(result);
  const ordered = result.n_replicates_ordered ?? result.n_replicates;
  const passed = result.n_replicates_passed;
  const isFew = 2 * passed < ordered;
  const hasData = result.n_replicates > 0;
  const isMissing = passed < ordered;
  const isMany = warnings.length >= MANY_WARNINGS;
  const states = findOutcomeCases(result);
  const holds: Partial<Record<AssessmentCase, boolean>> = {
    ...states,
    error_flags: errors.length > 0,
    few_replicates: hasData && isFew,
    many_warnings: isMany,
    limit_doubted: states.limit === true && warnings.some((code) => LIMIT_DOUBTS.has(code)),
    replicates_missing: hasData && isMissing && !isFew,
    single_replicate: passed === 1,
    curves_left_out: listRecords(result.excluded_replicates).some(isCurve),
    warnings: warnings.length > 0 && !isMany,
  };
  return Object.keys(ASSESSMENT_RULES)
    .filter((name): name is AssessmentCase => Object.hasOwn(ASSESSMENT_RULES, name))
    .filter((name) => holds[name] === true);
}

function findOutcomeCases(result: Assessed): Partial<Record<AssessmentCase, boolean>> {
  const { outcome, experiment_type: type } = result;
  if (isAbsence(result)) return {};
  if (outcome !== 'measured') return { [outcome]: true };
  if ((findAssay(type)?.gradedBy ?? []).length === 0) return {};
  const quantity = findGraded(result);
  return quantity === undefined || quantity.value === null ? { no_value: true } : findValueCases(quantity);
}

/** Finds the quantity whose interval decides the grade. */
function findGraded({ experiment_type: type, quantities }: Assessed): Quantity | undefined {
  const names = findAssay(type)?.gradedBy ?? [];
  return names.map((name) => quantities[name]).find((quantity) => quantity !== undefined);
}

const FLAT_CURVES: ReadonlySet<unknown> = new Set(['amplitude_below_noise', 'no_inflection']);

/** Whether the result states that there is nothing, which no interval can qualify. */
function isAbsence({ outcome, experiment_type: type, quantities, row }: Assessed): boolean {
  if (outcome === 'non_binder') return true;
  if (outcome === 'not_expressed') return type === 'expression';
  if (outcome !== 'measured') return false;
  return FLAT_CURVES.has(row.no_transition_reason) || quantities.normalized_to_control?.relation === '<';
}

function findValueCases(quantity: Quantity): Partial<Record<AssessmentCase, boolean>> {
  if (isLimit(quantity.relation)) return { limit: true };
  const { ci95_low: low, ci95_high: high, unit } = quantity;
  const range = unit === 'M' ? findStrengthRange(quantity) : undefined;
  const isVeryWide = isWiderThan(quantity, VERY_WIDE);
  return {
    estimate: quantity.relation === '~',
    interval_very_wide: isVeryWide,
    interval_wide: !isVeryWide && isWiderThan(quantity, WIDE),
    interval_unknown: low === null && high === null,
    class_open: range !== undefined && range[0] !== range[1],
  };
}

/** An interval with one end is wider than any other. */
function isWiderThan(
  { ci95_low: low, ci95_high: high, unit }: Quantity,
  limit: { readonly fold: number; readonly celsius: number },
): boolean {
  if (low === null && high === null) return false;
  if (low === null || high === null) return true;
  if (unit === '°C') return high - low > limit.celsius;
  return low <= 0 || high / low > limit.fold;
}

/** Whether only replicates that do not support the outcome have the flag, so that it rules out nothing that counts. */
function isOfLeftOut({ outcome, row }: Assessed, code: string): boolean {
  const flagged = listRecords(row.replicates).filter(
    ({ flags }) => Array.isArray(flags) && flags.includes(code),
  );
  return flagged.length > 0 && flagged.every((replicate) => replicate.outcome !== outcome);
}

function listRecords(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A replicate that is left out whole counts as one that does not support the result. */
function isCurve({ concentration_m: dose }: Readonly<Record<string, unknown>>): boolean {
  return typeof dose === 'number';
}

/** Flags that say no more than that there is nothing. */
const ABSENCE_FLAGS: ReadonlySet<string> = new Set(['NO_TRANSITION', 'BELOW_LLOQ', 'BELOW_DETECTION']);

/** Codes by severity, each once. A record without details has only flags that affect the value. */
function sortFlags(result: Assessed): { errors: string[]; warnings: string[] } {
  const { flags, details = [] } = result.qc;
  const isStated = (code: string): boolean => ABSENCE_FLAGS.has(code) && isAbsence(result);
  const told = details.filter(isRecord);
  const selectCodes = (severity: string): string[] => [
    ...new Set(
      told.flatMap((flag) =>
        flag.severity === severity && typeof flag.code === 'string' ? [flag.code] : [],
      ),
    ),
  ];
  const codes = new Set(told.map(({ code }) => code));
  const errors = selectCodes('error').filter((code) => !isOfLeftOut(result, code));
  const leftOut = selectCodes('error').filter((code) => !errors.includes(code));
  const warnings = [...selectCodes('warning'), ...leftOut, ...flags.filter((code) => !codes.has(code))];
  return { errors, warnings: warnings.filter((code) => !errors.includes(code) && !isStated(code)) };
}
