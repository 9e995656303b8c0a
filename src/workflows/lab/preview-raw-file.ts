import type { Input } from '#core/operation.ts';
import type { previewRawFile as operation } from '#domain/lab/preview-contract.ts';
import { loadPreviewSubject, previewGiven, type FileContext } from './preview-raw-files.ts';

/** `PUT /lab/experiments/{experiment_id}/preview/{name}`. */
export async function previewRawFile(input: Input<typeof operation>, context: FileContext) {
  const { upload, params } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const subject = await loadPreviewSubject(context, params.experiment_id);
  const { path, sha256, sizeBytes } = upload;
  return previewGiven(context, subject, [{ name: params.name, path, sha256, sizeBytes }]);
}
