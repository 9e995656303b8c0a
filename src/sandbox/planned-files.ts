/** What the simulated instrument records of a planned run of sensors, laid out well by well as the plan says. */
import { toNanomolar } from '#core/number-words.ts';
import { parseAssayerTraces } from '#analysis/formats/assayer-traces/assayer-traces.ts';
import { writeAssayerTraces } from '#analysis/formats/writing/write-traces.ts';
import type { Trace } from '#analysis/curves/trace.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import type { SimulatedPlate } from './models/plates.ts';
import { runFiles } from './run-files.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';

type Well = PlanRecord['plates'][number]['wells'][number];

/** The simulated instrument measures a sequence at most so often; further replicates of a plan repeat its curves. */
const REPLICATES_MAX = 20;
/** What a plan without concentrations is measured at, in nM. */
const USUAL_NM = 100;

/** The simulated instrument cannot record the plan; the message is for staff and says what to do. */
export class PlanNotRecordedError extends Error {
  override readonly name = 'PlanNotRecordedError';
}

export interface PlannedRequest extends Omit<
  RunRequest,
  'sequences' | 'nReplicates' | 'concentrationsNm' | 'options'
> {
  readonly plan: PlanRecord;
  /** Amino acids by the id of the sequence. */
  readonly residues: ReadonlyMap<string, string>;
}

/** Yields a file for each plate of the plan. Only runs of sensors (affinity, screening) have traces to lay out. */
export function* recordPlan(request: PlannedRequest): Generator<SimulatedPlate, void, undefined> {
  const traces = simulateTraces(request);
  const { technique, signalUnit } = traces.set;
  for (const { name, wells } of request.plan.plates) {
    const bytes = writeAssayerTraces({
      ...traces.set,
      technique,
      signalUnit,
      plate: name,
      traces: wells.map((well) => createTrace(traces.traces, well)),
    });
    yield { name, fileName: `${name}-traces.csv`, bytes };
  }
}

/** The curves of every sample of the plan, as the instrument records them on plates of its own. */
function simulateTraces({ plan, residues, ...run }: PlannedRequest) {
  const wells = plan.plates.flatMap((plate) => plate.wells);
  const samples = wells.filter(({ role }) => role === 'sample');
  const named = new Map(samples.map(({ sample, sequence_id: id }) => [sample, id]));
  const molar = new Set(wells.map((well) => well.concentration_m ?? USUAL_NM * 1e-9));
  const files = [
    ...runFiles({
      ...run,
      sequences: [...named].map(([name, id]) => {
        const aaString = residues.get(id ?? '');
        if (aaString === undefined)
          throw new PlanNotRecordedError(
            `Its plan names ${name}, which is no sequence of its orders: check the plan, or name one of its orders instead.`,
          );
        return { id: id ?? name, name, aaString, isControl: false };
      }),
      nReplicates: Math.min(REPLICATES_MAX, Math.max(1, ...samples.map(({ replicate }) => replicate))),
      concentrationsNm: [...molar].map((each) => toNanomolar(each)),
    }),
  ];
  const sets = files.map(({ fileName, bytes }) => parseAssayerTraces({ name: fileName, bytes }));
  const [set] = sets;
  if (set === undefined) throw new Error('the simulated instrument recorded nothing');
  return { set, traces: sets.flatMap((each) => each.traces) };
}

function createTrace(traces: readonly Trace[], well: Well): Trace {
  const { role, sample, replicate, concentration_m: concentrationM } = well;
  const source = findSource(traces, well);
  return {
    ...source,
    id: `${well.well} ${sample}`,
    well: well.well,
    role,
    sample,
    replicate,
    concentrationM,
  };
}

/** The curve of a well: of its sample and replicate, at the nearest concentration; a buffer only for a buffer. */
function findSource(
  traces: readonly Trace[],
  { role, sample, replicate, concentration_m: molar }: Well,
): Trace {
  const ofRole = traces.filter(
    (trace) =>
      trace.role === role &&
      (trace.concentrationM === 0) === (molar === 0) &&
      (role !== 'sample' || trace.sample === sample),
  );
  const ofReplicate = ofRole.filter((trace) => trace.replicate === replicate);
  const candidates = ofReplicate.length > 0 ? ofReplicate : ofRole;
  const computeDistance = ({ concentrationM }: Trace): number =>
    molar === 0 ? 0 : Math.abs(Math.log10(concentrationM ?? 1) - Math.log10(molar ?? USUAL_NM * 1e-9));
  const [first, ...others] = candidates;
  if (first === undefined)
    throw new PlanNotRecordedError(
      `Its plan has a ${role.replaceAll('_', ' ')}, ${sample}, which the simulated instrument does not record: name one of its orders instead.`,
    );
  return others.reduce(
    (best, trace) => (computeDistance(trace) < computeDistance(best) ? trace : best),
    first,
  );
}
