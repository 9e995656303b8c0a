/** Shows what raw files of a stored run hold and how they fit its plan; nothing is kept. */
import type { Preview } from '#analysis/preview/types.ts';
import type { Cut } from '#analysis/cuts/types.ts';
import type { StagedFile } from '#core/blobs.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { toMapping } from './raw-files/mapping-rules.ts';
import type { previewRunRawFiles as operation } from './file-contract.ts';
import { selectSharedFiles, type SharedFileRow } from './file-store.ts';
import { decodeBase64 } from './raw-files/add-raw-file.ts';
import { chooseUsualSettings } from './raw-files/compute-results.ts';
import { refuseWrongEntries } from './raw-files/map-raw-files.ts';
import {
  describeFiles,
  describeSet,
  findTwins,
  readPreview,
  type FileContext,
  type FileToPreview,
} from './raw-files/preview-raw-files.ts';
import {
  cutSharedFiles,
  describeShares,
  formatLack,
  listPlannedNames,
  loadSharedRun,
  type SharedRun,
} from './shared-run.ts';

interface Subject extends SharedRun {
  /** Files of the run. */
  readonly kept: readonly SharedFileRow[];
}

/** `POST /lab/runs/{run_id}/preview`. */
export async function previewRunRawFiles({ params, body }: Input<typeof operation>, context: FileContext) {
  const subject = await loadSubject(context, params.run_id);
  const { files, entries } = body ?? {};
  const mapping = entries === undefined ? subject.mapping : toMapping(entries);
  if (entries !== undefined) refuseWrongEntries(mapping, listPlannedNames(subject), 'plan');
  const about = { ...subject, mapping };
  if (files === undefined) return previewKept(context, about);
  const staged: StagedFile[] = [];
  try {
    for (const [index, { content_base64: content }] of files.entries()) {
      const bytes = decodeBase64(content, `files/${index}/content_base64`);
      staged.push(await context.rawFiles.blobs.stage([bytes]));
    }
    const toPreview = staged.map(({ path, sha256, sizeBytes }, index) => ({
      name: files[index]?.name ?? '',
      path,
      sha256,
      sizeBytes,
    }));
    return await describe(context, about, { files: toPreview, isKept: false });
  } finally {
    for (const one of staged) await one.drop();
  }
}

export async function previewGivenFile(context: FileContext, runId: string, file: FileToPreview) {
  return describe(context, await loadSubject(context, runId), { files: [file], isKept: false });
}

async function loadSubject({ sql }: FileContext, runId: string): Promise<Subject> {
  const shared = await loadSharedRun(sql, runId);
  return { ...shared, kept: await selectSharedFiles(sql, shared.run.id) };
}

async function previewKept(context: FileContext, subject: Subject) {
  if (subject.kept.length === 0) throw fail('run_without_files');
  const files = await Promise.all(
    subject.kept.map(async ({ name, sha256, size_bytes: sizeBytes }) => ({
      name,
      sha256,
      sizeBytes,
      path: await context.rawFiles.blobs.locate(sha256),
    })),
  );
  return describe(context, subject, { files, isKept: true });
}

async function describe(
  context: FileContext,
  subject: Subject,
  { files, isKept }: { readonly files: readonly FileToPreview[]; readonly isKept: boolean },
) {
  const { run, mapping, kept } = subject;
  const preview = await readPlanned(context, { ...subject, mapping }, files);
  const readable = files.filter((_, index) => preview.files[index]?.problem === null);
  const cut = await cutReadable(context, subject, readable);
  const problems = [
    ...cut.problems.map(({ code, severity, message }) => ({ code, severity, message })),
    ...preview.problems.filter(({ code }) => !SAID_BY_THE_PLAN.has(code)),
    ...(preview.sets.length === 0 ? [] : findLack(subject, cut.shares, preview.measured)),
    ...findTwins(files, preview, kept),
  ];
  return {
    run_id: run.id,
    run_code: run.code,
    is_kept: isKept,
    files: describeFiles(files, preview, kept),
    sets: preview.sets.map(describeSet),
    experiments: describeShares(subject, cut.shares),
    problems,
    is_analyzable: problems.every(({ severity }) => severity !== 'error'),
  };
}

/** Reads files as the analysis of the run would, with what its plan says of the wells. */
export async function readPlanned(
  context: Pick<FileContext, 'rawFiles'>,
  subject: SharedRun,
  files: readonly FileToPreview[],
  settings: Readonly<Record<string, unknown>> = chooseUsualSettings(subject.run),
): Promise<Preview> {
  const { run, mapping, plates } = subject;
  const [only, ...others] = plates;
  return readPreview(context, {
    experimentType: run.experiment_type,
    files,
    mapping,
    planned: plates.flatMap(({ name, wells }) =>
      wells.map(({ well, role, sample, replicate }) => ({
        plate: only !== undefined && others.length === 0 ? null : name,
        well,
        sample: null,
        role,
        sequence: sample === '' ? null : sample,
        replicate,
      })),
    ),
    ordered: { names: [...listPlannedNames(subject)], method: run.method, concentrationsM: [] },
    settings,
  });
}

/** The plan names wells and samples, so that files that state none are no problem. */
const SAID_BY_THE_PLAN: ReadonlySet<string> = new Set([
  'wells_unnamed',
  'sample_not_ordered',
  'sequence_missing',
  'concentration_missing',
]);

/** Files that are readable one by one and not together are a problem that the preview names. */
async function cutReadable(
  { rawFiles }: FileContext,
  subject: Subject,
  files: readonly FileToPreview[],
): Promise<Cut> {
  const nothing = { problems: [], shares: [], pieces: [] };
  if (files.length === 0) return nothing;
  try {
    const toPreview = files.map(({ name, path, sha256 }) => ({ name, path, sha256 }));
    return await cutSharedFiles(rawFiles, subject, { files: toPreview });
  } catch (error) {
    if (rawFiles.findProblem(error) === null) throw error;
    return nothing;
  }
}

function findLack(subject: Subject, shares: Cut['shares'], measured: Preview['measured']) {
  const lack = formatLack(subject, shares, measured);
  if (lack === null) return [];
  const message = `The files hold ${lack}: bring the rest, or complete the run with a reason.`;
  return [{ code: 'less_than_ordered', severity: 'warning' as const, message }];
}
