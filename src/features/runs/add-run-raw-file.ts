import type { Input } from '#core/operation.ts';
import type { addRunRawFile as operation } from './file-contract.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { decodeBase64 } from './raw-files/add-raw-file.ts';
import { takeSharedFile } from './put-run-raw-file.ts';

/** `POST /lab/runs/{run_id}/raw-files`: like `PUT`, with the bytes in JSON. */
export async function addRunRawFile(input: Input<typeof operation>, context: OutwardContext) {
  const { name, content_base64: content } = input.body;
  const staged = await context.rawFiles.blobs.stage([decodeBase64(content)]);
  try {
    return await takeSharedFile(context, input.params.run_id, { name, staged, field: 'content_base64' });
  } finally {
    await staged.drop();
  }
}
