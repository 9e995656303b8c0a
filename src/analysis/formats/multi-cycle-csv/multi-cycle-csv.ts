/**
 * Simulated multi-cycle CSV (pyKinGenie): columns Time, Signal, Smax, Analyte_concentration_micromolar_constant,
 * curve after curve. A new curve starts where time decreases. Dissociation starts where a time appears twice or where
 * the concentration, in **micromolar**, falls to zero; association starts again where the concentration rises. A file
 * with neither has unsegmented curves.
 */
import { StepBuilder, withConcentrations } from '../../curves/trace.ts';
import type { Trace, TraceSet, TraceStep } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import { formatFound, readNumber, splitFields } from '../reading/fields.ts';
import type { InputFile } from '../reading/input-file.ts';
import { LIMITS } from '../reading/limits.ts';
import { TextFile } from '../reading/text.ts';

const COLUMNS = ['Time', 'Signal', 'Smax', 'Analyte_concentration_micromolar_constant'];
const HEADER = COLUMNS.join();

/** One curve during reading. */
interface Curve {
  parts: Part[];
  lastTimeS: number;
  lastConcentrationM: number;
}

interface Part {
  builder: StepBuilder;
  /** Concentration of an association; null for the step that follows it. */
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
        'a concentration from 0',
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
  const ends = curves.map((curve) => curve.lastTimeS);
  const shortest = Math.min(...ends.slice(0, -1));
  if (ends.length > 1 && ends[ends.length - 1] < shortest) {
    throw file.createError(
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

/**
 * A curve begins where time decreases. Dissociation begins where a time repeats or the analyte concentration is zero,
 * and another association where analyte returns (single-cycle kinetics).
 */
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
  const isGone = concentrationM === 0 && curve.lastConcentrationM > 0;
  if (isAssociation && (timeS === curve.lastTimeS || isGone))
    curve.parts.push({ builder: new StepBuilder('dissociation', timeS), concentrationM: null });
  else if (concentrationM > 0 && curve.lastConcentrationM === 0)
    curve.parts.push({ builder: new StepBuilder('association', timeS), concentrationM });
  curve.parts[curve.parts.length - 1].builder.push(timeS, signal);
  curve.lastTimeS = timeS;
  curve.lastConcentrationM = concentrationM;
}

function toTrace({ parts }: Curve, index: number): Trace {
  const molar = parts.flatMap((part) => part.concentrationM ?? []);
  const [first, ...others] = parts.map(({ builder }) => builder.build());
  // Buffer before the first analyte is the baseline.
  const isBaseline = molar.length > 1 && molar[0] === 0;
  const start = {
    ...first,
    step: others.length === 0 ? 'unsegmented' : isBaseline ? 'baseline' : first.step,
  } as const;
  const steps: TraceStep[] = [start, ...others];
  const injections = isBaseline ? molar.slice(1) : molar;
  return {
    id: `curve ${index + 1}`,
    well: null,
    role: 'sample',
    sample: 'sample',
    isUnnamed: true,
    replicate: 1,
    concentrationM: Math.max(...injections),
    steps: injections.length > 1 ? (withConcentrations(steps, injections) ?? steps) : steps,
  };
}
