/**
 * Octet `.frd`: XML, one file per sensor with all its steps. Signals are base64 of little-endian float32, beside
 * their number of points. A sensor goes through several cycles, each with its own sample; each cycle with an
 * association becomes a trace. −1 stands for "not given". Times are those of the samples (`AssayXData`, s), not
 * `StartTime` (ms of the run).
 */
import { formatCount } from '#core/words.ts';
import type { StepName, Trace, TraceRole, TraceSet, TraceStep } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import { type PointBudget, type InputFile, LIMITS } from '../reading/input-file.ts';
import { formatFound, parsePlainNumber } from '../reading/grid.ts';
import { TextFile } from '../reading/text.ts';
import { MOLAR_UNITS } from '../reading/units.ts';
import { findChild, createXmlError, parseXmlTree } from '../reading/xml.ts';
import type { XmlElement } from '../reading/xml.ts';

const STEP_TYPES: Record<string, StepName> = {
  BASELINE: 'baseline',
  LOADING: 'loading',
  QUENCHING: 'quenching',
  ASSOC: 'association',
  DISASSOC: 'dissociation',
  KREGENERATION: 'regeneration',
  REGENERATION: 'regeneration',
};
const METADATA = [
  'RunID',
  'ExperimentType',
  'StartDateTime',
  'LotNumber',
  'SensorType',
  'WritingSW',
  'InstrumentSerial',
];
const POINTS_MAX = 5_000_000;

export const octetFrd: TraceFormat = {
  id: 'octet-frd',
  name: 'Octet .frd',
  title: 'Octet `.frd`',
  kind: 'traces',
  grouping: 'folder',
  recognizes: ({ head }) => /^\uFEFF?\s*(<\?xml[^>]*>\s*)?<ExperimentResults[\s>]/.test(head),
  parse: (files, budget) => [parseOctetFrd(files, budget)],
};

interface FrdStep {
  step: StepName;
  sample: string;
  concentrationM: number | null;
  data: TraceStep;
}

/** The sensors of one folder become one set. */
function parseOctetFrd(inputs: readonly InputFile[], budget: PointBudget): TraceSet {
  const notices: string[] = [];
  const sensors = inputs.map((input) => {
    const sensor = parseSensor(new TextFile(input), notices);
    for (const { steps } of sensor.traces) budget.spend(input.name, steps);
    return sensor;
  });
  const traces = sensors.flatMap((sensor) => sensor.traces);
  const seen = new Set<string>();
  const unique = traces.map((trace) => {
    let id = trace.id;
    for (let k = 2; seen.has(id); k += 1) id = `${trace.id} (${k})`;
    seen.add(id);
    return { ...trace, id };
  });
  if (unique.some((trace) => trace.concentrationM === null))
    notices.push('The file gives no molar concentrations for some samples: state them in the settings.');
  const [first] = sensors;
  return {
    format: 'octet-frd',
    technique: 'bli',
    signalUnit: 'nm',
    instrument: first.info.get('InstrumentType') ?? 'Octet',
    plate: first.info.get('PlateName') ?? null,
    metadata: Object.fromEntries(METADATA.flatMap((key) => readEntry(first.info, key))),
    notices: [...new Set(notices)],
    traces: unique,
  };
}

function readEntry(info: ReadonlyMap<string, string>, key: string): [string, string][] {
  const value = info.get(key);
  return value === undefined ? [] : [[key, value]];
}

function parseSensor(
  file: TextFile,
  notices: string[],
): { info: ReadonlyMap<string, string>; traces: Trace[] } {
  const root = parseXmlTree(file);
  const infoElement = findChild(root, 'ExperimentInfo');
  const stepElements = findChild(root, 'KineticsData')?.children.filter(({ name }) => name === 'Step') ?? [];
  if (infoElement === undefined) throw createXmlError(file, root.at, 'an element ExperimentInfo', 'none');
  if (stepElements.length === 0) throw createXmlError(file, root.at, 'steps in KineticsData', 'none');
  const info = new Map(
    infoElement.children.flatMap(({ name, text }) =>
      text.trim() === '' ? [] : [[name, text.trim()] as const],
    ),
  );
  const sensor = info.get('SensorName') ?? file.name;
  const steps = stepElements.map((element, index) => readStep(file, element, { index, sensor, notices }));
  const role: TraceRole = /REFERENCE/i.test(info.get('SensorRole') ?? '') ? 'reference' : 'sample';
  return { info, traces: splitCycles(steps, { sensor, role }) };
}

/** Returns null for a step that failed or does not belong to a trace; the notices state it. */
function readStep(
  file: TextFile,
  element: XmlElement,
  at: { index: number; sensor: string; notices: string[] },
): FrdStep | null {
  const getText = (name: string): string => findChild(element, name)?.text.trim() ?? '';
  const type = getText('StepType');
  const step: StepName | undefined = Object.hasOwn(STEP_TYPES, type) ? STEP_TYPES[type] : undefined;
  const data = readSamples(file, element, step ?? 'regeneration');
  if (step === undefined) {
    const fault =
      type === 'ERROR' ? 'failed on the instrument' : `is of type ${type === '' ? 'nothing' : type}`;
    at.notices.push(`Step ${at.index + 1} of sensor ${at.sensor} ${fault} and was left out.`);
    return null;
  }
  const common = findChild(element, 'CommonData');
  const readField = (name: string): string => findChild(common, name)?.text.trim() ?? '';
  return { step, sample: readField('SampleID'), concentrationM: readMolar(file, common, readField), data };
}

function readMolar(
  file: TextFile,
  common: XmlElement | undefined,
  readField: (name: string) => string,
): number | null {
  const readNumber = (name: string): number => {
    const value = readField(name) === '' ? -1 : parsePlainNumber(readField(name));
    if (Number.isNaN(value))
      throw createXmlError(file, common?.at ?? 0, `${name}, a finite number`, formatFound(readField(name)));
    return value;
  };
  const molar = readNumber('MolarConcentration');
  if (molar >= 0) {
    const unit = readField('MolarConcUnits');
    if (!Object.hasOwn(MOLAR_UNITS, unit))
      throw createXmlError(
        file,
        common?.at ?? 0,
        `a unit (${Object.keys(MOLAR_UNITS).join(', ')})`,
        formatFound(unit),
      );
    return Number((molar * MOLAR_UNITS[unit]).toPrecision(12));
  }
  // Zero in any unit is zero in M.
  return readNumber('Concentration') === 0 ? 0 : null;
}

function readSamples(file: TextFile, element: XmlElement, step: StepName): TraceStep {
  const x = readFloats(file, element, 'AssayXData');
  const y = readFloats(file, element, 'AssayYData');
  const at = findChild(element, 'AssayYData')?.at ?? element.at;
  if (x.length !== y.length)
    throw createXmlError(file, at, `${formatCount(x.length, 'point')}, as in AssayXData`, `${y.length}`);
  let lastS = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < x.length; i += 1) {
    if (!(x[i] > lastS) || !Number.isFinite(x[i]) || !Number.isFinite(y[i])) {
      const found = `${x[i]} s with signal ${y[i]}`;
      throw createXmlError(file, at, `finite signals at ascending times (point ${i + 1})`, found);
    }
    lastS = x[i];
  }
  return { step, startS: x.at(0) ?? 0, timeS: Float64Array.from(x), signal: Float64Array.from(y) };
}

function readFloats(file: TextFile, step: XmlElement, name: string): Float32Array {
  const element = findChild(step, name);
  if (element === undefined) throw createXmlError(file, step.at, `an element ${name}`, 'none');
  const base64 = /\s/.test(element.text) ? element.text.replaceAll(/\s/g, '') : element.text;
  const points = parsePlainNumber(element.attributes.get('Points') ?? '');
  if (!Number.isInteger(points) || points < 0 || points > POINTS_MAX)
    throw createXmlError(
      file,
      element.at,
      `Points from 0 to ${POINTS_MAX}`,
      formatFound(element.attributes.get('Points') ?? ''),
    );
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw createXmlError(file, element.at, 'base64', 'something else');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 4 * points)
    throw createXmlError(
      file,
      element.at,
      `${formatCount(points, 'point')} of 4 bytes`,
      formatCount(bytes.length, 'byte'),
    );
  const values = new Float32Array(points);
  for (let i = 0; i < points; i += 1) values[i] = bytes.readFloatLE(4 * i);
  return values;
}

/** Several associations without a regeneration are single-cycle kinetics: each has its own concentration. */
function withCycles(steps: readonly FrdStep[]): TraceStep[] {
  const associations = steps.filter(({ step }) => step === 'association');
  return steps.map(({ step, data, concentrationM }) =>
    step === 'association' && associations.length > 1 ? { ...data, concentrationM } : data,
  );
}

/**
 * Splits the steps from the end of one cycle to the end of the next dissociation. Regeneration between cycles belongs
 * to neither.
 */
function splitCycles(
  steps: readonly (FrdStep | null)[],
  { sensor, role }: { sensor: string; role: TraceRole },
): Trace[] {
  const traces: Trace[] = [];
  const repeats = new Map<string, number>();
  let current: FrdStep[] = [];
  const close = (): void => {
    const association = current.find(({ step }) => step === 'association');
    if (association !== undefined) {
      const loading = current.find(({ step }) => step === 'loading');
      const names = [loading?.sample, association.sample].filter((name) => name !== undefined && name !== '');
      const sample = names.length === 0 ? sensor : names.join(' with ');
      const replicate = (repeats.get(sample) ?? 0) + 1;
      repeats.set(sample, replicate);
      traces.push({
        id: `${sensor} cycle ${traces.length + 1}`,
        well: sensor,
        role,
        sample,
        ...(names.length === 0 ? { isUnnamed: true } : {}),
        replicate,
        concentrationM: association.concentrationM,
        steps: withCycles(current),
      });
    }
    current = [];
  };
  for (const step of steps) {
    const last = current.at(-1)?.step;
    const ends = last === 'dissociation' && step?.step !== 'dissociation' && step?.step !== 'association';
    if (ends || step?.step === 'regeneration') close();
    if (step !== null && step.step !== 'regeneration' && step.data.timeS.length > 0) current.push(step);
    if (traces.length > LIMITS.traces) break;
  }
  close();
  return traces;
}
