/** Settings that limit the bytes of request bodies in the process. */
import type { BodyBudgetPolicy } from '#transports/bodies/budget.ts';
import type { ReadText, ReadWhole } from './parse.ts';
import { SettingsError, type Setting } from './settings-error.ts';

const MEBIBYTE = 1024 * 1024;
const BYTES_MAX = 64 * 1024 * MEBIBYTE;

/** Defaults as a number of the largest bodies, at least `leastBytes`. */
const shares = {
  MAX_BODIES_BYTES: { bodies: 4, leastBytes: 64 * MEBIBYTE },
  MAX_BODIES_BYTES_PER_ADDRESS: { bodies: 3, leastBytes: 48 * MEBIBYTE },
  MAX_BODIES_BYTES_PER_TOKEN: { bodies: 2, leastBytes: 32 * MEBIBYTE },
} as const;

export const bodyBudgetSettingList: readonly Setting[] = [
  {
    name: 'MAX_BODIES_BYTES',
    fallback: '',
    meaning: 'most bytes of request bodies in the process; empty: four of the largest, at least 64 MiB',
  },
  {
    name: 'MAX_BODIES_BYTES_PER_ADDRESS',
    fallback: '',
    meaning: 'of these, from one client address; empty: three of the largest, at least 48 MiB',
  },
  {
    name: 'MAX_BODIES_BYTES_PER_TOKEN',
    fallback: '',
    meaning: 'of these, from one token and those derived from it; empty: two of the largest, at least 32 MiB',
  },
];

export function readBodyBudget(readText: ReadText, readWhole: ReadWhole): BodyBudgetPolicy {
  const bodyBytes = Number(readText('MAX_BODY_BYTES'));
  const readShare = (name: keyof typeof shares): number => {
    const { bodies, leastBytes } = shares[name];
    if (readText(name) === '') return Math.max(bodies * bodyBytes, leastBytes);
    const bytes = readWhole(name, 1, BYTES_MAX);
    // With less, the largest body could never be accepted.
    if (bytes < bodyBytes)
      throw new SettingsError(
        `${name} must be at least MAX_BODY_BYTES, which is ${bodyBytes}; it is ${bytes}.`,
      );
    return bytes;
  };
  return {
    processBytes: readShare('MAX_BODIES_BYTES'),
    addressBytes: readShare('MAX_BODIES_BYTES_PER_ADDRESS'),
    tokenBytes: readShare('MAX_BODIES_BYTES_PER_TOKEN'),
  };
}
