/** The results of a run as they would be stored: its raw files read and analysed, outside any transaction. */
import { setImmediate } from 'node:timers/promises';
import type { AnalysisResult } from '#analysis/assays/binding/analyze.ts';
import type { AssayResult, AssayType } from '#analysis/assays/pack-result.ts';
import type { AssayRun } from '#analysis/assays/analyze-assay-run.ts';
import type { Progress, RunToAnalyze } from '#analysis/pool/analyze-run.ts';
import type { Blobs } from '#core/blobs.ts';
import type { Work } from '#core/context.ts';
import { organizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';
import { rawFilesOfRun, type RunRow } from '#domain/lab/store.ts';
import type { NewResult } from '#domain/results/store.ts';
import { sequencesOfExperiment } from '#domain/sequences/store.ts';
import { findTarget } from '#domain/targets/store.ts';
import { assayResult } from './assay-results.ts';
import { targetReference } from './price-experiment.ts';
import { untestedResult, wireResult } from './result-from-analysis.ts';
import type { ResultSubject, WireResult } from './result-record.ts';

export interface AnalysisPorts {
  readonly database: Database;
  readonly blobs: Pick<Blobs, 'locate'>;
  /** Reads the files a batch at a time, so that a run may be of any size. */
  readonly analyze: (run: RunToAnalyze) => Promise<AnalysisResult>;
  /** An assay without a target: its plates share their controls. */
  readonly analyzeAssay: (run: AssayRun) => Promise<AssayResult>;
}

/** Settings of an analysis, by the names that its engine has for them. */
export type AnalysisSettings = Readonly<Record<string, unknown>>;

const ASSAYS: ReadonlySet<string> = new Set<AssayType>(['thermostability', 'expression', 'fluorescence']);

export function isAssayType(experimentType: string): experimentType is AssayType {
  return ASSAYS.has(experimentType);
}

/** What the analysis takes when nobody asks for anything else. */
export function usualSettings(
  experiment: Pick<ExperimentRow, 'experiment_type' | 'method'>,
): AnalysisSettings {
  // A BLI sensor drifts over minutes; left out of the model, the drift ends up in koff of weak binders.
  return isAssayType(experiment.experiment_type) ? {} : { drift: experiment.method === 'bli' };
}

/** Rejects with the failure of the files, the settings or the pool. */
export async function resultsOfRun(
  work: Work,
  ports: AnalysisPorts,
  subject: {
    readonly experiment: ExperimentRow;
    readonly run: RunRow;
    readonly version: number;
    readonly onProgress?: Progress;
  },
  settings: AnalysisSettings,
): Promise<NewResult[]> {
  const { experiment, run, version } = subject;
  const scope = organizationScope(experiment.organization_id);
  const sql = ports.database.read;
  const sequences = await sequencesOfExperiment(scope, sql, experiment.id);
  const target =
    experiment.target_id === null ? undefined : await findTarget(scope, sql, experiment.target_id);
  const bivalentAnalyte = target?.is_multivalent ?? false;
  const { wireOf, notices } = await analysed(
    ports,
    { experiment, run, sequences, bivalentAnalyte, onProgress: subject.onProgress ?? (() => {}) },
    settings,
  );
  const reference = target === undefined ? null : targetReference(work.site, target);
  const results: NewResult[] = [];
  for (const [index, sequence] of sequences.entries()) {
    if (index % SEQUENCES_AT_ONCE === 0) await setImmediate();
    results.push({
      id: work.ids.uuid(),
      experimentId: experiment.id,
      experimentCode: experiment.code,
      experimentType: experiment.experiment_type,
      sequenceId: sequence.id,
      title: titleOf(experiment.experiment_type, sequence.name, reference?.name),
      version,
      targetId: experiment.target_id,
      metadata: { notices },
      ...wireOf({
        sequenceId: sequence.id,
        sequenceName: sequence.name,
        aaString: sequence.aa_string,
        isControl: sequence.is_control,
        target: reference,
        method: experiment.method,
      }),
    });
  }
  return results;
}

/** Between so many the thread serves requests. */
const SEQUENCES_AT_ONCE = 20;

interface Analysed {
  readonly notices: readonly string[];
  readonly wireOf: (subject: ResultSubject) => WireResult;
}

async function analysed(
  ports: AnalysisPorts,
  of: {
    experiment: ExperimentRow;
    run: RunRow;
    sequences: readonly { name: string; aa_string: string }[];
    bivalentAnalyte: boolean;
    onProgress: Progress;
  },
  settings: AnalysisSettings,
): Promise<Analysed> {
  const { onProgress } = of;
  const { experiment_type: experimentType, organization_id: organizationId } = of.experiment;
  const rows = await rawFilesOfRun(organizationScope(organizationId), ports.database.read, of.run.id);
  const files = await Promise.all(
    rows.map(async ({ name, sha256 }) => ({ name, sha256, path: await ports.blobs.locate(sha256) })),
  );
  if (isAssayType(experimentType)) {
    const sequences = Object.fromEntries(of.sequences.map(({ name, aa_string: aa }) => [name, aa]));
    const result = await ports.analyzeAssay({ experimentType, files, settings, sequences, onProgress });
    return { notices: result.found.notices, wireOf: (subject) => assayResult(result, subject) };
  }
  if (experimentType !== 'affinity' && experimentType !== 'screening')
    throw new Error(`there is no analysis for ${experimentType}`);
  const { bivalentAnalyte } = of;
  const { antigen_concentrations_nm: orderedNm, method } = of.experiment;
  const analysis = await ports.analyze({
    experimentType,
    files,
    settings: { bivalentAnalyte, ...settings },
    ordered: { concentrationsM: orderedNm?.map((nanomolar) => nanomolar * 1e-9) ?? null, method },
    onProgress,
  });
  return {
    notices: analysis.notices,
    wireOf: (subject) => wireResult(analysis, subject) ?? untestedResult(analysis, subject),
  };
}

const TITLES: Readonly<Record<string, string>> = {
  affinity: 'Affinity',
  screening: 'Screening',
  thermostability: 'Thermostability',
  expression: 'Expression',
  fluorescence: 'Fluorescence',
};

function titleOf(experimentType: string, sequenceName: string, targetName: string | undefined): string {
  const title = `${TITLES[experimentType] ?? experimentType} of ${sequenceName}`;
  return targetName === undefined ? title : `${title} to ${targetName}`;
}
