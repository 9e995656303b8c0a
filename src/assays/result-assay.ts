/** The interface of an assay for workflows: settings of its analysis, and its results on the wire. */
import type { LeftOutReplicate } from './binding/engine/types.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import type { ControlValue } from './control-values.ts';
import type { ResultSubject, WireResult } from './result-record.ts';

/** Settings of an analysis, by the names in its engine. */
export type AnalysisSettings = Readonly<Record<string, unknown>>;

/** What an analysis uses of the target. */
export interface TargetFacts {
  readonly is_multivalent: boolean;
  /** Known KD of its positive control, in M. */
  readonly control_kd_m?: number | null;
}

export interface ResultAssay<Result = unknown> {
  /** The default settings of the analysis. */
  chooseSettings(experiment: Pick<ExperimentRow, 'method'>): AnalysisSettings;
  /** The default settings that depend on the target. */
  describeTarget(target: TargetFacts | undefined): AnalysisSettings;
  listNotices(result: Result): readonly string[];
  /** What the controls showed on each plate, as control charts take it. */
  listControlValues(result: Result): readonly ControlValue[];
  /** Replicates that people left out whole, and the curves of each; absent for assays without an analyte. */
  listLeftOut?(result: Result): readonly LeftOutReplicate[];
  /** Makes the result of one sequence. */
  present(result: Result, subject: ResultSubject): WireResult;
}
