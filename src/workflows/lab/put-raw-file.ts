import type { Input } from '#core/operation.ts';
import type { putRawFile as operation } from '#domain/lab/run-contract.ts';
import type { EffectContext } from '../installation/effect-context.ts';
import { takeRawFile } from './take-raw-file.ts';

/** `PUT /lab/experiments/{experiment_id}/files/{name}`: the bytes are kept before the row that names them is written. */
export async function putRawFile(input: Input<typeof operation>, context: EffectContext) {
  const { upload } = input;
  if (upload === undefined) throw new Error('an upload comes with its file');
  const { experiment_id: experimentId, name } = input.params;
  return takeRawFile(context, experimentId, { name, staged: upload, field: 'body' });
}
