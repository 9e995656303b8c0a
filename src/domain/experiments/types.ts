/** What can be measured. */
export const experimentTypes = [
  'affinity',
  'screening',
  'thermostability',
  'fluorescence',
  'expression',
  'epitope_binning',
  'enzyme_activity',
] as const;
