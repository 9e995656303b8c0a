/**
 * Gator run folder: `Assay_<n>_Channel<m>.csv` per assay and channel, `ExperimentStep.ini` with the steps of every
 * assay and `Setting.ini` with the wells. Column names of the CSV are not consistent, so columns are read by
 * position: signal in nm, then time in s. The first number of a step is the zero-based plate column that the sensors
 * dip into; channel m dips into row m of it. −1 means "not given". An assay listed in the settings without trace
 * files is reported and left out.
 */
import { formatCount } from '#core/words.ts';
import { FormatError } from '../../failures/errors.ts';
import { StepBuilder } from '../../curves/trace.ts';
import type { StepName, Trace, TraceRole, TraceSet } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import { parseIni } from '../reading/ini.ts';
import type { Ini } from '../reading/ini.ts';
import type { PointBudget, InputFile } from '../reading/input-file.ts';
import { formatFound, parsePlainNumber, readNumber, splitFields } from '../reading/grid.ts';
import { TextFile } from '../reading/text.ts';

const TRACE_FILE = /(?:^|[\\/])Assay_(\d+)_Channel(\d+)\.csv$/i;
const STEP_FILE = /(?:^|[\\/])ExperimentStep\.ini$/i;
const SETTING_FILE = /(?:^|[\\/])Setting\.ini$/i;
const CHANNELS = 8;
const ASSAYS_MAX = 64;
const STEPS_MAX = 64;

const STEP_KINDS: readonly StepName[] = ['baseline', 'loading', 'association', 'dissociation'];
const MOLAR_UNITS: Record<string, number> = { M: 1, MM: 1e-3, UM: 1e-6, NM: 1e-9, PM: 1e-12 };

interface GatorStep {
  step: StepName;
  plateColumn: number;
  startS: number;
  endS: number;
}

interface GatorWell {
  /** In M; null when not given. */
  molar: number | null;
  name: string;
}

export const gator: TraceFormat = {
  id: 'gator',
  name: 'Gator folder',
  title: 'Gator folder',
  kind: 'traces',
  grouping: 'folder',
  recognizes: ({ name }) => TRACE_FILE.test(name) || STEP_FILE.test(name) || SETTING_FILE.test(name),
  parse: parseGator,
};

/** Returns one trace set per assay that has trace files. */
function parseGator(inputs: readonly InputFile[], budget: PointBudget): TraceSet[] {
  const stepIni = readIni(inputs, STEP_FILE, 'ExperimentStep.ini');
  const settingIni = readIni(inputs, SETTING_FILE, 'Setting.ini');
  const assayCount = stepIni.readNumber('Experiment', 'Num');
  if (!Number.isInteger(assayCount) || assayCount < 1 || assayCount > ASSAYS_MAX) {
    throw stepIni.createError('Experiment', 'Num', `a number of assays from 1 to ${ASSAYS_MAX}`);
  }
  const byAssay = groupByAssay(inputs, assayCount);
  const missing = Array.from({ length: assayCount }, (_, i) => i + 1).filter((assay) => !byAssay.has(assay));
  const notices = missing.map(
    (assay) => `Assay ${assay} is listed in ExperimentStep.ini but has no trace files.`,
  );
  return [...byAssay].map(([assay, channels], index) => ({
    format: 'gator',
    technique: 'bli',
    signalUnit: 'nm',
    instrument: 'Gator',
    plate: `assay ${assay}`,
    metadata: readMetadata(settingIni),
    notices: index === 0 ? notices : [],
    traces: parseAssay(channels, { steps: readSteps(stepIni, assay), setting: settingIni, budget }),
  }));
}

function readIni(inputs: readonly InputFile[], pattern: RegExp, name: string): Ini {
  const found = inputs.filter((input) => pattern.test(input.name));
  if (found.length === 1) return parseIni(new TextFile(found[0]));
  throw new FormatError({
    file: name,
    line: null,
    column: null,
    expected: `one ${name}`,
    found: `${found.length}`,
  });
}

interface ChannelFile {
  channel: number;
  input: InputFile;
}

function groupByAssay(inputs: readonly InputFile[], assayCount: number): Map<number, ChannelFile[]> {
  const byAssay = new Map<number, ChannelFile[]>();
  for (const input of inputs) {
    const match = TRACE_FILE.exec(input.name);
    if (match === null) continue;
    const [assay, channel] = [Number(match[1]), Number(match[2])];
    const createFormatError = (expected: string, found: string): FormatError => {
      return new FormatError({ file: input.name, line: null, column: null, expected, found });
    };
    if (assay < 1 || assay > assayCount)
      throw createFormatError(`an assay from 1 to ${assayCount}`, `${assay}`);
    if (channel < 1 || channel > CHANNELS)
      throw createFormatError(`a channel from 1 to ${CHANNELS}`, `${channel}`);
    const channels = byAssay.get(assay) ?? [];
    if (channels.some((each) => each.channel === channel))
      throw createFormatError('one file per channel', 'a second one');
    byAssay.set(assay, [...channels, { channel, input }]);
  }
  if (byAssay.size === 0) {
    const expected = 'trace files Assay_<n>_Channel<m>.csv';
    throw new FormatError({ file: 'ExperimentStep.ini', line: null, column: null, expected, found: 'none' });
  }
  return new Map([...byAssay].sort(([a], [b]) => a - b));
}

function readSteps(ini: Ini, assay: number): GatorStep[] {
  const section = `Experiment${assay}`;
  const count = ini.readNumber(section, 'Num');
  if (!Number.isInteger(count) || count < 1 || count > STEPS_MAX) {
    throw ini.createError(section, 'Num', `a number of steps from 1 to ${STEPS_MAX}`);
  }
  return Array.from({ length: count }, (_, i) => {
    const key = `Step${i + 1}`;
    const numbers = (ini.getText(section, key) ?? '').split(',').map(parsePlainNumber);
    const [plateColumn, startS, endS, kind] = numbers;
    if (
      numbers.length !== 4 ||
      numbers.some(Number.isNaN) ||
      !(endS > startS) ||
      STEP_KINDS[kind] === undefined
    ) {
      throw ini.createError(section, key, 'column,start,end,kind with end after start and kind 0 to 3');
    }
    return { step: STEP_KINDS[kind], plateColumn, startS, endS };
  });
}

function parseAssay(
  channels: readonly ChannelFile[],
  { steps, setting, budget }: { steps: readonly GatorStep[]; setting: Ini; budget: PointBudget },
): Trace[] {
  const sorted = [...channels].sort((a, b) => a.channel - b.channel);
  const traces = sorted.map((each) => {
    const trace = buildChannelTrace(each, steps, setting);
    budget.spend(each.input.name, trace.steps);
    return trace;
  });
  const lengths = traces.map((trace) => trace.steps.reduce((sum, step) => sum + step.timeS.length, 0));
  const longest = Math.max(...lengths);
  for (const [index, { input }] of sorted.entries()) {
    if (lengths[index] === longest) continue;
    const expected = `${formatCount(longest, 'sample')}, as in the other channels`;
    const found = `${lengths[index]} (the file looks cut off)`;
    throw new FormatError({ file: input.name, line: null, column: null, expected, found });
  }
  return traces;
}

function buildChannelTrace(
  { channel, input }: ChannelFile,
  steps: readonly GatorStep[],
  setting: Ini,
): Trace {
  const wells = steps.map((step) => readWell(setting, step.plateColumn * CHANNELS + channel));
  const loadingAt = steps.findIndex((step) => step.step === 'loading');
  const associationAt = steps.findIndex((step) => step.step === 'association');
  const loading = loadingAt === -1 ? null : wells[loadingAt];
  const analyte = associationAt === -1 ? null : wells[associationAt];
  const isSingleCycle = steps.filter(({ step }) => step === 'association').length > 1;
  const name = loading?.name ?? '';
  const role: TraceRole = loading?.molar === 0 ? 'reference' : 'sample';
  return {
    id: `channel ${channel}`,
    well: associationAt === -1 ? null : `${'ABCDEFGH'[channel - 1]}${steps[associationAt].plateColumn + 1}`,
    role,
    sample: name === '' ? `channel ${channel}` : name,
    ...(name === '' ? { isUnnamed: true } : {}),
    replicate: 1,
    concentrationM: analyte?.molar ?? null,
    steps: readChannel(new TextFile(input), steps).map((step, i) =>
      isSingleCycle && step.step === 'association' ? { ...step, concentrationM: wells[i].molar } : step,
    ),
  };
}

function readWell(setting: Ini, well: number): GatorWell {
  const unit = setting.getText('SampleKinetics', 'MolarConcentrationUnit') ?? '';
  const factor = MOLAR_UNITS[unit.toUpperCase()];
  if (factor === undefined) {
    throw setting.createError(
      'SampleKinetics',
      'MolarConcentrationUnit',
      `a unit (${Object.keys(MOLAR_UNITS).join(', ')})`,
    );
  }
  const key = `Well${well}`;
  const fields = (setting.getText('SampleKinetics', key) ?? '').split(',');
  const molar = parsePlainNumber(fields[3] ?? '');
  if (fields.length < 6 || Number.isNaN(molar)) {
    throw setting.createError(
      'SampleKinetics',
      key,
      'kind,mass concentration,molar mass,molar concentration,,name',
    );
  }
  return { molar: molar < 0 ? null : Number((molar * factor).toPrecision(12)), name: fields[5] };
}

/** Splits one channel into its steps: a sample at a boundary belongs to the step that starts there. */
function readChannel(file: TextFile, steps: readonly GatorStep[]): Trace['steps'] {
  file.assertEndsWithLineEnd();
  const builders = steps.map((step) => new StepBuilder(step.step, step.startS));
  let width: number | null = null;
  let previousS = Number.NEGATIVE_INFINITY;
  let intervalS = 0;
  let lastLine = 1;
  for (const line of file.readLines()) {
    if (line.number === 1) {
      if (!line.text.startsWith('FinalValue,Time,'))
        throw file.createError({ line: 1 }, 'FinalValue,Time,…', formatFound(line.text));
      continue;
    }
    const fields = splitFields(file, line);
    width ??= fields.length;
    if (fields.length !== width || width < 3)
      throw file.createError({ line: line.number }, formatCount(width, 'field'), `${fields.length}`);
    const signal = readNumber(file, line, fields[0], 'a signal in nm');
    const timeS = readNumber(file, line, fields[1], 'a time in s');
    if (timeS <= previousS)
      throw file.createError(
        { line: line.number, column: fields[1].column },
        `a time after ${previousS} s`,
        `${timeS} s`,
      );
    intervalS = Math.max(intervalS, timeS - previousS === Number.POSITIVE_INFINITY ? 0 : timeS - previousS);
    previousS = timeS;
    lastLine = line.number;
    const at = steps.findIndex(
      (step, i) => timeS >= step.startS && (timeS < step.endS || i === steps.length - 1),
    );
    if (at !== -1) builders[at].push(timeS, signal);
  }
  const endS = steps[steps.length - 1].endS;
  if (previousS < endS - 1.5 * intervalS) {
    throw file.createError(
      { line: lastLine },
      `samples up to ${endS} s`,
      `${previousS} s (the file looks cut off)`,
    );
  }
  return builders.map((builder) => builder.build());
}

function readMetadata(setting: Ini): Record<string, string> {
  const found: Record<string, string> = {};
  for (const key of ['ExperimentType', 'SaveTime', 'Frequency', 'DataVersion']) {
    const value = setting.getText('BasicInformation', key);
    if (value !== null) found[key] = value;
  }
  return found;
}
