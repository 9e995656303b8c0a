/** What the workflows ask of the analysis, carried out by the workers of a pool. */
import { analyzeAssayRun, type AssayRun } from '../assays/analyze-assay-run.ts';
import { analyzeRun, type RunToAnalyze } from './analyze-run.ts';
import type { FileToInspect } from '../formats/inspect.ts';
import type { AnalysisPool } from './pool.ts';
import { problemOf } from '../failures/problem.ts';

export function analysesOf(pool: AnalysisPool) {
  return {
    analyze: (run: RunToAnalyze) => analyzeRun(run, pool),
    analyzeAssay: (run: AssayRun) => analyzeAssayRun(run, pool),
    inspect: (file: FileToInspect) => pool.inspect(file),
    problemOf,
  };
}
