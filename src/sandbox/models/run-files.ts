/** The raw files of one experiment of any type, one plate or run of capillaries at a time. */
import { assayTruth } from './assay-truth.ts';
import type { AssayTruth, AssayType } from './assay-truth.ts';
import { CAPTURE_ROOM, captureFile } from './capture-run.ts';
import { MELT_ROOM, meltFile } from './melt-run.ts';
import type { Prepared } from './melt-run.ts';
import { fileNameOf, plateFiles } from './plates.ts';
import type { SimulatedPlate, SimulationRequest } from './plates.ts';
import { READER_ROOM, readerFile } from './reader-run.ts';

export interface AssayRequest extends Omit<SimulationRequest, 'experimentType' | 'concentrationsNm'> {
  experimentType: AssayType;
}

/** What a lab is asked to measure. */
export type RunRequest = SimulationRequest | AssayRequest;

const RECORDERS = {
  thermostability: { room: MELT_ROOM, fileOf: meltFile },
  expression: { room: CAPTURE_ROOM, fileOf: captureFile },
  fluorescence: { room: READER_ROOM, fileOf: readerFile },
} as const;

export function* runFiles(request: RunRequest): Generator<SimulatedPlate, void, undefined> {
  if (isAssay(request)) yield* assayFiles(request);
  else yield* plateFiles(request);
}

function isAssay(request: RunRequest): request is AssayRequest {
  return request.experimentType !== 'affinity' && request.experimentType !== 'screening';
}

/** What one replicate of one sequence really is; controls of the client are never forced. */
export function replicateTruth(
  request: AssayRequest,
  sequence: AssayRequest['sequences'][number],
  replicate: number,
): AssayTruth {
  return assayTruth({
    sequence: sequence.aaString,
    assay: request.experimentType,
    replicate,
    attempt: request.options?.attempt ?? 1,
    force: sequence.isControl ? undefined : request.options?.force,
    library: request.options?.library,
  });
}

function* assayFiles(request: AssayRequest): Generator<SimulatedPlate, void, undefined> {
  const { room, fileOf } = RECORDERS[request.experimentType];
  const { experimentCode, options } = request;
  const prepared = preparationsOf(request);
  for (let start = 0; start < prepared.length; start += room) {
    const name = `P${start / room + 1}`;
    const seed = [experimentCode, options?.attempt ?? 1, name];
    yield {
      name,
      fileName: fileNameOf(request, name),
      bytes: fileOf({ experimentCode, plate: name, seed }, prepared.slice(start, start + room)),
    };
  }
}

/** First replicates of all sequences, then the second ones: a lost plate costs no sequence all its replicates. */
function preparationsOf(request: AssayRequest): Prepared[] {
  return Array.from({ length: request.nReplicates }, (_, index) => index + 1).flatMap((replicate) =>
    request.sequences.map((sequence) => ({
      sample: sequence.name,
      replicate,
      truth: replicateTruth(request, sequence, replicate),
    })),
  );
}
