/** The `assayer-melts` and `assayer-plate` files, version 1: header comments, a table of wells, the data. CSV by RFC 4180. */
import { toOneLine, quoteField } from './trace-file.ts';

export interface FileWell {
  well: string;
  role: string;
  sample: string;
  replicate: number;
}

export interface WellFile {
  magic: 'assayer-melts' | 'assayer-plate';
  /** `key: value` lines of the header. */
  head: Readonly<Record<string, string>>;
  wells: readonly FileWell[];
  /** Data lines, including their header. */
  data: readonly string[];
}

const TABLE = 'well,role,sample,replicate,concentration_m,concentration_ng_per_ul';

/** Returns the file, UTF-8 with LF line ends. */
export function writeWellFile({ magic, head, wells, data }: WellFile): Uint8Array {
  const lines = [
    `# ${magic}: 1`,
    ...Object.entries(head).map(([key, value]) => `# ${key}: ${toOneLine(value)}`),
    '',
    TABLE,
    ...wells.map(
      ({ well, role, sample, replicate }) => `${well},${role},${quoteField(sample)},${replicate},,`,
    ),
    '',
    ...data,
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}
