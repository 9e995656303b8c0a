/** The parts of every setting. */
export interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** An invalid value stops the start with this sentence. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
