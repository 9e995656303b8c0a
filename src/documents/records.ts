/** Reading of records whose members are not known by type. */
import { isRecord, type UnknownRecord } from '#core/records.ts';

export type Row = UnknownRecord;

/** Returns the records of a list; empty for anything else. */
export function listRecords(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
