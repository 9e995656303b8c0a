/** What every group of settings is made of. */
export interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** A wrong value stops the start with this one sentence. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
