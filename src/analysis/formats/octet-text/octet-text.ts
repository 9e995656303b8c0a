/**
 * Octet data analysis text export: one file per sensor, tab separated. Header lines `Conc1` (M), `Start1`, `Stop1`, `Kobs` …
 * with one value each, then `Time1  Data1  Fit1` and the samples. Data are already referenced and aligned. The file does not
 * say where association turns into dissociation, so its one step is `unsegmented`. The instrument software's own fit
 * (`Kobs`, `Fit1`) is not used.
 */
import { StepBuilder } from '../../curves/trace.ts';
import type { Trace, TraceSet } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import type { PointBudget, InputFile } from '../reading/input-file.ts';
import { type Field, formatFound, readNumber, splitFields } from '../reading/grid.ts';
import { type Line, TextFile } from '../reading/text.ts';

const NOT_GIVEN = -1;
const COLUMNS = ['Time1', 'Data1', 'Fit1'];

export const octetText: TraceFormat = {
  id: 'octet-text',
  name: 'Octet text',
  title: 'Octet text (`…Results.txt`)',
  kind: 'traces',
  grouping: 'folder',
  recognizes: ({ head }) => /^\uFEFF?Conc\d*\t/.test(head),
  parse: (files, budget) => [parseOctetText(files, budget)],
};

/** Combines all sensor files of one upload into one set; sensors of one column of the tray share a sample name. */
function parseOctetText(inputs: readonly InputFile[], budget: PointBudget): TraceSet {
  const traces = inputs.map((input) => {
    const trace = parseSensor(new TextFile(input));
    budget.spend(input.name, trace.steps);
    return trace;
  });
  const folder = inputs[0].name.split(/[\\/]/).slice(-2, -1)[0];
  return {
    format: 'octet-text',
    technique: 'bli',
    signalUnit: 'nm',
    instrument: 'Octet',
    plate: folder ?? null,
    metadata: {},
    notices: [
      'The Octet text export names no samples: unless the settings assign them, sensors of one column are one sample, and all of them the only sequence of an experiment.',
      'The Octet text export does not state the association length: set association_s. For single-cycle kinetics, assign each trace its injections_m and injection_starts_s.',
    ],
    traces,
  };
}

function parseSensor(file: TextFile): Trace {
  file.assertEndsWithLineEnd();
  const lines = file.readLines();
  const header = readHeader(file, lines);
  const step = new StepBuilder('unsegmented', header.startS);
  let last = 1;
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    const fields = splitValues(file, line);
    if (fields.length !== COLUMNS.length) {
      throw file.createError(
        { line: line.number },
        `${COLUMNS.length} values (${COLUMNS.join(', ')})`,
        `${fields.length}`,
      );
    }
    const timeS = readNumber(file, line, fields[0], 'a time in s');
    const signal = readNumber(file, line, fields[1], 'a signal in nm');
    readNumber(file, line, fields[2], 'a fitted signal');
    if (timeS <= step.lastTimeS) {
      throw file.createError(
        { line: line.number, column: 1 },
        `a time after ${step.lastTimeS} s`,
        `${timeS} s`,
      );
    }
    step.push(timeS, signal);
    last = line.number;
  }
  const built = step.build();
  const { timeS } = built;
  if (timeS.length < 2) throw file.createError({ line: last }, 'samples after the header', 'end of file');
  const intervalS = timeS[1] - timeS[0];
  if (Math.abs(timeS[timeS.length - 1] - header.stopS) > 0.5 * intervalS) {
    const found = `${timeS[timeS.length - 1]} s (the file looks cut off)`;
    throw file.createError({ line: last }, `a last time near Stop1 = ${header.stopS} s`, found);
  }
  const sensor = parseSensorName(file.name);
  return {
    id: sensor,
    well: sensor,
    role: 'sample',
    sample: `column ${/\d+$/.exec(sensor)?.[0] ?? sensor}`,
    isUnnamed: true,
    replicate: 1,
    concentrationM: header.concentrationM,
    steps: [built],
  };
}

interface SensorHeader {
  /** Null where the file states −1, which means "not given". */
  concentrationM: number | null;
  startS: number;
  stopS: number;
}

function readHeader(file: TextFile, lines: Iterator<Line>): SensorHeader {
  const found = new Map<string, { line: Line; field: Field }>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    const fields = splitValues(file, line);
    if (fields[0]?.text === COLUMNS[0]) {
      if (fields.map((field) => field.text).join() !== COLUMNS.join()) {
        throw file.createError(
          { line: line.number },
          COLUMNS.join(', '),
          fields.map((field) => field.text).join(', '),
        );
      }
      return parseHeader(file, found, line.number);
    }
    if (fields.length !== 2 || found.size > 32) {
      throw file.createError(
        { line: line.number },
        'a header line with one name and one value',
        formatFound(line.text),
      );
    }
    found.set(fields[0].text, { line, field: fields[1] });
  }
  throw file.createError({ line: null }, `a line ${COLUMNS.join(', ')}`, 'end of file');
}

function parseHeader(
  file: TextFile,
  found: Map<string, { line: Line; field: Field }>,
  columnsLine: number,
): SensorHeader {
  const get = (name: string, what: string): number => {
    const entry = found.get(name);
    if (entry === undefined)
      throw file.createError({ line: columnsLine }, `a header line ${name} before the samples`, 'none');
    return readNumber(file, entry.line, entry.field, what);
  };
  const stated = get('Conc1', 'a concentration in M');
  if (stated < 0 && stated !== NOT_GIVEN)
    throw file.createError(
      { line: found.get('Conc1')?.line.number ?? null },
      'a concentration in M of 0 or more',
      `${stated}`,
    );
  const concentrationM = stated === NOT_GIVEN ? null : stated;
  const startS = get('Start1', 'a start in s');
  return { concentrationM, startS, stopS: get('Stop1', 'an end in s') };
}

/** Returns the fields without the empty one that the trailing tab of every line makes. */
function splitValues(file: TextFile, line: Line): Field[] {
  const fields = splitFields(file, line, '\t');
  if (fields.length > 1 && fields[fields.length - 1].text === '') fields.pop();
  return fields;
}

function parseSensorName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? name;
  return /^([A-Z]+\d+)Results\.txt$/i.exec(base)?.[1] ?? base.replace(/\.[^.]*$/, '');
}
