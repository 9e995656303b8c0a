/** Reads and analyzes one file of a thermostability run in a worker; returns numbers and packed curves. */
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import { mapMeltSets, selectMapping, type RunMappingEntry } from '#analysis/curves/map-wells.ts';
import {
  parseMeltsWith,
  surveyMelts,
  type FoundMap,
  type MeltSurvey,
} from '#analysis/formats/parse-wells.ts';
import { evaluateMelts, type MeltingPart, type PartOptions } from './part.ts';
import { resolveMeltingSettings } from './settings.ts';
import type { ReplicateMelting } from './types.ts';
import { keepInMemory, type KeepCurves } from '#analysis/curves/kept-curves.ts';
import { packUnnumbered, type AssayCurve } from '#analysis/curves/packed-curves.ts';
import { findRepeatingRun, namePlatesByRun } from '#analysis/formats/reading/run-of-file.ts';
import { fingerprint, openFile, type RawFile } from '#analysis/formats/reading/stored-file.ts';

export interface MeltJob extends PartOptions {
  file: RawFile;
  settings: Readonly<Record<string, unknown>> | undefined;
  /** The plate map that names the wells, from whichever file of the run. */
  map: FoundMap | null;
  mapping: readonly RunMappingEntry[];
}

export interface MeltPart extends MeltingPart {
  input: InputFileRecord;
}

/** Throws FormatError or AnalysisError. */
export function evaluateMeltFile(
  { file, settings, map, mapping, ...options }: MeltJob,
  keep: KeepCurves = keepInMemory,
): MeltPart {
  const run = findRepeatingRun(file);
  const mapped = mapMeltSets(parseMeltsWith(openFile(file), map), selectMapping(mapping, run));
  const sets = namePlatesByRun(mapped, run);
  const part = evaluateMelts(sets, resolveMeltingSettings(settings), options);
  for (const replicate of part.replicates) packCurve(replicate, keep);
  return { ...part, input: fingerprint(file) };
}

export function packCurve(replicate: ReplicateMelting, keep: KeepCurves): void {
  const curve = buildMeltCurve(replicate);
  replicate.packedCurve = curve === null ? null : keep(packUnnumbered(curve));
  replicate.curve = null;
}

export interface SurveyJob {
  files: RawFile[];
  /** Number of sets in the files that need no survey. */
  others: number;
}

export interface SurveyedMelts extends MeltSurvey {
  /** Records in the order of the files. */
  inputs: InputFileRecord[];
}

/** Throws FormatError. */
export function surveyMeltFiles({ files, others }: SurveyJob): SurveyedMelts {
  return { ...surveyMelts(files.map(openFile), others), inputs: files.map(fingerprint) };
}

/** The points of a melting curve with its markers, in the form of the API. */
function buildMeltCurve(replicate: ReplicateMelting): AssayCurve | null {
  const { curve } = replicate;
  if (curve === null) return null;
  const { scattering } = curve;
  return {
    kind: 'melt',
    replicate: replicate.replicate,
    plate: replicate.plate,
    well: replicate.well,
    channel: curve.channel,
    temperature_c: curve.temperatureC,
    signal: curve.signal,
    fit: curve.fit,
    residual: curve.residual,
    derivative_per_c: curve.derivative,
    scattering_temperature_c: scattering?.temperatureC ?? null,
    scattering: scattering?.signal ?? null,
    tm_c: replicate.tmAll.map(({ tmC }) => Math.round(tmC * 1e4) / 1e4),
    tonset_c: replicate.tonset?.value ?? null,
    tagg_c: replicate.tagg?.value ?? null,
  };
}
