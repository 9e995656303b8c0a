/** A form with one file: its fields are checked before the file is received, which goes to disk as it arrives. */
import type { FastifyRequest } from 'fastify';
import type { Blobs } from '#core/blobs.ts';
import { fail } from '#core/failures.ts';
import { createTooLargeFailure } from '#core/size.ts';
import type { FileForm, FileFormOptions } from '#ui/upload-form.ts';
import type { Form } from '#ui/http.ts';
import { readChunks, refuseEncoding } from '../bodies/bodies.ts';
import { continueRequest } from '../bodies/continue.ts';
import { findBoundary, readFieldText, readFormParts } from '../bodies/form-data.ts';

/** The caller drops the file after the answer. */
export async function receiveFileForm(
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
