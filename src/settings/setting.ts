/** A setting, how its text is read, and what is wrong with it. */

/** The parts of every setting. */
export interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  /** It may hold a secret, so that it is not shown. */
  readonly isSecret?: true;
}

/** An invalid value stops the start with this sentence. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads a variable by its name; a variable that is not set has its default. */
export type ReadText = (name: string) => string;

/** Reads a whole number between two limits, both included; throws `SettingsError` for any other value. */
export type ReadWhole = (name: string, low: number, high: number) => number;

/** Throws `SettingsError` for any other value. */
export function parseChoice<const Choice extends string>(
  name: string,
  value: string,
  allowed: readonly Choice[],
): Choice {
  const chosen = allowed.find((choice) => choice === value);
  if (chosen === undefined)
    throw new SettingsError(`${name} must be one of ${allowed.join(', ')}; it is "${value}".`);
  return chosen;
}

/** Reads entries separated by commas; empty ones are left out. */
export function parseList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
