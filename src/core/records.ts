/** Values of unknown type: parsed JSON read as records, and what was thrown. */

export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether the value is an object with members by name, so neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const EMPTY: UnknownRecord = Object.freeze({});

/** Returns the value itself, however large, or an empty record where it is none. */
export function toRecord(value: unknown): UnknownRecord {
  return isRecord(value) ? value : EMPTY;
}

/** Finds the code of an error: of the system (ENOENT), of Node, or the SQLSTATE of a database. */
export function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the message of an error, and any other thrown value as text. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
