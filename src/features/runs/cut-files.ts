/** The files that an experiment gets of those of its run: cut, kept, and recorded among its own raw files. */
import type { Cut, CutPiece } from '#analysis/cuts/types.ts';
import type { Blobs } from '#core/blobs.ts';
import type { Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import {
  deleteOtherCuts,
  putRawFiles,
  selectRawFilesOfRun,
  type NewRawFile,
} from './raw-files/raw-file-store.ts';
import type { RunRow } from './raw-files/store.ts';
import { selectSharedFiles, type SharedFileRow } from './file-store.ts';
import type { RawFilePorts } from '../installation/outward-context.ts';
import { computeCutKey, cutSharedFiles, loadSharedRun } from './shared-run.ts';

/** A piece whose bytes are kept. */
type KeptPiece = Omit<NewRawFile, 'id'>;

export interface SourceFiles {
  readonly key: string;
  readonly files: readonly SharedFileRow[];
}

/** Keeps the bytes of the pieces of an experiment, durable before a row refers to them. */
export async function keepPieces(
  blobs: Pick<Blobs, 'stage'>,
  cut: Cut,
  { owner, sources }: { readonly owner: string; readonly sources: SourceFiles },
): Promise<KeptPiece[]> {
  const share = cut.shares.find((each) => each.owner === owner);
  const keptPieces: KeptPiece[] = [];
  for (const piece of cut.pieces.filter((each) => each.owner === owner)) {
    const { name, bytes, contents } = piece;
    const staged = await blobs.stage([bytes]);
    try {
      await staged.keep();
      keptPieces.push({
        name,
        sha256: staged.sha256,
        sizeBytes: staged.sizeBytes,
        understood: contents,
        cutFrom: {
          key: sources.key,
          sources: describeSources(piece, sources.files),
          n_mapped: share?.nMapped ?? 0,
        },
      });
    } finally {
      await staged.drop();
    }
  }
  return keptPieces;
}

/** By their digests, because the order of the names would tell something of them. */
function describeSources({ sources }: CutPiece, files: readonly SharedFileRow[]) {
  return files
    .filter(({ name }) => sources.includes(name))
    .map(({ sha256, size_bytes, understood }) => ({
      sha256,
      size_bytes,
      format: understood.sets[0]?.format ?? 'plate-map',
    }))
    .toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** Records the pieces of an experiment in place of those before. Throws `run_files_refused`. */
export async function recordPieces(
  { ids, clock }: Pick<Work, 'ids' | 'clock'>,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'organization_id'>,
  {
    runId,
    pieces,
    uploadedBy,
  }: { readonly runId: string; readonly pieces: readonly KeptPiece[]; readonly uploadedBy: string | null },
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const names = pieces.map(({ name }) => name);
  const own = await selectRawFilesOfRun(scope, tx, runId);
  const nameClash = own.find(({ name, cut_from: cutFrom }) => cutFrom === null && names.includes(name));
  if (nameClash !== undefined)
    throw fail('run_files_refused', {
      reason: `${experiment.code} has a file of its own with the name ${nameClash.name}, which its part of the shared files takes.`,
    });
  await deleteOtherCuts(scope, tx, runId, names);
  if (pieces.length === 0) return;
  const of = { experiment_id: experiment.id, run_id: runId, at: clock.now(), uploaded_by: uploadedBy };
  const rows = pieces.map((piece) => ({ ...piece, id: ids.createUuid() }));
  await putRawFiles(scope, tx, of, rows);
}

export interface CutPorts extends Pick<RawFilePorts, 'cut'> {
  readonly database: Database;
  readonly blobs: Pick<Blobs, 'locate' | 'stage'>;
}

/**
 * Cuts the shared files of a run again for one experiment, where files or mapping changed since. Rejects with the failure
 * of the files.
 */
export async function refreshCut(
  work: Pick<Work, 'ids' | 'clock'>,
  ports: CutPorts,
  { experiment, run }: { readonly experiment: ExperimentRow; readonly run: RunRow },
): Promise<void> {
  const { lab_run_id: labRunId } = run;
  if (labRunId === null) return;
  const { read } = ports.database;
  const files = await selectSharedFiles(read, labRunId);
  if (files.length === 0) return;
  const shared = await loadSharedRun(read, labRunId);
  const key = computeCutKey(shared, files);
  const scope = createOrganizationScope(experiment.organization_id);
  const own = await selectRawFilesOfRun(scope, read, run.id);
  if (own.some(({ cut_from: cutFrom }) => cutFrom?.key === key)) return;
  const located = await locateFiles(ports.blobs, files);
  const cut = await cutSharedFiles(ports, shared, { files: located, refuses: 'errors' });
  const pieces = await keepPieces(ports.blobs, cut, { owner: experiment.id, sources: { key, files } });
  await ports.database.runTransaction((tx) =>
    recordPieces(work, tx, experiment, { runId: run.id, pieces, uploadedBy: null }),
  );
}

export async function locateFiles(blobs: Pick<Blobs, 'locate'>, files: readonly SharedFileRow[]) {
  return Promise.all(
    files.map(async ({ name, sha256 }) => ({ name, sha256, path: await blobs.locate(sha256) })),
  );
}
