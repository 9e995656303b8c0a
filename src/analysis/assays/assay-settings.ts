/** Merges settings into the defaults of an assay: rejects unknown names, wrong types and numbers out of range. */
import { AnalysisError } from '../failures/errors.ts';

export interface SettingRules {
  /** Settings whose value is text or null. */
  readonly texts?: readonly string[];
  /** Allowed words of settings with a fixed vocabulary. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Lowest and highest value of numbers; 0 to 1e9 where none is stated. */
  readonly ranges?: Readonly<Record<string, readonly [number, number]>>;
}

const RANGE: readonly [number, number] = [0, 1e9];

/** Merges `input` into the defaults; throws `settings_invalid` naming the first wrong one. */
export function mergeSettings<Settings extends object>(
  defaults: Settings,
  input: Partial<Settings>,
  rules: SettingRules = {},
): Settings {
  const known = new Map<string, unknown>(Object.entries(defaults));
  for (const [key, value] of Object.entries(input)) {
    if (!known.has(key)) throw new AnalysisError('settings_invalid', `Unknown setting ${key}.`);
    assertKind(key, value, known.get(key), rules);
  }
  return { ...defaults, ...input };
}

function assertKind(key: string, value: unknown, fallback: unknown, rules: SettingRules): void {
  const createSettingsError = (expected: string): AnalysisError =>
    new AnalysisError('settings_invalid', `Setting ${key} has to be ${expected}.`);
  const choices = rules.choices?.[key];
  if (choices !== undefined) {
    if (!choices.some((choice) => choice === value)) throw createSettingsError(choices.join(', '));
    return;
  }
  if (rules.texts?.includes(key) === true) {
    if (value !== null && typeof value !== 'string') throw createSettingsError('a text or null');
    return;
  }
  if (typeof fallback === 'boolean') {
    if (typeof value !== 'boolean') throw createSettingsError('true or false');
    return;
  }
  const [low, high] = rules.ranges?.[key] ?? RANGE;
  const isInside = (number: unknown): boolean =>
    typeof number === 'number' && number >= low && number <= high;
  if (typeof fallback === 'object' && fallback !== null) {
    if (typeof value !== 'object' || value === null || !Object.values(value).every(isInside))
      throw createSettingsError(`an object of numbers from ${low} to ${high}`);
    return;
  }
  if (value === null && fallback === null) return;
  if (!isInside(value)) throw createSettingsError(`a number from ${low} to ${high}`);
}
