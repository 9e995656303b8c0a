/** What every group of settings is made of. */
export interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  /** It may hold a secret, so that it is not shown. */
  readonly isSecret?: true;
}

/** A wrong value stops the start with this one sentence. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
