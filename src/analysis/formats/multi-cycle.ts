/**
 * Simulated multi-cycle CSV (pyKinGenie): columns Time, Signal, Smax, Analyte_concentration_micromolar_constant, curve after
 * curve. A new curve starts where time falls back. Association turns into dissociation where a time appears twice or where
 * the concentration, in **micromolar**, falls to zero; a file with neither has unsegmented curves.
 */
import { StepBuilder } from '../trace.ts';
import type { Trace, TraceSet, TraceStep } from '../trace.ts';
import { TextFile, numberIn, quoted, splitFields } from './text.ts';
import type { InputFile } from './text.ts';

const COLUMNS = ['Time', 'Signal', 'Smax', 'Analyte_concentration_micromolar_constant'];
const HEADER = COLUMNS.join();

interface Row {
  timeS: number;
  signal: number;
  concentrationM: number;
}

export function isMultiCycle(head: string): boolean {
  const first = head.replace(/^\uFEFF/, '').split(/\r|\n/, 1)[0];
  return first.replaceAll('"', '') === HEADER;
}

export function parseMultiCycle(input: InputFile): TraceSet {
  const file = new TextFile(input);
  file.assertClosed();
  const curves: Row[][] = [];
  let lastLine = 1;
  for (const line of file.lines()) {
    if (line.number === 1) continue;
    const fields = splitFields(file, line);
    if (fields.length !== COLUMNS.length) {
      throw file.error({ line: line.number }, `${COLUMNS.length} fields (${HEADER})`, quoted(line.text));
    }
    const row: Row = {
      timeS: numberIn(file, line, fields[0], 'a time in s'),
      signal: numberIn(file, line, fields[1], 'a signal'),
      concentrationM: numberIn(file, line, fields[3], 'a concentration in µM') * 1e-6,
    };
    if (row.concentrationM < 0) {
      throw file.error(
        { line: line.number, column: fields[3].column },
        'a concentration from 0',
        quoted(fields[3].text),
      );
    }
    const curve = curves.at(-1);
    if (curve === undefined || row.timeS < curve[curve.length - 1].timeS) curves.push([row]);
    else curve.push(row);
    lastLine = line.number;
  }
  if (curves.length === 0) throw file.error({ line: lastLine }, 'samples after the header', 'end of file');
  const ends = curves.map((curve) => curve[curve.length - 1].timeS);
  const shortest = Math.min(...ends.slice(0, -1));
  if (ends[ends.length - 1] < shortest) {
    throw file.error(
      { line: lastLine },
      `the last curve to reach ${shortest} s`,
      `${ends.at(-1)} s (the file looks cut off)`,
    );
  }
  return {
    format: 'multi-cycle-csv',
    technique: null,
    signalUnit: null,
    instrument: null,
    plate: null,
    metadata: {},
    notices: [],
    traces: curves.map(toTrace),
  };
}

function toTrace(rows: Row[], index: number): Trace {
  return {
    id: `curve ${index + 1}`,
    well: null,
    role: 'sample',
    sample: 'sample',
    replicate: 1,
    concentrationM: Math.max(...rows.map((row) => row.concentrationM)),
    steps: segments(rows),
  };
}

function segments(rows: Row[]): TraceStep[] {
  const turn = rows.findIndex((row, i) => {
    const before = rows[i - 1];
    return i > 0 && (row.timeS === before.timeS || (row.concentrationM === 0 && before.concentrationM > 0));
  });
  if (turn === -1) return [toStep('unsegmented', rows)];
  return [toStep('association', rows.slice(0, turn)), toStep('dissociation', rows.slice(turn))];
}

function toStep(name: 'unsegmented' | 'association' | 'dissociation', rows: Row[]): TraceStep {
  const step = new StepBuilder(name, rows[0].timeS);
  for (const row of rows) step.push(row.timeS, row.signal);
  return step.build();
}
