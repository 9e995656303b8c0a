/** Tables of a page as a file: what is shown, one record a line. */
import { writeCsvField } from '#core/csv.ts';
import type { FastifyReply } from 'fastify';
import { CSV_TEXT, sendAttachment } from './http.ts';

type Cell = string | number | null;
export type ExportRecord = Readonly<Record<string, Cell>>;

/** Spreadsheets read a file as UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\ufeff';

/** Puts records under the names of all their members, in the order in which these first appear. */
export function arrangeRows(records: readonly ExportRecord[]): Cell[][] {
  const heads = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return [heads, ...records.map((record) => heads.map((head) => record[head] ?? null))];
}

export function sendCsv(
  reply: FastifyReply,
  fileName: string,
  records: readonly ExportRecord[],
): FastifyReply {
  const lines = arrangeRows(records).map((cells) =>
    cells.map((cell) => (typeof cell === 'number' ? String(cell) : writeCsvField(cell ?? ''))).join(','),
  );
  return sendAttachment(reply, {
    fileName,
    contentType: CSV_TEXT,
    content: `${BYTE_ORDER_MARK}${lines.join('\r\n')}\r\n`,
  });
}
