/** The analysis as the workflows call it, run by the workers of a pool. */
import { ASSAYS, type AssayName } from '../assays/registry.ts';
import { problemOf } from '../failures/problem.ts';
import { analyzeRun, type RunToAnalyze } from './analyze-run.ts';
import type { FileToInspect } from '../formats/inspect.ts';
import type { AnalysisPool } from './pool.ts';

export function analysesOf(pool: AnalysisPool) {
  return {
    analyze: <Name extends AssayName>(run: RunToAnalyze<Name>) => analyzeRun(ASSAYS, run, pool),
    inspect: (file: FileToInspect) => pool.inspect(file),
    problemOf,
  };
}
