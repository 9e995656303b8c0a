/** Raw files of planned runs for tests: the simulated instrument, laid out as the plan says. */
import { parseAssayerTraces } from '#analysis/formats/assayer-traces/assayer-traces.ts';
import { writeAssayerTraces } from '#analysis/formats/writing/write-traces.ts';
import type { Trace, TraceSet } from '#analysis/curves/trace.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { createSequences } from './builders.ts';
import { createRawFile } from './lab-by-hand.ts';

type Assay = 'affinity' | 'screening';

const simulated = new Map<Assay, TraceSet>();

/** One simulated plate lends its curves to every well of a role. */
function simulateSet(assay: Assay): TraceSet {
  const known = simulated.get(assay);
  if (known !== undefined) return known;
  const file = createRawFile(createSequences(1), assay);
  const set = parseAssayerTraces({
    name: file.name,
    bytes: new Uint8Array(Buffer.from(file.content_base64, 'base64')),
  });
  simulated.set(assay, set);
  return set;
}

/** The curve of a role at the nearest concentration; a buffer only for a buffer. */
function findSource({ traces }: TraceSet, role: Trace['role'], molar: number | null): Trace {
  const distance = (trace: Trace): number =>
    Math.abs(Math.log10(trace.concentrationM ?? 1) - Math.log10(molar ?? 1));
  const candidates = traces.filter(
    (trace) => trace.role === role && (trace.concentrationM === 0) === (molar === 0),
  );
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error(`the simulated plate has no ${role}`);
  if (molar === 0) return first;
  return others.reduce((best, trace) => (distance(trace) < distance(best) ? trace : best), first);
}

export interface SharedWishes {
  /** May make the file hostile. */
  readonly change?: (trace: Trace) => Trace[];
  /** Names the instrument, so that two plates differ in their bytes. */
  readonly salt?: string;
  /** The assay whose curves it holds; a screening unless stated. */
  readonly assay?: Assay;
}

/** The traces of the first plate, well by well as planned. */
export function createSharedTraces(
  plan: PlanRecord,
  { change = (trace) => [trace], salt = '', assay = 'screening' }: SharedWishes = {},
): Uint8Array {
  const set = simulateSet(assay);
  const [plate] = plan.plates;
  const traces = (plate?.wells ?? []).map(
    ({ well, role, sample, replicate, concentration_m: molar }): Trace => {
      const source = findSource(set, role, molar);
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
