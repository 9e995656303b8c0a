/**
 * The part that the simulated assays without a target share: prepared samples fill the wells of plate after plate or
 * run after run.
 */
import { drawAssayTruth, type AssayFailure, type AssayTruth } from '#sandbox/models/assay-truth.ts';
import { chooseForce } from '#sandbox/models/options.ts';
import { formatFileName } from '#sandbox/models/plates.ts';
import type { SeedPart } from '#sandbox/models/random.ts';
import type { RunRequest, SimulatedAssay } from './simulated-assay.ts';

export interface Prepared {
  sample: string;
  replicate: number;
  truth: AssayTruth;
}

/** One plate of a run. */
export interface WellRun {
  readonly experimentCode: string;
  readonly plate: string;
  readonly seed: readonly SeedPart[];
  /** Whether the positive controls of the plate are spoiled. */
  readonly controlsFail: boolean;
}

interface WellInstrument extends Pick<SimulatedAssay, 'price' | 'nameInstrument'> {
  /** Number of wells on a plate that are available for samples. */
  readonly room: number;
  /** The kind of failure, if a well fails. */
  readonly failure: AssayFailure;
  /** Writes the file of one plate, with at most `room` samples. */
  readonly writeFile: (run: WellRun, prepared: readonly Prepared[]) => Uint8Array;
}

export function makeWellAssay({
  price,
  nameInstrument,
  room,
  failure,
  writeFile,
}: WellInstrument): SimulatedAssay {
  return {
    price,
    nameInstrument,
    *record(request) {
      const { experimentCode, options } = request;
      const prepared = prepareSamples(request, failure);
      for (let start = 0; start < prepared.length; start += room) {
        const name = `P${start / room + 1}`;
        const seed = [experimentCode, options?.attempt ?? 1, name];
        const controlsFail = options?.controlsFail === true;
        const run = { experimentCode, plate: name, seed, controlsFail };
        yield {
          name,
          fileName: formatFileName(request, name),
          bytes: writeFile(run, prepared.slice(start, start + room)),
        };
      }
    },
  };
}

/** Returns the truth of one replicate of one sequence; controls of the client are never forced. */
export function drawReplicateTruth(
  request: RunRequest,
  sequence: RunRequest['sequences'][number],
  replicate: number,
  failure?: AssayFailure,
): AssayTruth {
  return drawAssayTruth({
    sequence: sequence.aaString,
    assay: request.experimentType,
    replicate,
    failure,
    attempt: request.options?.attempt ?? 1,
    force: chooseForce(request, sequence),
    library: request.options?.library,
  });
}

/**
 * First replicates of all sequences come first, then second ones, so that a lost plate costs no sequence all its
 * replicates.
 */
function prepareSamples(request: RunRequest, failure: AssayFailure): Prepared[] {
  return Array.from({ length: request.nReplicates }, (_, index) => index + 1).flatMap((replicate) =>
    request.sequences
      .filter(({ nReplicates = request.nReplicates }) => replicate <= nReplicates)
      .map((sequence) => ({
        sample: sequence.name,
        replicate,
        truth: drawReplicateTruth(request, sequence, replicate, failure),
      })),
  );
}
