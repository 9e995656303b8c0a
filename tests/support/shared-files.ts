/** Raw files of planned runs for tests: the simulated instrument, laid out as the plan says. */
import { parseAssayerTraces } from '#analysis/formats/assayer-traces/assayer-traces.ts';
import { writeAssayerTraces } from '#analysis/formats/writing/write-traces.ts';
import type { Trace, TraceSet } from '#analysis/curves/trace.ts';
import type { PlanRecord } from '#domain/runs/plan-schemas.ts';
import { createSequences } from './builders.ts';
import { createRawFile } from './lab-by-hand.ts';

let simulated: TraceSet | undefined;

/** One simulated screening lends its curves to every well of a role. */
function simulateSet(): TraceSet {
  const file = createRawFile(createSequences(1));
  simulated ??= parseAssayerTraces({
    name: file.name,
    bytes: new Uint8Array(Buffer.from(file.content_base64, 'base64')),
  });
  return simulated;
}

export interface SharedWishes {
  /** May make the file hostile. */
  readonly change?: (trace: Trace) => Trace[];
  /** Names the instrument, so that two plates differ in their bytes. */
  readonly salt?: string;
}

/** The traces of one plate of a screening, well by well as planned. */
export function createSharedTraces(
  plan: PlanRecord,
  { change = (trace) => [trace], salt = '' }: SharedWishes = {},
): Uint8Array {
  const set = simulateSet();
  const [plate] = plan.plates;
  const traces = (plate?.wells ?? []).map(
    ({ well, role, sample, replicate, concentration_m: molar }): Trace => {
      const isBuffer = molar === 0;
      const source = set.traces.find(
        (each) => each.role === role && (each.concentrationM === 0) === isBuffer,
      );
      if (source === undefined) throw new Error(`the simulated plate has no ${role}`);
      return { ...source, id: `${well} ${sample}`, well, sample, replicate, concentrationM: molar };
    },
  );
  return writeAssayerTraces({
    ...set,
    instrument: `Simulated BLI ${salt}`,
    plate: plate?.name ?? null,
    traces: traces.flatMap(change),
  });
}

export interface EncodedFile {
  readonly name: string;
  readonly content_base64: string;
}

export function encodeFile(name: string, bytes: Uint8Array): EncodedFile {
  return { name, content_base64: Buffer.from(bytes).toString('base64') };
}
