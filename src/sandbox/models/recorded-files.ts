/**
 * The `assayer-traces` file, version 1: header comments, a table of traces, a table of samples. CSV by RFC 4180.
 */
import type { Sample } from './observation.ts';
import type { PlacedDip } from './layout.ts';

interface RecordedTrace {
  dip: PlacedDip;
  samples: readonly Sample[];
}

interface TraceFileHeader {
  technique: 'bli' | 'spr';
  plate: string;
  /** Further `key: value` lines. */
  details: Readonly<Record<string, string>>;
}

interface Instrument {
  name: string;
  unit: string;
  /** Signal units per nm of optical thickness. */
  perNm: number;
  decimals: number;
}

const INSTRUMENTS: Record<'bli' | 'spr', Instrument> = {
  bli: { name: 'Simulated BLI', unit: 'nm', perNm: 1, decimals: 5 },
  spr: { name: 'Simulated SPR', unit: 'RU', perNm: 100, decimals: 3 },
};

/** Returns the bytes of one plate's file, UTF-8 with LF line ends. */
export function writeTraceFile(header: TraceFileHeader, traces: Iterable<RecordedTrace>): Uint8Array {
  const instrument = INSTRUMENTS[header.technique];
  const lines = [
    '# assayer-traces: 1',
    `# technique: ${header.technique}`,
    `# instrument: ${instrument.name}`,
    `# signal_unit: ${instrument.unit}`,
    `# plate: ${toOneLine(header.plate)}`,
    ...Object.entries(header.details).map(([key, value]) => `# ${key}: ${toOneLine(value)}`),
    '',
    'trace,well,role,sample,replicate,concentration_m',
  ];
  const rows = new RowBytes();
  let number = 0;
  for (const { dip, samples } of traces) {
    number += 1;
    const id = `T${String(number).padStart(3, '0')}`;
    lines.push(
      [
        id,
        dip.well,
        dip.role,
        quoteField(dip.sample),
        String(dip.replicate),
        String(dip.concentrationM),
      ].join(','),
    );
    writeSamples(rows, id, samples, instrument);
  }
  lines.push('', 'trace,step,time_s,signal');
  const [head, body] = [new TextEncoder().encode(`${lines.join('\n')}\n`), rows.build()];
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

/** A plate has about 100,000 samples. */
function writeSamples(
  rows: RowBytes,
  id: string,
  samples: readonly Sample[],
  { perNm, decimals }: Instrument,
): void {
  let step: string | undefined;
  let start = '';
  for (const sample of samples) {
    if (sample.step !== step) {
      ({ step } = sample);
      start = `${id},${step},`;
    }
    rows.writeText(start);
    rows.writeText(String(sample.timeS));
    rows.writeText(',');
    rows.writeFixed(sample.signalNm * perNm, decimals);
    rows.writeText('\n');
  }
}

/** Quotes text that contains a separator, a quote, a line end, or a blank at either end (RFC 4180). */
export function quoteField(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Lines of a large text file of plain ASCII, written as bytes at once, because a text for each field takes ten times as long. */

const ROOM_FIRST = 1 << 16;
/** A line is shorter. */
const LINE_MAX = 4_096;
const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const POWERS_OF_TEN = [1, 10, 100, 1_000, 10_000, 100_000];
/** Up to here, a scaled value is known to much less than `NEAR_HALF`. */
const SCALED_MAX = 2 ** 31;
/** So close to a half, a product may have been rounded to the other side. */
const NEAR_HALF = 1e-6;

export class RowBytes {
  #bytes = new Uint8Array(ROOM_FIRST);
  #length = 0;

  /** The text in ASCII; its length is that of a few fields. */
  writeText(text: string): void {
    if (this.#length + LINE_MAX + text.length > this.#bytes.length) this.#grow(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index += 1) bytes[at++] = text.charCodeAt(index);
    this.#length = at;
  }

  /** The value as `toFixed` writes it with up to five decimals, but 0 for what rounds to zero. */
  writeFixed(value: number, decimals: number): void {
    const power = POWERS_OF_TEN[decimals] ?? Number.NaN;
    const scaled = Math.abs(value) * power;
    const whole = Math.floor(scaled);
    const rest = scaled - whole;
    // Also for what is not a number.
    if (!(scaled < SCALED_MAX && Math.abs(rest - 0.5) > NEAR_HALF)) {
      this.writeText(formatFixed(value, decimals));
      return;
    }
    const rounded = rest < 0.5 ? whole : whole + 1;
    if (rounded !== 0 && value < 0) this.#bytes[this.#length++] = MINUS;
    if (rounded === 0) this.#bytes[this.#length++] = ZERO;
    else this.#writeDigits(rounded, decimals);
  }

  /** Digits of an integer from 1, the last `decimals` of them behind a point. */
  #writeDigits(integer: number, decimals: number): void {
    const bytes = this.#bytes;
    let count = decimals + 1;
    while (integer >= (POWERS_OF_TEN[count] ?? 10 ** count)) count += 1;
    const end = this.#length + count + (decimals > 0 ? 1 : 0);
    let left = integer;
    for (let at = end - 1; at >= this.#length; at -= 1) {
      if (decimals > 0 && at === end - decimals - 1) {
        bytes[at] = POINT;
        continue;
      }
      const next = Math.floor(left / 10);
      bytes[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length = end;
  }

  /** What was written; nothing may be written afterwards. */
  build(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(more: number): void {
    const room = Math.max(2 * this.#bytes.length, this.#length + LINE_MAX + more);
    const bytes = new Uint8Array(room);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

export function formatFixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? '0' : text;
}

/** The `assayer-melts` and `assayer-plate` files, version 1: header comments, a table of wells, the data. CSV by RFC 4180. */

export interface FileWell {
  well: string;
  role: string;
  sample: string;
  replicate: number;
}

interface WellFile {
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
