/** The entry of expression in the registry: plates of BLI sensors or of an absorbance reader. */
import { inspectTraces, inspectWells } from '../../formats/inspect.ts';
import { isPlateFile, parsePlates } from '../../formats/parse-wells.ts';
import type { OnRead } from '../../formats/parse-wells.ts';
import { isSelfContained, parseTraces } from '../../formats/parse.ts';
import type { PlateSet, TraceSet } from '../../curves/trace.ts';
import { findRepeatingRun, namePlatesByRun, splitByRun } from '../../formats/reading/run-of-file.ts';
import { fingerprint, openFile } from '../../formats/reading/stored-file.ts';
import type { InputFile } from '../../formats/reading/text.ts';
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
  split: splitWhole,
  evaluate: analyzeRun,
};

function analyzeRun(
  { files: given, settings = {}, sequences, excluded }: AssayRun,
  onRead?: OnRead,
): Result {
  const inputs = given.map(fingerprint);
  const plates: PlateSet[] = [];
  const traces: TraceSet[] = [];
  for (const ofRun of splitByRun(given)) {
    const files = ofRun.map(openFile);
    const run = findRepeatingRun(ofRun[0]);
    plates.push(...namePlatesByRun(parsePlates(files.filter(isPlateFile), onRead), run));
    const rest = files.filter((file) => !isPlateFile(file));
    const sets = findUploads(rest).flatMap((upload) => parseTraces(upload));
    traces.push(...namePlatesByRun(sets, run));
  }
  return packResult(analyzeExpressionSets({ traces, plates, sequences, excluded }, settings, inputs));
}

/**
 * Splits the files into uploads: files that are complete plates, and files that belong together, each with the limits
 * of an upload.
 */
function findUploads(files: readonly InputFile[]): InputFile[][] {
  const { own = [], together = [] } = Object.groupBy(files, (file) =>
    isSelfContained(file) ? 'own' : 'together',
  );
  return [...own.map((file) => [file]), ...(together.length === 0 ? [] : [together])];
}
