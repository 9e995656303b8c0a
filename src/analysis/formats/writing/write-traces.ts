import { selectAssociations } from '../../curves/trace.ts';
import type { Trace, TraceSet } from '../../curves/trace.ts';
import { joinLines, selectMetadata, writeHead, writeNumber, writeText } from './write-wells.ts';
import { writeStepName, TABLE_HEADER, DATA_HEADER } from '../assayer-traces/assayer-traces.ts';

/** Returns the bytes of an `assayer-traces` file, from which the parser reads the same traces. */
export function writeAssayerTraces({
  technique,
  instrument,
  plate,
  signalUnit,
  metadata,
  traces,
}: TraceSet): Uint8Array {
  const ordered = putLongestLast(traces.map(dropEmptySteps).filter(({ steps }) => steps.length > 0));
  const lines = [
    ...writeHead('assayer-traces', {
      technique,
      instrument,
      signal_unit: signalUnit,
      plate,
      ...selectMetadata(metadata),
    }),
    TABLE_HEADER,
    ...ordered.map(({ id, well, role, sample, replicate, ...trace }) =>
      [writeText(id), writeText(well ?? ''), role, writeText(sample), replicate, writeMolar(trace)].join(','),
    ),
    '',
    DATA_HEADER,
  ];
  for (const { id, steps } of ordered) {
    let previous: string | null = null;
    for (const step of steps) {
      const start = `${writeText(id)},${writeStepName(step, previous)}`;
      previous = step.step;
      step.timeS.forEach((at, index) => {
        lines.push(`${start},${writeNumber(at)},${writeNumber(step.signal[index])}`);
      });
    }
  }
  return joinLines(lines);
}

function dropEmptySteps(trace: Trace): Trace {
  return { ...trace, steps: trace.steps.filter(({ timeS }) => timeS.length > 0) };
}

/** The parser takes a last trace that ends before all others for the end of a truncated file. */
function putLongestLast(traces: readonly Trace[]): Trace[] {
  const count = ({ steps }: Trace): number => steps.reduce((sum, { timeS }) => sum + timeS.length, 0);
  const most = Math.max(0, ...traces.map(count));
  const at = traces.findLastIndex((trace) => count(trace) === most);
  const [longest] = traces.slice(at, at + 1);
  return longest === undefined ? [] : [...traces.toSpliced(at, 1), longest];
}

/** One concentration, or those of the associations where each has its own. */
function writeMolar({ concentrationM, steps }: Pick<Trace, 'concentrationM' | 'steps'>): string {
  const ofSteps = selectAssociations(steps).map((step) => step.concentrationM ?? null);
  const isOwn = ofSteps.length > 1 && ofSteps.every((each) => each !== null);
  return isOwn ? ofSteps.map(writeNumber).join(';') : writeNumber(concentrationM);
}
