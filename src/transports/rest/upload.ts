/** Files that come as plain bytes: to disk as they arrive, never whole in memory. */
import type { FastifyRequest } from 'fastify';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import { fail, Failure } from '#core/failures.ts';
import { refuseEncoding } from '../bodies/bodies.ts';
import { continueRequest } from '../bodies/continue.ts';

/** Throws `body_too_large`, and `upload_broken_off` where the client went away before the end. */
export async function receiveUpload(
  request: FastifyRequest,
  blobs: Blobs,
  bytesMax: number,
): Promise<StagedFile> {
  const tooLarge = (): Failure => {
    const headers = { connection: 'close' };
    return fail('body_too_large', { limit: `${bytesMax / 1024 / 1024} MB` }, { headers });
  };
  if (Number(request.headers['content-length']) > bytesMax) throw tooLarge();
  refuseEncoding(request);
  continueRequest(request.raw);
  let received = 0;
  async function* parts(): AsyncGenerator<Uint8Array> {
    // A stream that is destroyed takes its connection with it, and the answer too.
    for await (const part of request.raw.iterator({ destroyOnReturn: false })) {
      if (!(part instanceof Uint8Array)) throw new TypeError('a request without an encoding comes in bytes');
      received += part.length;
      if (received > bytesMax) throw tooLarge();
      yield part;
    }
  }
  try {
    return await blobs.stage(parts());
  } catch (error) {
    if (error instanceof Failure || request.raw.complete) throw error;
    throw fail('upload_broken_off', {}, { cause: error });
  }
}
