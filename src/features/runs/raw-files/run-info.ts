/** Runs and their raw files in the form that staff see. */
import type { EarlierVersionRow, UnderstoodFileRow } from './raw-file-store.ts';
import type { RunRow } from './store.ts';

export function runInfo(run: RunRow | undefined) {
  if (run === undefined) throw new Error('a run was not found after it was written');
  return {
    id: run.id,
    ordinal: run.ordinal,
    instrument: run.instrument,
    status: run.status,
    by_hand: run.by_hand,
    override_reason: run.override_reason,
    problem: run.problem,
    started_at: run.started_at,
    completed_at: run.completed_at,
  };
}

export function buildFileInfo(
  file: UnderstoodFileRow,
  sequenceNames: ReadonlySet<string>,
  earlier: readonly EarlierVersionRow[],
) {
  const { understood } = file;
  return {
    id: file.id,
    name: file.name,
    sha256: file.sha256,
    size_bytes: file.size_bytes,
    version: file.version,
    created_at: file.created_at,
    uploaded_by: file.uploaded_by,
    earlier_versions: earlier
      .filter((each) => each.file_id === file.id)
      .map(({ version, sha256, size_bytes, created_at, uploaded_by }) => ({
        version,
        sha256,
        size_bytes,
        created_at,
        uploaded_by,
      })),
    understood:
      understood === null
        ? null
        : {
            sets: understood.sets.map(({ nTraces, ...set }) => ({
              format: set.format,
              instrument: set.instrument,
              plate: set.plate,
              n_traces: nTraces,
              notices: [...set.notices],
            })),
            matched_sequences: matchNames(understood, sequenceNames),
            unmatched_samples: understood.samples.filter((name) => !sequenceNames.has(name)),
            n_unnamed_wells: understood.nUnnamedWells,
          },
  };
}

function matchNames(
  { samples, controls }: { readonly samples: readonly string[]; readonly controls: readonly string[] },
  sequenceNames: ReadonlySet<string>,
): string[] {
  return [...new Set([...samples, ...controls])].filter((name) => sequenceNames.has(name));
}
