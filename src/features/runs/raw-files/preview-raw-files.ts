/** Shows what raw files hold, those of a request or those of the current run; nothing is kept. */
import { toWireNames } from '#core/records.ts';
import type { Preview, PreviewRequest } from '#analysis/preview/types.ts';
import type { StagedFile } from '#core/blobs.ts';
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { MappingEntry } from '#core/raw-mapping.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment, type ExperimentRow } from '../../experiments/store.ts';
import { toMapping } from './mapping-rules.ts';
import { findMapping, selectLatestRun, type RunRow } from './store.ts';
import type { previewRawFiles as operation } from './preview-contract.ts';
import { listDigests, selectUnderstoodFiles, type UnderstoodFileRow } from './raw-file-store.ts';
import {
  countPlannedCurves,
  describeSequenceOrder,
  formatNamedShortfall,
  sumOrderCounts,
  type NamedOrderCounts,
} from '../../results/against-order.ts';
import { selectPlansOfExperiment } from '../store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { chooseUsualSettings } from './compute-results.ts';
import type { RawFilePorts } from '../../installation/outward-context.ts';
import { decodeBase64 } from './add-raw-file.ts';
import { refuseWrongEntries } from './map-raw-files.ts';
import { isFull, hasCommon } from './put-raw-file.ts';

/** A read that parses files outside the thread that serves requests. */
export interface FileContext extends ReadContext {
  readonly rawFiles: RawFilePorts;
}

type Reader = Pick<FileContext, 'rawFiles'>;

export interface FileToPreview {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

interface Subject {
  readonly experiment: ExperimentRow;
  readonly sequences: readonly { readonly id: string; readonly name: string }[];
  readonly sequenceNames: readonly string[];
  /** Curves of the plans of its runs by the id of the sequence. */
  readonly planned: ReadonlyMap<string, number>;
  /** Files and mapping of the current run; both empty before the first. */
  readonly kept: readonly UnderstoodFileRow[];
  readonly mapping: readonly MappingEntry[];
  /** Of the analysis that would follow; the usual ones where absent. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** `POST /lab/experiments/{experiment_id}/preview`. */
export async function previewRawFiles(input: Input<typeof operation>, context: FileContext) {
  const subject = await loadPreviewSubject(context.sql, input.params.experiment_id);
  const { files, entries } = input.body ?? {};
  const triedMapping = entries === undefined ? subject.mapping : toMapping(entries);
  if (entries !== undefined) refuseWrongEntries(triedMapping, new Set(subject.sequenceNames));
  const about = { ...subject, mapping: triedMapping };
  if (files === undefined) return previewKept(context, about);
  const staged: StagedFile[] = [];
  try {
    const toPreview: FileToPreview[] = [];
    for (const [index, { name, content_base64: content }] of files.entries()) {
      const one = await context.rawFiles.blobs.stage([
        decodeBase64(content, `files/${index}/content_base64`),
      ]);
      staged.push(one);
      toPreview.push({ name, path: one.path, sha256: one.sha256, sizeBytes: one.sizeBytes });
    }
    return await previewGiven(context, about, toPreview);
  } finally {
    for (const one of staged) await one.drop();
  }
}

/** Throws `experiment_not_found`. */
export async function loadPreviewSubject(sql: Sql, idOrCode: string): Promise<Subject> {
  const experiment = await findExperiment(labScope, sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return describeSubject(sql, experiment, await selectLatestRun(labScope, sql, experiment.id));
}

export async function describeSubject(
  sql: Sql,
  experiment: ExperimentRow,
  run: RunRow | undefined,
): Promise<Subject> {
  const sequences = await selectSequencesOfExperiment(labScope, sql, experiment.id);
  const mapping = run === undefined ? undefined : await findMapping(labScope, sql, run.id);
  return {
    experiment,
    sequences,
    planned: countPlannedCurves(await selectPlansOfExperiment(labScope, sql, experiment.id)),
    sequenceNames: sequences.map(({ name }) => name),
    kept: run === undefined ? [] : await selectUnderstoodFiles(labScope, sql, run.id),
    mapping: mapping?.entries ?? [],
  };
}

async function previewKept(context: Reader, subject: Subject) {
  const { files, preview } = await readKept(context, subject);
  return describePreview(subject, files, preview, true);
}

/** Previews what is kept, with what it lacks of the order by sequence; null where nothing. */
export async function rehearseKept(context: Reader, subject: Subject) {
  const { files, preview } = await readKept(context, subject);
  const shortfall = formatNamedShortfall(countAgainstOrder(subject, preview));
  return { ...describePreview(subject, files, preview, true), shortfall };
}

async function readKept(context: Reader, subject: Subject) {
  if (subject.kept.length === 0) throw fail('run_without_files');
  const files = await Promise.all(
    subject.kept.map(async ({ name, sha256, size_bytes: sizeBytes }) => ({
      name,
      sha256,
      sizeBytes,
      path: await context.rawFiles.blobs.locate(sha256),
    })),
  );
  return { files, preview: await read(context, subject, files) };
}

export async function previewGiven(context: Reader, subject: Subject, files: readonly FileToPreview[]) {
  return describePreview(subject, files, await read(context, subject, files), false);
}

async function read(
  context: Reader,
  { experiment, sequenceNames, mapping, settings = chooseUsualSettings(experiment) }: Subject,
  files: readonly FileToPreview[],
): Promise<Preview> {
  const { experiment_type: experimentType, antigen_concentrations_nm: orderedNm, method } = experiment;
  const concentrationsM = orderedNm?.map((nanomolar) => nanomolar * 1e-9) ?? [];
  const ordered = { names: sequenceNames, method, concentrationsM };
  return readPreview(context, { experimentType, files, mapping, ordered, settings });
}

/** A failure that the files cause, such as too much memory, is a problem of the preview. */
export async function readPreview(
  { rawFiles }: Reader,
  {
    experimentType,
    files,
    mapping,
    planned,
    ordered,
    settings,
  }: Pick<PreviewRequest, 'mapping' | 'planned' | 'ordered' | 'settings'> & {
    readonly experimentType: string;
    readonly files: readonly FileToPreview[];
  },
): Promise<Preview> {
  try {
    return await rawFiles.preview(experimentType, {
      files: files.map(({ name, path, sha256 }) => ({ name, path, sha256 })),
      mapping,
      ...(planned === undefined ? {} : { planned }),
      ordered,
      ...(settings === undefined ? {} : { settings }),
    });
  } catch (error) {
    const message = rawFiles.findProblem(error);
    if (message === null) throw isFull(error) ? fail('overloaded', {}, { cause: error }) : error;
    return {
      files: files.map(({ name }) => ({ name, formats: [], digests: [], problem: message })),
      sets: [],
      samplesNotOrdered: [],
      sequencesMissing: ordered.names,
      measured: [],
      problems: [{ code: 'file_unreadable', severity: 'error', message }],
    };
  }
}

interface ShownProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly setting?: string;
}

function describePreview(
  subject: Subject,
  files: readonly FileToPreview[],
  preview: Preview,
  isKept: boolean,
) {
  const { experiment, kept } = subject;
  const counts = countAgainstOrder(subject, preview);
  const problems: ShownProblem[] = [
    ...preview.problems,
    ...findTwins(files, preview, kept),
    ...(preview.sets.length === 0 ? [] : findShortfall(counts)),
  ];
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    is_kept: isKept,
    files: describeFiles(files, preview, kept),
    sets: preview.sets.map(describeSet),
    samples_not_ordered: [...preview.samplesNotOrdered],
    sequences_missing: [...preview.sequencesMissing],
    measured: sumOrderCounts(counts),
    problems,
    is_analyzable: problems.every(({ severity }) => severity !== 'error'),
  };
}

function countAgainstOrder(
  { experiment, sequences, planned }: Subject,
  { measured }: Preview,
): NamedOrderCounts[] {
  const byName = new Map(measured.map((each) => [each.sequence, each]));
  return sequences.map(({ id, name }) => {
    const order = describeSequenceOrder(experiment, planned, id);
    const own = byName.get(name);
    return {
      name,
      n_replicates_ordered: order.nReplicates,
      n_replicates: own?.nReplicates ?? 0,
      n_curves_planned: order.nCurves,
      n_curves: order.nCurves === null ? null : (own?.nCurves ?? 0),
    };
  });
}

function findShortfall(counts: readonly NamedOrderCounts[]): ShownProblem[] {
  const shortfall = formatNamedShortfall(counts);
  if (shortfall === null) return [];
  const message = `The files hold ${shortfall}: bring the rest, or complete the run with a reason.`;
  return [{ code: 'less_than_ordered', severity: 'warning', message }];
}

/** A file that is kept already. */
type KeptFile = Pick<UnderstoodFileRow, 'name' | 'sha256' | 'version'>;

export function describeFiles(files: readonly FileToPreview[], preview: Preview, kept: readonly KeptFile[]) {
  return files.map(({ name, sha256, sizeBytes }, index) => ({
    name,
    sha256,
    size_bytes: sizeBytes,
    formats: [...(preview.files[index]?.formats ?? [])],
    version: computeVersion({ name, sha256 }, kept),
    problem: preview.files[index]?.problem ?? null,
  }));
}

/** The same bytes, or the same measurement, under two names would count as two. */
export function findTwins(
  files: readonly FileToPreview[],
  preview: Preview,
  kept: readonly UnderstoodFileRow[],
): ShownProblem[] {
  const earlier = kept.map((file) => ({ ...file, digests: listDigests(file.understood) }));
  const newFiles = files.map((file, index) => ({ ...file, digests: preview.files[index]?.digests ?? [] }));
  return newFiles.flatMap((file, index): ShownProblem[] => {
    const others = [...earlier, ...newFiles.slice(0, index)].filter(({ name }) => name !== file.name);
    const isSame = others.find(({ sha256 }) => sha256 === file.sha256);
    const twin = isSame ?? others.find(({ digests }) => hasCommon(digests, file.digests));
    if (twin === undefined) return [];
    const sameness = isSame === undefined ? 'measured values' : 'bytes';
    const message = `${file.name} has the same ${sameness} as ${twin.name}: leave one out.`;
    return [{ code: 'file_twice', severity: 'error', message }];
  });
}

function computeVersion(
  { name, sha256 }: { readonly name: string; readonly sha256: string },
  kept: readonly KeptFile[],
): number {
  const before = kept.find((each) => each.name === name);
  if (before === undefined) return 1;
  return before.sha256 === sha256 ? before.version : before.version + 1;
}

export function describeSet({ wells, notices, ...set }: Preview['sets'][number]) {
  return {
    ...toWireNames(set),
    notices: [...notices],
    wells: wells.map(({ parts, ...well }) => ({
      ...toWireNames(well),
      parts: parts.map((part) => toWireNames(part)),
    })),
  };
}
