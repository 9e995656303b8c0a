/**
 * The `assayer-traces` file, version 1: header comments, a table of traces, a table of samples. CSV by RFC 4180.
 */
import type { Sample } from './observation.ts';
import type { PlacedDip } from './layout.ts';
import { RowBytes } from './row-bytes.ts';

export interface RecordedTrace {
  dip: PlacedDip;
  samples: readonly Sample[];
}

export interface TraceFileHeader {
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
