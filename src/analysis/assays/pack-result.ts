/**
 * The door of the assays without a target: files in, plain results out, with the points of the pictures packed for storage. A job is
 * one whole experiment, since controls and standard curves are shared by all of its plates; of melting curves it may be in pieces
 * (`melt-batches.ts`).
 */
import type { AssayCurve } from './assay-types.ts';
import { analyzeExpressionSets } from './expression/expression.ts';
import type { ExpressionAnalysis, SequenceExpression } from './expression/types.ts';
import { analyzeFluorescenceSets } from './fluorescence/fluorescence.ts';
import type { FluorescenceAnalysis, SequenceFluorescence } from './fluorescence/types.ts';
import { isPlateFile, parseMelts, parsePlates } from '../formats/parse-wells.ts';
import type { OnRead } from '../formats/parse-wells.ts';
import { isSelfContained, parseTraces } from '../formats/parse.ts';
import type { InputFile } from '../formats/reading/text.ts';
import { packCurve } from './thermostability/melt-part.ts';
import { analyzeMeltingSets } from './thermostability/melting.ts';
import type { ThermostabilityAnalysis } from './thermostability/types.ts';
import { joinNumbered, packAssayCurves } from '../curves/packed-curves.ts';
import { fingerprint, opened, type RawFile } from '../formats/reading/stored-file.ts';

export type AssayType = 'thermostability' | 'expression' | 'fluorescence';

export interface AssayJob {
  experimentType: AssayType;
  files: RawFile[];
  /** Of the assay; refused with `settings_invalid` when one is unknown or wrong. */
  settings?: Readonly<Record<string, unknown>> | undefined;
  /** Amino acids by the name of the sample. */
  sequences?: Readonly<Record<string, string>> | undefined;
}

export type AssayAnalysisResult = ThermostabilityAnalysis | ExpressionAnalysis | FluorescenceAnalysis;

/** An analysis without its points, and the points as gzip members (see `packed-curves.ts`) by the name of what they show. */
export interface AssayResult {
  found: AssayAnalysisResult;
  packed: { plates: Map<string, Uint8Array>; samples: Map<string, Uint8Array> };
}

/** Reads the files and analyses them. Throws FormatError or AnalysisError. */
export function analyzeAssay(
  { experimentType, files: given, settings = {}, sequences }: AssayJob,
  onRead?: OnRead,
): AssayResult {
  const inputs = given.map(fingerprint);
  const files = given.map(opened);
  switch (experimentType) {
    case 'thermostability': {
      const found = analyzeMeltingSets(parseMelts(files, onRead), settings, inputs);
      for (const { replicates } of [...found.sequences, ...found.controls]) replicates.forEach(packCurve);
      return assayOfMelts(found);
    }
    case 'expression': {
      const plates = parsePlates(files.filter(isPlateFile), onRead);
      const rest = files.filter((file) => !isPlateFile(file));
      const traces = uploadsOf(rest).flatMap((upload) => parseTraces(upload));
      return withoutCurves(analyzeExpressionSets({ traces, plates, sequences }, settings, inputs));
    }
    default:
      return withoutCurves(analyzeFluorescenceSets(parsePlates(files, onRead), settings, inputs));
  }
}

/** Files that are a plate by themselves, and those that belong together, each with the limits of an upload. */
function uploadsOf(files: readonly InputFile[]): InputFile[][] {
  const { own = [], together = [] } = Object.groupBy(files, (file) =>
    isSelfContained(file) ? 'own' : 'together',
  );
  return [...own.map((file) => [file]), ...(together.length === 0 ? [] : [together])];
}

interface Pictured {
  readonly name: string;
  readonly curves: readonly AssayCurve[];
}

function withoutCurves(found: ExpressionAnalysis | FluorescenceAnalysis): AssayResult {
  const samples = picturedOf<SequenceExpression | SequenceFluorescence>(found).map(
    ({ sample, replicates }) => ({ name: sample, curves: replicates.flatMap(({ curves }) => curves) }),
  );
  const plates = found.plates.map(({ plate, curves }) => ({ name: plate, curves }));
  const result = { found, packed: packed(plates, samples) };
  for (const plate of found.plates) plate.curves = [];
  for (const { replicates } of [...found.sequences, ...found.controls])
    for (const replicate of replicates) replicate.curves = [];
  return result;
}

/** Samples, and controls that no sample shares its name with: one of the order may be among them. */
function picturedOf<Found extends { readonly sample: string }>(found: {
  readonly sequences: readonly Found[];
  readonly controls: readonly Found[];
}): Found[] {
  const samples = new Set(found.sequences.map(({ sample }) => sample));
  return [...found.sequences, ...found.controls.filter(({ sample }) => !samples.has(sample))];
}

/** From replicates whose curves are packed. */
export function assayOfMelts(found: ThermostabilityAnalysis): AssayResult {
  const samples = new Map<string, Uint8Array>();
  for (const [sample, same] of Map.groupBy(picturedOf(found), (each) => each.sample)) {
    const curves = same.flatMap(({ replicates }) =>
      replicates.flatMap(({ replicate, packedCurve }) =>
        packedCurve === null ? [] : [{ kind: 'melt', replicate, packed: packedCurve }],
      ),
    );
    if (curves.length > 0) samples.set(sample, joinNumbered(curves));
  }
  for (const { replicates } of [...found.sequences, ...found.controls])
    for (const replicate of replicates) replicate.packedCurve = null;
  return { found, packed: { plates: new Map(), samples } };
}

function packed(plates: readonly Pictured[], samples: readonly Pictured[]): AssayResult['packed'] {
  const pack = (all: readonly Pictured[]): Map<string, Uint8Array> => {
    const byName = Map.groupBy(all, ({ name }) => name);
    const members = new Map<string, Uint8Array>();
    for (const [name, same] of byName) {
      const member = packAssayCurves(same.flatMap(({ curves }) => curves));
      if (member !== null) members.set(name, member);
    }
    return members;
  };
  return { plates: pack(plates), samples: pack(samples) };
}
