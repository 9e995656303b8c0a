/** Values of unknown type, such as parsed JSON, read as records. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether the value is an object with members by name, so neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
