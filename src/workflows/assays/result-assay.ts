/** What the workflows need of an assay: the settings of its analysis, and its results on the wire. */
import type { ExperimentRow } from '#domain/experiments/store.ts';
import type { ResultSubject, WireResult } from './result-record.ts';

/** Settings of an analysis, by the names that its engine has for them. */
export type AnalysisSettings = Readonly<Record<string, unknown>>;

export interface ResultAssay<Result = unknown> {
  /** What the analysis takes when nobody asks for anything else. */
  chooseSettings(experiment: Pick<ExperimentRow, 'method'>): AnalysisSettings;
  /** What the analysis has to know of the target, unless somebody asks for something else. */
  describeTarget(target: { readonly is_multivalent: boolean } | undefined): AnalysisSettings;
  listNotices(result: Result): readonly string[];
  /** The result of one sequence. */
  present(result: Result, subject: ResultSubject): WireResult;
}
