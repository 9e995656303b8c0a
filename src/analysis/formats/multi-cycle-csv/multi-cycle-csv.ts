/**
 * Simulated multi-cycle CSV (pyKinGenie): columns Time (s), Signal, Smax and Analyte_concentration_micromolar_constant
 * (µM), curve after curve. Smax is not read, because the fit determines it. A curve begins where time decreases.
 * Dissociation begins where a time repeats or the concentration falls to zero, and another association where the
 * concentration rises from zero (single-cycle kinetics). A curve without such a row is unsegmented.
 */
import { StepBuilder, withConcentrations } from '../../curves/trace.ts';
import type { Trace, TraceSet, TraceStep } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import { formatFound, readNumber, splitFields } from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { TextFile } from '../reading/text.ts';

const COLUMNS = ['Time', 'Signal', 'Smax', 'Analyte_concentration_micromolar_constant'];
const HEADER = COLUMNS.join();

/** A curve that is still being read. */
interface Curve {
  parts: Part[];
  lastTimeS: number;
  lastConcentrationM: number;
}

interface Part {
  builder: StepBuilder;
  /** Analyte concentration of an association; null for a dissociation. */
  concentrationM: number | null;
}

export const multiCycleCsv: TraceFormat = {
  id: 'multi-cycle-csv',
  name: 'multi-cycle CSV',
  title: 'multi-cycle CSV (pyKinGenie)',
  kind: 'traces',
  grouping: 'plate',
  recognizes({ head }) {
    const first = head.replace(/^\uFEFF/, '').split(/\r|\n/, 1)[0];
    return first.replaceAll('"', '') === HEADER;
  },
  parse: parseMultiCycle,
};

function parseMultiCycle(input: InputFile): TraceSet {
  const file = new TextFile(input);
  file.assertEndsWithLineEnd();
  const curves: Curve[] = [];
  let lastLine = 1;
  for (const line of file.readLines()) {
    if (line.number === 1) continue;
    const fields = splitFields(file, line);
    if (fields.length !== COLUMNS.length) {
      throw file.createError(
        { line: line.number },
        `${COLUMNS.length} fields (${HEADER})`,
        formatFound(line.text),
      );
    }
    const timeS = readNumber(file, line, fields[0], 'a time in s');
    const signal = readNumber(file, line, fields[1], 'a signal');
    const concentrationM = readNumber(file, line, fields[3], 'a concentration in µM') * 1e-6;
    if (concentrationM < 0) {
      throw file.createError(
        { line: line.number, column: fields[3].column },
        'a concentration of 0 or more',
        formatFound(fields[3].text),
      );
    }
    addRow(curves, { timeS, signal, concentrationM });
    if (curves.length > LIMITS.traces)
      throw file.createError({ line: line.number }, `at most ${LIMITS.traces} curves`, 'more');
    lastLine = line.number;
  }
  if (curves.length === 0)
    throw file.createError({ line: lastLine }, 'samples after the header', 'end of file');
  assertLastCurveIsWhole(file, lastLine, curves);
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

/** Rejects a file whose last curve ends before all others, because nothing else shows that it was cut off. */
function assertLastCurveIsWhole(file: TextFile, line: number, curves: readonly Curve[]): void {
  const endsS = curves.map(({ lastTimeS }) => lastTimeS);
  const shortestS = Math.min(...endsS.slice(0, -1));
  const lastS = endsS[endsS.length - 1];
  if (endsS.length === 1 || lastS >= shortestS) return;
  throw file.createError(
    { line },
    `the last curve to reach ${shortestS} s`,
    `${lastS} s (the file looks cut off)`,
  );
}

/** Adds a row to the current step, or to the step or curve that begins with it. */
function addRow(
  curves: Curve[],
  { timeS, signal, concentrationM }: { timeS: number; signal: number; concentrationM: number },
): void {
  let curve = curves.at(-1);
  if (curve === undefined || timeS < curve.lastTimeS) {
    const first = { builder: new StepBuilder('association', timeS), concentrationM };
    curve = { parts: [first], lastTimeS: Number.NEGATIVE_INFINITY, lastConcentrationM: concentrationM };
    curves.push(curve);
  }
  const isAssociation = curve.parts[curve.parts.length - 1].concentrationM !== null;
  const isAnalyteGone = concentrationM === 0 && curve.lastConcentrationM > 0;
  if (isAssociation && (timeS === curve.lastTimeS || isAnalyteGone))
    curve.parts.push({ builder: new StepBuilder('dissociation', timeS), concentrationM: null });
  else if (concentrationM > 0 && curve.lastConcentrationM === 0)
    curve.parts.push({ builder: new StepBuilder('association', timeS), concentrationM });
  curve.parts[curve.parts.length - 1].builder.push(timeS, signal);
  curve.lastTimeS = timeS;
  curve.lastConcentrationM = concentrationM;
}

function toTrace({ parts }: Curve, index: number): Trace {
  const concentrationsM = parts.flatMap((part) => part.concentrationM ?? []);
  const [first, ...others] = parts.map(({ builder }) => builder.build());
  // Buffer before the first analyte is the baseline, although it was read as an association.
  const isBaseline = concentrationsM.length > 1 && concentrationsM[0] === 0;
  const start = {
    ...first,
    step: others.length === 0 ? 'unsegmented' : isBaseline ? 'baseline' : first.step,
  } as const;
  const steps: TraceStep[] = [start, ...others];
  const injectionsM = isBaseline ? concentrationsM.slice(1) : concentrationsM;
  return {
    id: `curve ${index + 1}`,
    well: null,
    role: 'sample',
    sample: 'sample',
    isUnnamed: true,
    replicate: 1,
    concentrationM: Math.max(...injectionsM),
    steps: injectionsM.length > 1 ? (withConcentrations(steps, injectionsM) ?? steps) : steps,
  };
}
