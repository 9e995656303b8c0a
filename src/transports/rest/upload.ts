/** Receives files as plain bytes: they are written to disk as they arrive and are never complete in memory. */
import type { FastifyRequest } from 'fastify';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import { fail, type Failure } from '#core/failures.ts';
import { readChunks, refuseEncoding } from '../bodies/bodies.ts';
import { continueRequest } from '../bodies/continue.ts';

/** Throws `body_too_large`, or `upload_broken_off` when the client left before the end. */
export async function receiveUpload(
  request: FastifyRequest,
  blobs: Blobs,
  bytesMax: number,
): Promise<StagedFile> {
  const createTooLargeFailure = (): Failure => {
    const headers = { connection: 'close' };
    return fail('body_too_large', { limit: `${bytesMax / 1024 / 1024} MiB` }, { headers });
  };
  if (Number(request.headers['content-length']) > bytesMax) throw createTooLargeFailure();
  refuseEncoding(request);
  continueRequest(request.raw);
  let received = 0;
  async function* readParts(): AsyncGenerator<Uint8Array> {
    for await (const part of readChunks(request.raw)) {
      received += part.length;
      if (received > bytesMax) throw createTooLargeFailure();
      yield part;
    }
  }
  return blobs.stage(readParts());
}
