/** Uploads raw instrument files of a run unchanged, and shows their parsed content. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatCount, joinFirst } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { listRawFiles } from '#features/runs/raw-files/run-contract.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import type { Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { explainReadError } from './files.ts';
import { printNote, toPlainText, print } from './terminal.ts';
import { formatStatus } from './words.ts';

type Listed = Static<(typeof listRawFiles)['output']>;
type RawFile = Listed['files'][number];

/** Of a stored run, with what the file holds of each of its experiments. */
interface Added {
  readonly file: RawFile;
  readonly experiments?: readonly { readonly experiment_code: string; readonly n_curves: number }[];
}

const NAMES_SHOWN = 5;

/** Tries every file; a rejected one does not stop the others. `folder` is the path of the files of a run. */
export async function uploadFiles(
  api: Api,
  folder: string,
  paths: readonly string[],
  asJson: boolean,
): Promise<void> {
  for (const path of paths) await refuseUnreadable(path);
  const accepted: unknown[] = [];
  let refused = 0;
  for (const path of paths) {
    try {
      const address = `${folder}/${encodeURIComponent(basename(path))}`;
      const answer = await api.put<Added>(address, await openAsBlob(path));
      accepted.push(answer);
      if (!asJson) print([...listFileLines(answer.file), ...listShareLines(answer)].join('\n'));
    } catch (error) {
      // Any other failure is not about this file and would repeat for the next one.
      if (!(error instanceof RefusedError) || error.refusal.code !== 'raw_file_refused') throw error;
      refused += 1;
      printNote(error.message);
    }
  }
  if (asJson) print(JSON.stringify(accepted, null, 2));
  if (refused > 0) throw new CommandError(`${formatCount(refused, 'file')} of ${paths.length} refused.`);
}

export async function readRuns(api: Api, code: string, asJson: boolean): Promise<void> {
  const listed = await api.get<Listed>(`/lab/experiments/${encodeURIComponent(code)}/files`);
  if (asJson) return print(JSON.stringify(listed, null, 2));
  const { run, files, experiment_code: name, status, sequences_without_data: missing } = listed;
  print(toPlainText(`${name}: ${formatStatus(status)}`));
  if (run === null) return printNote('No run has been started.');
  print(toPlainText(`Run ${run.ordinal} on ${run.instrument}: ${run.status}`));
  if (run.problem !== null) print(`Stopped: ${toPlainText(run.problem)}`);
  print(files.length === 0 ? 'No files yet.' : files.flatMap(listFileLines).join('\n'));
  if (missing.length > 0) print(`Without data: ${formatNames(missing)}`);
}

export async function refuseUnreadable(path: string): Promise<void> {
  const fileStat = await stat(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${explainReadError(error)}.`, 2);
  });
  if (fileStat.isDirectory())
    throw new CommandError(
      `${path} is a folder; upload it as one zip archive: zip -r ${path}.zip ${path}`,
      2,
    );
  const limit = UPLOAD_BYTES_MAX / 1024 / 1024;
  if (fileStat.size > UPLOAD_BYTES_MAX) throw new CommandError(`${path} is larger than ${limit} MB.`, 2);
}

function listFileLines({ name, size_bytes: size, sha256, understood }: RawFile): string[] {
  const head = `${toPlainText(name)}  ${(size / 1e6).toFixed(2)} MB  SHA-256 ${sha256.slice(0, 12)}…`;
  if (understood === null) return [head];
  const {
    sets,
    matched_sequences: matched,
    unmatched_samples: unmatched,
    n_unnamed_wells: unnamed,
  } = understood;
  return [
    head,
    ...sets.flatMap(({ format, instrument, plate, n_traces: traces, notices }) => [
      `  ${toPlainText([format, instrument, plate, formatCount(traces, 'trace')].filter((part) => part !== null).join(', '))}`,
      ...notices.map((notice) => `  note: ${toPlainText(notice)}`),
    ]),
    `  ${formatCount(matched.length, 'sequence')} of the experiment`,
    ...(unmatched.length === 0 ? [] : [`  matches no sequence: ${formatNames(unmatched)}`]),
    ...(unnamed === 0 ? [] : [`  ${formatCount(unnamed, 'well')} need a plate map for their names`]),
  ];
}

function listShareLines({ experiments = [] }: Added): string[] {
  return experiments.map(
    ({ experiment_code: code, n_curves: count }) => `  ${code}: ${formatCount(count, 'curve')} of its own`,
  );
}

function formatNames(all: readonly string[]): string {
  return toPlainText(joinFirst(all, NAMES_SHOWN));
}
