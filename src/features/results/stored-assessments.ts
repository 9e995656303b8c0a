/** Assessments of results that were stored before results had one. */
import { isRecord } from '#core/records.ts';
import { computeAssessment, type Assessed } from './assessment.ts';

/** Whether a text may hold a record without an assessment. */
const LACKS_ONE = '"assessment":null';

/** Adds its assessment to each record of the JSON that lacks it, whether it is a record or a page of them. */
export function addAssessments(json: string): string {
  if (!json.includes(LACKS_ONE)) return json;
  const parsed: unknown = JSON.parse(json);
  if (!isRecord(parsed)) return json;
  for (const item of Array.isArray(parsed.items) ? parsed.items : [parsed]) if (isMutable(item)) addTo(item);
  return JSON.stringify(parsed);
}

const isMutable = (value: unknown): value is Record<string, unknown> => isRecord(value);

function addTo(item: Record<string, unknown>): void {
  if (item.assessment !== null) return;
  const rows = listRows(item.rows);
  const stored = { ...item, qc: item.qc ?? { flags: [] }, quantities: item.quantities ?? {} };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record as the database wrote it
  item.assessment = computeAssessment({ ...stored, row: rows[0] ?? {} } as unknown as Assessed);
  for (const row of [...rows, ...listRows(item.summary)]) row.assessment ??= item.assessment;
}

function listRows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isMutable) : [];
}
