/** How results are written for clients, and when they are packed. */
import { resultSummaryModes, type Environment, type ResultSummaryMode } from '#core/context.ts';
import { SettingsError } from './settings-error.ts';

export const RESULT_SUMMARY = {
  name: 'RESULT_SUMMARY',
  fallback: '',
  meaning:
    'rows in summary of a result: all, or published (only the shapes published first, for clients that reject others; rows has every row); empty: published with PROVIDER_FIELD_ALIAS, otherwise all',
} as const;

export const DATA_PACKAGES = {
  name: 'DATA_PACKAGES',
  fallback: '',
  meaning:
    'when the data package of results is made: at_release, or when_asked; empty: when_asked in a sandbox, otherwise at_release',
} as const;

/** Answers whether packages are made at release. A simulated lab releases much that nobody downloads. */
export function parseDataPackages(value: string, environment: Environment): boolean {
  if (value === '') return environment === 'live';
  if (value === 'at_release' || value === 'when_asked') return value === 'at_release';
  throw new SettingsError(`DATA_PACKAGES must be one of at_release, when_asked; it is "${value}".`);
}

export function parseResultSummary(value: string, providerAlias: string | null): ResultSummaryMode {
  if (value === '') return providerAlias === null ? 'all' : 'published';
  const mode = resultSummaryModes.find((each) => each === value);
  if (mode === undefined)
    throw new SettingsError(`RESULT_SUMMARY must be one of all, published; it is "${value}".`);
  return mode;
}
