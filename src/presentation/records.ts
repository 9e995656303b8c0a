/** Reading of records whose members are not known by type. */

export type Row = Readonly<Record<string, unknown>>;

/** Returns the records of a list; empty for anything else. */
export function listRecords(value: unknown): Row[] {
  return Array.isArray(value)
    ? value.flatMap((each: unknown) =>
        typeof each === 'object' && each !== null ? [Object.fromEntries(Object.entries(each))] : [],
      )
    : [];
}
