/** The outcome of a sequence in words: in a cell, and behind a number. */
import type { Outcome } from '../contract.ts';

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
