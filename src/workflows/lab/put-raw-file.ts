import type { Input } from '#core/operation.ts';
import type { putRawFile as operation } from '#domain/lab/run-contract.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { takeRawFile } from './take-raw-file.ts';

/** `PUT /lab/experiments/{experiment_id}/files/{name}`: stores the bytes before the row that refers to them. */
export async function putRawFile(input: Input<typeof operation>, context: OutwardContext) {
  const { upload } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const { experiment_id: experimentId, name } = input.params;
  return takeRawFile(context, experimentId, { name, staged: upload, field: 'body' });
}
