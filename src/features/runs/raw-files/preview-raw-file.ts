import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../../experiments/store.ts';
import type { previewRawFile as operation } from './preview-contract.ts';
import { loadPreviewSubject, previewGiven, type FileContext } from './preview-raw-files.ts';

/** Refuses an unknown experiment before a byte of the file is read. */
export async function refuseEarly(
  { params }: Pick<Input<typeof operation>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  if ((await findExperiment(labScope, sql, params.experiment_id)) === undefined)
    throw fail('experiment_not_found');
}

/** `PUT /lab/experiments/{experiment_id}/preview/{name}`. */
export async function previewRawFile(input: Input<typeof operation>, context: FileContext) {
  const { upload, params } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const subject = await loadPreviewSubject(context.sql, params.experiment_id);
  const { path, sha256, sizeBytes } = upload;
  return previewGiven(context, subject, [{ name: params.name, path, sha256, sizeBytes }]);
}
