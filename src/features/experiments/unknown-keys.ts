/** A creation ignores keys that it does not know; validation says which, because one of them may be a misspelling. */
import { findNearest } from '#core/nearest.ts';
import { WarningGroups, type WarningGroup } from '../sequences/warnings.ts';
import { CreateExpRequest, ExperimentSpec } from './records.ts';

const KEYS = Object.keys(CreateExpRequest.properties);
const SPEC_KEYS = Object.keys(ExperimentSpec.properties);
const KEY_LENGTH_SHOWN = 60;

export function findUnknownKeys(body: Readonly<Record<string, unknown>>): WarningGroup[] {
  const groups = new WarningGroups();
  for (const key of Object.keys(body)) {
    if (KEYS.includes(key)) continue;
    groups.add({ rule: 'unknown_key', sequence: null, message: describeUnknownKey(key) });
  }
  return groups.list();
}

function describeUnknownKey(key: string): string {
  const shown = key.replaceAll(/\p{C}/gu, '?').slice(0, KEY_LENGTH_SHOWN);
  const start = `The key "${shown}" is unknown and ignored`;
  if (SPEC_KEYS.includes(key)) return `${start}; it belongs under experiment_spec.`;
  const nearest = findNearest(key, KEYS);
  if (nearest !== undefined) return `${start}; did you mean "${nearest}"?`;
  const inSpec = findNearest(key, SPEC_KEYS);
  return inSpec === undefined ? `${start}.` : `${start}; did you mean "experiment_spec.${inSpec}"?`;
}
