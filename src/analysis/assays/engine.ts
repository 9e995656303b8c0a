/** Identifies the code that analyzed a run. A change that can change a number of a result needs a new version. */
export const ENGINE = { name: 'assayer-analysis', version: '1.18.0' } as const;
