/** What was done with effects of rows and columns. */
const EFFECTS: Readonly<Record<string, string>> = {
  correct: 'row and column effects divided out where they are known (median polish)',
  flag: 'row and column effects (median polish) flagged, not corrected',
  off: 'row and column effects not examined',
};

/** Empty where the setting is not recorded. */
export function describePlateEffects(setting: unknown): string {
  return typeof setting === 'string' ? (EFFECTS[setting] ?? '') : '';
}
