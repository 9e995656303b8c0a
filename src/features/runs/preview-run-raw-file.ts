import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { previewRunRawFile as operation } from './file-contract.ts';
import type { FileContext } from './raw-files/preview-raw-files.ts';
import { requireRun } from './stored-run.ts';
import { previewGivenFile } from './preview-run-raw-files.ts';

/** Refuses an unknown run before a byte of the file is read. */
export async function refuseEarly(
  { params }: Pick<Input<typeof operation>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  await requireRun(sql, params.run_id);
}

/** `PUT /lab/runs/{run_id}/preview/{name}`. */
export async function previewRunRawFile({ upload, params }: Input<typeof operation>, context: FileContext) {
  if (upload === undefined) throw new Error('an upload without a file');
  const { path, sha256, sizeBytes } = upload;
  return previewGivenFile(context, params.run_id, { name: params.name, path, sha256, sizeBytes });
}
