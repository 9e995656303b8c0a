/**
 * Our own trace file, CSV in UTF-8: a head of `# key: value` lines, a table of traces, an empty line, the samples.
 *
 *     # assayer-traces: 1
 *     # technique: bli
 *     trace,well,role,sample,replicate,concentration_m
 *     T001,A01,sample,design-1,1,1e-6
 *
 *     trace,step,time_s,signal
 *     T001,baseline,0,0.0001
 *
 * Text fields may be quoted (RFC 4180). `concentration_m` is the analyte concentration in M: empty when not given, 0 for buffer; for single-cycle kinetics the concentrations of its associations in order, `1e-9;3e-9;9e-9`. Samples of a trace are in time order on one clock; a step may start at the time at which the one before ends. A step whose nominal start is not its first sample, or that follows a step of its name, has the start behind its name: `baseline@60`.
 * The last line ends with a line end, so that a truncated file is detected.
 */
import { formatCount } from '#core/words.ts';
import {
  selectAssociations,
  STEP_NAMES,
  StepBuilder,
  TRACE_ROLES,
  withConcentrations,
} from '../../curves/trace.ts';
import type { StepName, Technique, Trace, TraceRole, TraceSet, TraceStep } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import { DecimalReader } from '../reading/decimal-reader.ts';
import { type Field, formatFound, parsePlainNumber, readNumber, splitFields } from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { type Line, type LineCursor, TextFile } from '../reading/text.ts';

const MAGIC = /^# ?assayer-traces: ?(.*)$/;
const VERSION = '1';
export const TABLE_HEADER = 'trace,well,role,sample,replicate,concentration_m';
export const DATA_HEADER = 'trace,step,time_s,signal';
const COMMA = 44;
/** Keys that have a field of their own in a trace set; all others are metadata. */
const KNOWN_KEYS = new Set(['technique', 'instrument', 'signal_unit', 'plate']);

interface Building {
  trace: Trace;
  /** For single-cycle kinetics, one concentration for each association; null otherwise. */
  injectionsM: readonly number[] | null;
  steps: StepBuilder[];
  /** The last step as the file names it, with its start where it states one. */
  stepName: string;
  line: number;
}

/** The name of a step in the file; `previous` is the step before it. */
export function writeStepName({ step, startS, timeS }: TraceStep, previous: string | null): string {
  return startS === timeS[0] && step !== previous ? step : `${step}@${startS}`;
}

export const assayerTraces: TraceFormat = {
  id: 'assayer-traces',
  name: 'assayer-traces CSV',
  title: 'our own traces, CSV',
  kind: 'traces',
  grouping: 'plate',
  recognizes: ({ head }) => MAGIC.test(head.replace(/^\uFEFF/, '').split(/\r|\n/, 1)[0]),
  parse: parseAssayerTraces,
};

export function parseAssayerTraces(input: InputFile): TraceSet {
  const file = new TextFile(input);
  file.assertEndsWithLineEnd();
  const lines = file.openCursor();
  const head = readHead(file, lines);
  const traces = readTable(file, lines);
  readSamples(file, lines, traces);
  const built = [...traces.values()].map((building) => ({
    ...building.trace,
    steps: buildSteps(file, building),
  }));
  assertEndsLikeOthers(file, built);
  return {
    format: 'assayer-traces',
    technique: readTechnique(file, head),
    signalUnit: head.get('signal_unit')?.value ?? null,
    instrument: head.get('instrument')?.value ?? null,
    plate: head.get('plate')?.value ?? null,
    metadata: Object.fromEntries(
      [...head].filter(([key]) => !KNOWN_KEYS.has(key)).map(([key, { value }]) => [key, value]),
    ),
    notices: [],
    traces: built,
  };
}

function buildSteps(file: TextFile, { trace, injectionsM, steps, line }: Building): TraceStep[] {
  const built = steps.map((step) => step.build());
  if (injectionsM === null) return built;
  const stated = withConcentrations(built, injectionsM);
  if (stated !== null) return stated;
  const expected = `a concentration for each of the ${selectAssociations(built).length} associations of trace ${trace.id}`;
  throw file.createError({ line }, expected, `${injectionsM.length}`);
}

interface HeadEntry {
  value: string;
  line: number;
}

/** Reads up to and including the header of the trace table. */
function readHead(file: TextFile, lines: LineCursor): Map<string, HeadEntry> {
  const head = new Map<string, HeadEntry>();
  while (lines.moveNext()) {
    const line = lines.getLine();
    if (line.text === TABLE_HEADER) return head;
    if (line.text === '') continue;
    const entry = /^# ?([^:]+): ?(.*)$/.exec(line.text);
    if (entry === null)
      throw file.createError(
        { line: line.number, column: 1 },
        `"# key: value" or "${TABLE_HEADER}"`,
        formatFound(line.text),
      );
    const [, key, value] = entry;
    if (line.number === 1) assertVersion(file, line);
    else head.set(key, { value: value.trim(), line: line.number });
    if (head.size > LIMITS.headLines)
      throw file.createError({ line: line.number }, `at most ${LIMITS.headLines} lines in the head`, 'more');
  }
  throw file.createError({ line: null }, `a line "${TABLE_HEADER}"`, 'end of file');
}

function assertVersion(file: TextFile, line: Line): void {
  const version = MAGIC.exec(line.text)?.[1].trim();
  if (version !== VERSION)
    throw file.createError({ line: 1, column: 1 }, `"# assayer-traces: ${VERSION}"`, formatFound(line.text));
}

function readTechnique(file: TextFile, head: Map<string, HeadEntry>): Technique | null {
  const entry = head.get('technique');
  if (entry === undefined || entry.value === '') return null;
  if (entry.value === 'bli' || entry.value === 'spr') return entry.value;
  throw file.createError({ line: entry.line }, 'technique bli or spr', formatFound(entry.value));
}

/** Reads the trace table, the empty line and the header of the samples. */
function readTable(file: TextFile, lines: LineCursor): Map<string, Building> {
  const traces = new Map<string, Building>();
  let ended = false;
  while (lines.moveNext()) {
    const line = lines.getLine();
    if (line.text === '') ended = true;
    else if (line.text === DATA_HEADER) return traces;
    else if (ended)
      throw file.createError({ line: line.number, column: 1 }, `"${DATA_HEADER}"`, formatFound(line.text));
    else addTrace(file, line, traces);
  }
  throw file.createError({ line: null }, `a line "${DATA_HEADER}"`, 'end of file');
}

function addTrace(file: TextFile, line: Line, traces: Map<string, Building>): void {
  const fields = splitFields(file, line);
  if (fields.length !== 6) {
    throw file.createError({ line: line.number }, `6 fields (${TABLE_HEADER})`, `${fields.length}`);
  }
  const [id, well, role, sample, replicate, concentration] = fields;
  const throwExpected = (column: number, expected: string, found: string): never => {
    throw file.createError({ line: line.number, column }, expected, formatFound(found));
  };
  if (id.text === '') throwExpected(id.column, 'the id of a trace', id.text);
  if (traces.has(id.text)) throwExpected(id.column, 'an id that no other trace has', id.text);
  if (traces.size >= LIMITS.traces) throwExpected(1, `at most ${LIMITS.traces} traces`, 'more');
  const knownRole =
    TRACE_ROLES.find((each) => each === role.text) ??
    throwExpected(role.column, `a role (${TRACE_ROLES.join(', ')})`, role.text);
  if (sample.text === '' && needsSample(knownRole))
    throwExpected(sample.column, 'the name of the sample', sample.text);
  const number = replicate.text === '' ? 1 : parsePlainNumber(replicate.text);
  if (!Number.isInteger(number) || number < 1)
    throwExpected(replicate.column, 'a replicate number from 1', replicate.text);
  const molar = readMolar(file, line, concentration);
  traces.set(id.text, {
    line: line.number,
    steps: [],
    stepName: '',
    injectionsM: molar.length > 1 ? molar : null,
    trace: {
      id: id.text,
      well: well.text === '' ? null : well.text,
      role: knownRole,
      sample: sample.text,
      replicate: number,
      concentrationM: molar.length === 0 ? null : Math.max(...molar),
      steps: [],
    },
  });
}

/** Returns no value for an empty field, several for a list. */
function readMolar(file: TextFile, line: Line, field: Field): number[] {
  if (field.text === '') return [];
  let { column } = field;
  return field.text.split(';').map((text) => {
    const value = readNumber(file, line, { text: text.trim(), column }, 'a concentration in M');
    if (value < 0 || value > 1)
      throw file.createError(
        { line: line.number, column },
        'a concentration in M between 0 and 1',
        formatFound(text),
      );
    column += text.length + 1;
    return value;
  });
}

function needsSample(role: TraceRole): boolean {
  return role !== 'reference' && role !== 'blank';
}

/** Reads every sample. This is the hot loop of the file, so only the first line of a step is split into fields. */
function readSamples(file: TextFile, lines: LineCursor, traces: Map<string, Building>): void {
  let current: Building | undefined;
  let currentId: string | null = null;
  let steps = 0;
  const run = new StepRun();
  while (lines.moveNext()) {
    if (run.takes(lines)) continue;
    const line = lines.getLine();
    const isQuoted = line.text.includes('"');
    const fields = isQuoted ? splitFields(file, line) : cut(line.text);
    if (fields.length !== 4) {
      throw file.createError(
        { line: line.number },
        `4 fields (${DATA_HEADER})`,
        line.text === '' ? 'an empty line' : `${fields.length}`,
      );
    }
    if (currentId !== fields[0].text) {
      currentId = fields[0].text;
      current = traces.get(currentId);
    }
    if (current === undefined) {
      throw file.createError(
        { line: line.number, column: 1 },
        'a trace of the table above',
        formatFound(fields[0].text),
      );
    }
    const timeS = readNumber(file, line, fields[2], 'a time in s');
    const signal = readNumber(file, line, fields[3], 'a signal');
    if (addSample(file, line, current, { step: fields[1].text, timeS, signal })) steps += 1;
    if (steps > LIMITS.steps)
      throw file.createError({ line: line.number }, `at most ${LIMITS.steps} steps`, 'more');
    if (!isQuoted) run.begin(lines, fields[2].column - 1, current.steps[current.steps.length - 1]);
  }
  for (const { trace, steps, line } of traces.values()) {
    if (steps.length === 0)
      throw file.createError({ line }, `samples of trace ${trace.id}`, 'none in the file');
  }
}

/** Lines that continue the line before: the same trace and step, a later time, two plain decimals. */
class StepRun {
  private step: StepBuilder | null = null;
  /** The first two fields with their commas: in `piece`, starting at `from`. */
  private piece = '';
  private from = 0;
  private length = 0;
  private readonly time = new DecimalReader();
  private readonly signal = new DecimalReader();

  begin({ piece, from }: LineCursor, length: number, step: StepBuilder): void {
    this.step = step;
    this.piece = piece;
    this.from = from;
    this.length = length;
  }

  /**
   * Reads the sample of a line that continues the run; returns false for any other line, which the caller parses in
   * full.
   */
  takes({ piece, from, to }: LineCursor): boolean {
    const { step, time, signal } = this;
    if (step === null || !this.isSame(piece, from)) return false;
    if (!time.read(piece, from + this.length) || piece.charCodeAt(time.end) !== COMMA) return false;
    if (!signal.read(piece, time.end + 1) || signal.end !== to) return false;
    if (!(time.value > step.lastTimeS)) return false;
    step.push(time.value, signal.value);
    return true;
  }

  private isSame(piece: string, from: number): boolean {
    for (let i = 0; i < this.length; i += 1) {
      if (piece.charCodeAt(from + i) !== this.piece.charCodeAt(this.from + i)) return false;
    }
    return true;
  }
}

function cut(text: string): { text: string; column: number }[] {
  const fields = [];
  let from = 0;
  for (let to = text.indexOf(','); to !== -1; to = text.indexOf(',', from)) {
    fields.push({ text: text.slice(from, to), column: from + 1 });
    from = to + 1;
    if (fields.length > 4) break;
  }
  fields.push({ text: text.slice(from), column: from + 1 });
  return fields;
}

/** Adds a sample; returns whether a step begins with it. */
function addSample(
  file: TextFile,
  line: Line,
  building: Building,
  sample: { step: string; timeS: number; signal: number },
): boolean {
  let step: StepBuilder | undefined = building.steps[building.steps.length - 1];
  const previousS = step === undefined ? Number.NEGATIVE_INFINITY : step.lastTimeS;
  const boundary = step === undefined || building.stepName !== sample.step;
  if (sample.timeS < previousS || (sample.timeS === previousS && !boundary)) {
    throw file.createError(
      { line: line.number },
      `a time after ${previousS} s in trace ${building.trace.id}`,
      `${sample.timeS} s`,
    );
  }
  if (step === undefined || boundary) {
    const [stated = '', start] = sample.step.split('@', 2);
    const name: StepName | undefined = STEP_NAMES.find((each) => each === stated);
    const startS = start === undefined ? sample.timeS : parsePlainNumber(start);
    if (name === undefined || !Number.isFinite(startS))
      throw file.createError(
        { line: line.number },
        `a step (${STEP_NAMES.join(', ')})`,
        formatFound(sample.step),
      );
    step = new StepBuilder(name, startS);
    building.steps.push(step);
    building.stepName = sample.step;
  }
  step.push(sample.timeS, sample.signal);
  return boundary;
}

/** A file truncated at a line end is detected by its last trace, which ends before all others. */
function assertEndsLikeOthers(file: TextFile, traces: readonly Trace[]): void {
  if (traces.length < 3) return;
  const shapes = traces.map(({ steps }) => steps.map((step) => step.step).join(' '));
  const lengths = traces.map(({ steps }) => steps[steps.length - 1].timeS.length);
  const last = traces.length - 1;
  const areEqual = (values: readonly (string | number)[]): boolean =>
    values.slice(1, last).every((value) => value === values[0]);
  const found = `${formatCount(lengths[last], 'sample')}, last step ${traces[last].steps[traces[last].steps.length - 1].step}`;
  const shortened = areEqual(shapes) && shapes[last] !== shapes[0] && shapes[0].startsWith(shapes[last]);
  const shorter =
    areEqual(shapes) && shapes[last] === shapes[0] && areEqual(lengths) && lengths[last] < 0.9 * lengths[0];
  if (shortened || shorter) {
    const expected = `trace ${traces[last].id} to end like all others (${formatCount(lengths[0], 'sample')} in its last step; the file looks cut off)`;
    throw file.createError({ line: null }, expected, found);
  }
}
