import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { addRawFile as operation } from './run-contract.ts';
import type { OutwardContext } from '../../installation/outward-context.ts';
import { takeRawFile } from './put-raw-file.ts';

/** `POST /lab/experiments/{experiment_id}/files`: like `PUT`, with the bytes in JSON. */
export async function addRawFile(input: Input<typeof operation>, context: OutwardContext) {
  const { name, content_base64: content } = input.body;
  const staged = await context.rawFiles.blobs.stage([decodeBase64(content)]);
  try {
    return await takeRawFile(context, input.params.experiment_id, { name, staged, field: 'content_base64' });
  } finally {
    await staged.drop();
  }
}

/** Base64 may be wrapped into lines, as the command `base64` does. Throws `invalid_request`. */
export function decodeBase64(text: string, path = 'content_base64'): Uint8Array {
  const packed = text.replaceAll(/\s+/g, '');
  const bytes = Buffer.from(packed, 'base64');
  if (bytes.toString('base64') === packed) return new Uint8Array(bytes);
  const message = 'must be base64 with padding (RFC 4648, section 4)';
  const problems = [{ path, message }];
  throw fail('invalid_request', { reason: `${path} ${message}.` }, { problems });
}
