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
