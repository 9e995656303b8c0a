/** The entry of expression in the registry: plates of BLI sensors or of an absorbance reader. */
import { keepInMemory, type KeepCurves } from '#analysis/curves/packed-curves.ts';
import { mapPlateSets, mapTraceSets, selectMapping } from '#analysis/curves/map-wells.ts';
import { inspectTraces, inspectWells } from '#analysis/formats/inspect.ts';
import { isTracePlate } from '#analysis/formats/parse.ts';
import { parseWellFiles, isPlateFile, parsePlates, type OnRead } from '#analysis/formats/parse-wells.ts';
import type { PlateSet, TraceSet } from '#analysis/curves/trace.ts';
import {
  findRepeatingRun,
  namePlatesByRun,
  splitByRun,
  fingerprint,
  openFile,
  type InputFile,
} from '#analysis/formats/reading/input-file.ts';
import { createRunSets, parseTraceUploads } from '#analysis/formats/run-sets.ts';
import type { Assay } from '#analysis/assays/assay.ts';
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import {
  packPart,
  joinPackedParts,
  type PackedResult,
  type PackedPart,
} from '#analysis/assays/pack-result.ts';
import { splitIntoPlates, type PlateJob } from '#analysis/assays/plate-jobs.ts';
import { analyzeExpressionSets, combineExpression, evaluateExpressionSets } from './expression.ts';
import type { ExpressionPart } from './expression.ts';
import { resolveExpressionSettings } from './settings.ts';
import type { ExpressionAnalysis } from './types.ts';

type Result = PackedResult<ExpressionAnalysis>;

interface EvaluatedFiles extends PackedPart<ExpressionPart> {
  inputs: InputFileRecord[];
}

export const expression: Assay<PlateJob, EvaluatedFiles, Result> = {
  reads: 'values',
  resolveSettings: resolveExpressionSettings,
  inspect: (file) => (isPlateFile(file) ? inspectWells(file, 'values') : inspectTraces(file)),
  read: (files) => {
    const { wells, rest } = divideFiles(files);
    const found = wells.length === 0 ? {} : parseWellFiles(wells);
    return createRunSets({ ...found, traces: parseTraceUploads(rest) });
  },
  rehearse({ traces, plates }, { settings, mapping }) {
    const sets = { traces: mapTraceSets(traces, mapping), plates: mapPlateSets(plates, mapping) };
    analyzeExpressionSets(sets, settings);
  },
  *split(run) {
    const { settings = {}, sequences, excluded, plannedControls } = run;
    resolveExpressionSettings(settings);
    const parts = yield* splitIntoPlates<EvaluatedFiles>(run, isTracePlate);
    const inputs = parts.flatMap((part) => part.inputs);
    const found = yield* combineExpression(
      parts.map((part) => part.found),
      settings,
      { inputs, sequences, excluded, plannedControls },
    );
    return joinPackedParts(found, parts);
  },
  evaluate: evaluateFiles,
};

function evaluateFiles(
  { files: given, settings = {}, sequences, mapping = [], excluded, firstPlate }: PlateJob,
  onRead?: OnRead,
  keep: KeepCurves = keepInMemory,
): EvaluatedFiles {
  const inputs = given.map(fingerprint);
  const plates: PlateSet[] = [];
  const traces: TraceSet[] = [];
  for (const ofRun of splitByRun(given)) {
    const run = findRepeatingRun(ofRun[0]);
    const entries = selectMapping(mapping, run);
    const { wells, rest } = divideFiles(ofRun.map(openFile));
    plates.push(...namePlatesByRun(mapPlateSets(parsePlates(wells, onRead), entries), run));
    traces.push(...namePlatesByRun(mapTraceSets(parseTraceUploads(rest), entries), run));
  }
  const found = evaluateExpressionSets({ traces, plates, sequences, excluded }, settings, firstPlate);
  return { inputs, ...packPart(found, keep) };
}

/** Divides the files into those of wells and those of sensors. */
function divideFiles(files: readonly InputFile[]): { wells: InputFile[]; rest: InputFile[] } {
  const { wells = [], rest = [] } = Object.groupBy(files, (file) => (isPlateFile(file) ? 'wells' : 'rest'));
  return { wells, rest };
}
