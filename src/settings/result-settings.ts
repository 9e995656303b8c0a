/** How results are written for clients. */
import { resultSummaryModes, type ResultSummaryMode } from '#core/context.ts';
import { SettingsError } from './settings-error.ts';

export const RESULT_SUMMARY = {
  name: 'RESULT_SUMMARY',
  fallback: '',
  meaning:
    'rows in summary of a result: all, or published (only the shapes published first, for clients that reject others; rows has every row); empty: published with PROVIDER_FIELD_ALIAS, otherwise all',
} as const;

export function parseResultSummary(value: string, providerAlias: string | null): ResultSummaryMode {
  if (value === '') return providerAlias === null ? 'all' : 'published';
  const mode = resultSummaryModes.find((each) => each === value);
  if (mode === undefined)
    throw new SettingsError(`RESULT_SUMMARY must be one of all, published; it is "${value}".`);
  return mode;
}
