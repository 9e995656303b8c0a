/** The entry of expression in the registry: plates of BLI sensors or of an absorbance reader. */
import { mapPlateSets, mapTraceSets, selectMapping } from '../../curves/map-wells.ts';
import { inspectTraces, inspectWells } from '../../formats/inspect.ts';
import { isPlateFile, parsePlates, parseWellFiles } from '../../formats/parse-wells.ts';
import type { OnRead } from '../../formats/parse-wells.ts';
import type { PlateSet, TraceSet } from '../../curves/trace.ts';
import { findRepeatingRun, namePlatesByRun, splitByRun } from '../../formats/reading/run-of-file.ts';
import { fingerprint, openFile } from '../../formats/reading/stored-file.ts';
import type { InputFile } from '../../formats/reading/input-file.ts';
import { createRunSets, parseTraceUploads } from '../../formats/run-sets.ts';
import type { Assay, AssayRun } from '../assay.ts';
import { splitWhole } from '../assay.ts';
import { packResult } from '../pack-result.ts';
import type { PackedResult } from '../pack-result.ts';
import { analyzeExpressionSets } from './expression.ts';
import { resolveExpressionSettings } from './settings.ts';
import type { ExpressionAnalysis } from './types.ts';

type Result = PackedResult<ExpressionAnalysis>;

export const expression: Assay<AssayRun, Result, Result> = {
  reads: 'values',
  resolveSettings: resolveExpressionSettings,
  inspect: (file) => (isPlateFile(file) ? inspectWells(file, 'values') : inspectTraces(file)),
  read: (files) => {
    const { wells, rest } = divideFiles(files);
    const found = wells.length === 0 ? {} : parseWellFiles(wells);
    return createRunSets({ ...found, traces: parseTraceUploads(rest) });
  },
  split: splitWhole,
  evaluate: analyzeRun,
};

function analyzeRun(
  { files: given, settings = {}, sequences, mapping = [], excluded }: AssayRun,
  onRead?: OnRead,
): Result {
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
  return packResult(analyzeExpressionSets({ traces, plates, sequences, excluded }, settings, inputs));
}

/** Divides the files into those of wells and those of sensors. */
function divideFiles(files: readonly InputFile[]): { wells: InputFile[]; rest: InputFile[] } {
  const { wells = [], rest = [] } = Object.groupBy(files, (file) => (isPlateFile(file) ? 'wells' : 'rest'));
  return { wells, rest };
}
