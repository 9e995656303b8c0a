/** The words of outcomes and of grades. */
import type { Outcome } from '../contract.ts';
import type { Grade } from '../assessment.ts';
import { formatFlags } from './results.ts';

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  measured: 'measured',
  non_binder: 'no binding detected',
  inconclusive: 'inconclusive',
  not_expressed: 'not expressed',
  failed_qc: 'failed QC',
  not_tested: 'not tested',
};

/** `9 without detected binding` */
export const COUNTED_OUTCOMES: Readonly<Record<Outcome, string>> = {
  ...OUTCOME_WORDS,
  non_binder: 'without detected binding',
  failed_qc: 'failed quality control',
};

export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'string' && Object.hasOwn(OUTCOME_WORDS, value);
}

/** The grade of a result in words, and as a mark in front of a name. */

export const GRADE_WORDS: Readonly<Record<Grade, string>> = {
  solid: 'solid',
  with_reservations: 'with reservations',
  indicative: 'indicative',
};

/** In narrow columns. */
export const SHORT_GRADE_WORDS: Readonly<Record<Grade, string>> = {
  ...GRADE_WORDS,
  with_reservations: 'reservations',
};

/** Empty for a result from before there were grades. */
export function formatShortGrade({
  assessment,
}: {
  readonly assessment?: { readonly grade: Grade };
}): string {
  return assessment === undefined ? '' : SHORT_GRADE_WORDS[assessment.grade];
}

/** Joins the reasons with their flags in words; the wire has their codes. */
export function writeReasons(reasons: readonly string[]): string {
  return reasons.join(' ').replaceAll(/\b[A-Z][A-Z0-9_]{2,}\b/g, (code) => formatFlags([code]));
}

export const GRADE_MARKS: Readonly<Record<Grade, string>> = {
  solid: '●',
  with_reservations: '◐',
  indicative: '○',
};

/** Explains the marks. */
export const GRADE_KEY = Object.entries(GRADE_WORDS)
  .map(
    ([grade, words]) => `${Object.entries(GRADE_MARKS).find(([name]) => name === grade)?.[1] ?? ''} ${words}`,
  )
  .join(', ');
