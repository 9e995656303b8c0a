/**
 * The simulated instruments of the lab: from an experiment they make the raw files that a lab would upload, and the
 * hidden truth that the analysis of those files should find.
 */
import {
  POSITIVE_CONTROL_NAME,
  POSITIVE_CONTROL_TRUTH,
  SPOILED_POSITIVE_CONTROL_TRUTH,
  listConcentrations,
  layOut,
  type PlacedDip,
  type PlateLayout,
  type Preparation,
} from './layout.ts';
import { drawPlateEffects, recordSensor } from './observation.ts';
import { chooseForce, type SimulationOptions } from './options.ts';
import { createRandomSource } from './random.ts';
import type { SeedPart } from './random.ts';
import { writeTraceFile } from './recorded-files.ts';
import { computeSelectionShift, runTruth } from './truth.ts';
import type { RunTruth } from './truth.ts';

export interface SimulatedSequence {
  id: string;
  /** The `sample` in the file; unique within the experiment. */
  name: string;
  aaString: string;
  /** A control of the client: measured like any other sequence, but its behavior is never forced. */
  isControl: boolean;
  /** Where it is measured less often than the others, such as in a run that repeats some replicates. */
  nReplicates?: number | undefined;
}

export interface SimulationRequest {
  /** Seed of the instrument: the same code records the same bytes. */
  experimentCode: string;
  experimentType: 'affinity' | 'screening';
  method: 'bli' | 'spr';
  target: { id: string; name: string };
  sequences: readonly SimulatedSequence[];
  nReplicates: number;
  /**
   * Antigen concentrations in nM; buffer (0) is added when missing. Absent: the default series of the experiment
   * type.
   */
  concentrationsNm?: readonly number[] | null | undefined;
  options?: SimulationOptions | undefined;
}

export interface SimulatedPlate {
  /** `P1`, `P2`, … */
  name: string;
  fileName: string;
  bytes: Uint8Array;
}

export interface SequenceTruth extends RunTruth {
  sequenceId: string;
  name: string;
  isControl: boolean;
}

const DEFAULT_CONCENTRATIONS_NM: Record<SimulationRequest['experimentType'], readonly number[]> = {
  affinity: [1000, 316.2, 100, 31.6, 0],
  screening: [100, 0],
};
const REPLICATES_MAX = 20;

/**
 * Returns all plates of an experiment and its truth. For more than some hundred sequences iterate over `simulatePlateFiles`
 * instead.
 */
export function simulatePlates(request: SimulationRequest): {
  plates: SimulatedPlate[];
  truth: SequenceTruth[];
} {
  const truth = drawExperimentTruth(request);
  return { plates: [...simulatePlateFiles(request, truth)], truth };
}

/** Returns what the lab would find with a perfect instrument, in the order of the sequences. */
function drawExperimentTruth(request: SimulationRequest): SequenceTruth[] {
  const { nReplicates, target, options } = request;
  if (!Number.isInteger(nReplicates) || nReplicates < 1 || nReplicates > REPLICATES_MAX) {
    throw new RangeError(`The number of replicates is between 1 and ${REPLICATES_MAX}.`);
  }
  const selectionShift = chooseSelectionShift(request);
  return request.sequences.map((sequence) => ({
    sequenceId: sequence.id,
    name: sequence.name,
    isControl: sequence.isControl,
    ...runTruth({
      sequence: sequence.aaString,
      targetId: target.id,
      nReplicates: sequence.nReplicates ?? nReplicates,
      attempt: options?.attempt ?? 1,
      force: chooseForce(request, sequence),
      library: options?.library,
      selectionShift: sequence.isControl ? 0 : selectionShift,
    }),
  }));
}

/** The client's own controls keep their natural truth, so that they are the same in every library. */
function chooseSelectionShift({ sequences, target, options }: SimulationRequest): number {
  if (options?.library !== 'enriched' || options.force !== undefined) return 0;
  const designs = (options.selectedWith ?? sequences).filter(({ isControl }) => !isControl);
  return computeSelectionShift(
    designs.map(({ aaString }) => aaString),
    target.id,
  );
}

/** Yields the same plates one by one; about 3 MB each for the default series. */
export function* simulatePlateFiles(
  request: SimulationRequest,
  truth: readonly SequenceTruth[] = drawExperimentTruth(request),
): Generator<SimulatedPlate, void, undefined> {
  const series = listConcentrations(
    request.concentrationsNm ?? DEFAULT_CONCENTRATIONS_NM[request.experimentType],
  );
  const isSpoiled = request.options?.controlsFail === true;
  const positiveControl = isSpoiled ? SPOILED_POSITIVE_CONTROL_TRUTH : POSITIVE_CONTROL_TRUTH;
  for (const layout of layOut(listPreparations(truth, request.nReplicates), series, positiveControl)) {
    yield {
      name: layout.name,
      fileName: formatFileName(request, layout.name),
      bytes: recordPlate(request, layout),
    };
  }
}

/**
 * First replicates of all sequences come first, then second ones, so that a lost plate costs no sequence all its
 * replicates.
 */
function listPreparations(truth: readonly SequenceTruth[], nReplicates: number): Preparation[] {
  const preparations: Preparation[] = [];
  for (let replicate = 1; replicate <= nReplicates; replicate += 1) {
    for (const sequence of truth) {
      const match = sequence.replicates.find((each) => each.replicate === replicate);
      if (match !== undefined) preparations.push({ sample: sequence.name, replicate, truth: match });
    }
  }
  return preparations;
}

function recordPlate(request: SimulationRequest, layout: PlateLayout): Uint8Array {
  const run: SeedPart[] = [request.experimentCode, request.options?.attempt ?? 1, layout.name];
  const effects = drawPlateEffects(...run);
  const traces = layout.dips.map((dip) => ({
    dip,
    samples: recordSensor(
      {
        seed: [...run, dip.role, dip.sample, dip.replicate, dip.concentrationM],
        truth: dip.truth,
        concentrationM: dip.concentrationM,
        spiked: isSpiked(dip, layout, run),
      },
      effects,
    ),
  }));
  const details = {
    experiment: request.experimentCode,
    experiment_type: request.experimentType,
    target: request.target.name,
    positive_control: POSITIVE_CONTROL_NAME,
    positive_control_kd_m: String(POSITIVE_CONTROL_TRUTH.kdM),
  };
  return writeTraceFile({ technique: request.method, plate: layout.name, details }, traces);
}

/** Whether the bubble of a `spike` replicate affects this dip: one of its sensors in antigen, chosen by seed. */
function isSpiked(dip: PlacedDip, layout: PlateLayout, run: readonly SeedPart[]): boolean {
  if (dip.truth?.failure !== 'spike') return false;
  const concentrations = layout.dips
    .filter(
      (each) => each.role === 'sample' && each.sample === dip.sample && each.replicate === dip.replicate,
    )
    .map((each) => each.concentrationM)
    .filter((concentrationM) => concentrationM > 0);
  const random = createRandomSource('spiked', ...run, dip.sample, dip.replicate);
  const struck = concentrations[Math.floor(random.drawUniform() * concentrations.length)];
  return dip.concentrationM === struck;
}

export function formatFileName(
  request: Pick<SimulationRequest, 'experimentCode' | 'options'>,
  plate: string,
): string {
  const attempt = request.options?.attempt ?? 1;
  const code = request.experimentCode.replace(/[^A-Za-z0-9._-]+/g, '_');
  return attempt === 1 ? `${code}-${plate}.csv` : `${code}-run${attempt}-${plate}.csv`;
}
