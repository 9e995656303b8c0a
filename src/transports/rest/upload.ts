/** Receives files as plain bytes: they are written to disk as they arrive and are never complete in memory. */
import type { FastifyRequest } from 'fastify';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import { readChunks, refuseEncoding } from '../bodies/bodies.ts';
import { continueRequest } from '../bodies/continue.ts';
import { createTooLargeFailure } from '#core/size.ts';

/** Refuses what the headers say of a file. Throws `body_too_large` or `content_encoding_not_served`. */
export function refuseDeclared(request: FastifyRequest, bytesMax: number): void {
  if (Number(request.headers['content-length']) > bytesMax) throw createTooLargeFailure(bytesMax);
  refuseEncoding(request);
}

/** Throws `body_too_large`, or `upload_broken_off` when the client left before the end. */
export async function receiveUpload(
  request: FastifyRequest,
  blobs: Blobs,
  bytesMax: number,
): Promise<StagedFile> {
  continueRequest(request.raw);
  let received = 0;
  async function* readParts(): AsyncGenerator<Uint8Array> {
    for await (const part of readChunks(request.raw)) {
      received += part.length;
      if (received > bytesMax) throw createTooLargeFailure(bytesMax);
      yield part;
    }
  }
  return blobs.stage(readParts());
}
