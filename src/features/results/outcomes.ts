/** Possible outcomes of a sequence in an assay. */
export const outcomes = [
  'measured',
  'non_binder',
  'inconclusive',
  'not_expressed',
  'failed_qc',
  'not_tested',
] as const;
export type Outcome = (typeof outcomes)[number];
