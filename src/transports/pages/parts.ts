/** Parts of the doors that the server of pages uses. */
import type { Logger } from 'pino';
import type { Blobs } from '#core/blobs.ts';
import type { RedirectPolicy } from '#core/redirect-policy.ts';
import type { PagesParts } from '#ui/parts.ts';
import { type Bodies, readChunks, refuseEncoding } from '../bodies/bodies.ts';
import type { Branding } from '../branding.ts';
import type { Dispatcher } from '../dispatch.ts';
import { getBinding } from '../operations.ts';
import type { RequestLimiter } from '../rest/rate-limit.ts';
import { lookUpSession } from './find-session.ts';
import type { FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import type { FileForm, FileFormOptions } from '#ui/form-upload.ts';
import { continueRequest } from '../bodies/continue.ts';
import { findBoundary, readFieldText, readFormParts } from '../bodies/form-data.ts';
import { createTooLargeFailure } from '#core/size.ts';
import type { Form } from '#ui/http.ts';

/** What the kit of pages asks of the server. */
type Served = 'lookUpSession' | 'setBodyOwner' | 'receiveFileForm' | 'callOperation';

export interface DoorParts extends Omit<PagesParts, Served> {
  readonly dispatcher: Dispatcher;
  readonly bodies: Bodies;
  /** Receives files that people upload. */
  readonly blobs: Blobs;
}

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly rateLimiter: RequestLimiter;
    readonly log: Logger;
    readonly branding: Branding;
    /** Where programs may have their codes sent. */
    readonly redirectPolicy: RedirectPolicy;
  }
}

export function createPagesParts(parts: DoorParts): PagesParts {
  return {
    ...parts,
    lookUpSession: (request) => lookUpSession(parts, request),
    setBodyOwner: (request, owner) => parts.bodies.setOwner(request, owner),
    receiveFileForm: (request, options) => receiveFileForm(parts.blobs, request, options),
    callOperation: (operation, input, { request, session }) =>
      parts.dispatcher.call({
        binding: getBinding(operation.id),
        input: {
          params: { ...input.params },
          query: { ...input.query },
          body: input.body,
          upload: input.upload,
          headers: { ...input.headers },
        },
        bodyLength: 0,
        principal: session.principal,
        requestId: request.id,
        address: request.ip,
        idempotencyKey: input.idempotencyKey,
      }),
  };
}

/** The caller drops the file after the answer. */
async function receiveFileForm(
  blobs: Blobs,
  request: FastifyRequest,
  { bytesMax, admit }: FileFormOptions,
): Promise<FileForm> {
  const boundary = findBoundary(request.headers['content-type'] ?? '');
  if (boundary === undefined) throw fail('invalid_request', { reason: 'a form with a file is expected.' });
  if (Number(request.headers['content-length']) > bytesMax) throw createTooLargeFailure(bytesMax);
  refuseEncoding(request);
  continueRequest(request.raw);
  const fields = new Map<string, string>();
  const listFields = (): Form => Object.fromEntries(fields);
  let file: FileForm['file'] | undefined;
  try {
    for await (const part of readFormParts(limit(readChunks(request.raw), bytesMax), boundary)) {
      if (part.fileName === null) fields.set(part.name, await readFieldText(part));
      else {
        admit(listFields());
        if (file !== undefined) throw fail('invalid_request', { reason: 'the form has more than one file.' });
        file = { name: part.fileName, staged: await blobs.stage(part.content) };
      }
    }
    admit(listFields());
    if (file === undefined || file.name === '') throw createMissingFailure();
    return { form: listFields(), file };
  } catch (error) {
    await file?.staged.drop();
    throw error;
  }
}

function createMissingFailure(): Error {
  const message = 'choose a file';
  return fail('invalid_request', { reason: `${message}.` }, { problems: [{ path: 'file', message }] });
}

async function* limit(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let received = 0;
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > bytesMax) throw createTooLargeFailure(bytesMax);
    yield chunk;
  }
}
