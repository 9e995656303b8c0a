/**
 * Forms with files. A large file goes to disk as it arrives, after the fields before it were checked; small ones are
 * held in memory with the form.
 */
import type { FastifyRequest } from 'fastify';
import type { Blobs } from '#core/blobs.ts';
import { fail } from '#core/failures.ts';
import { createTooLargeFailure } from '#core/size.ts';
import type { FileForm, FileFormOptions, FilesForm, SmallFile } from '#ui/upload-form.ts';
import { parseForm, type Form } from '#ui/http.ts';
import { readChunks, refuseEncoding, type Bodies } from '../bodies/bodies.ts';
import { continueRequest } from '../bodies/continue.ts';
import { requireUtf8 } from '../bodies/utf8.ts';
import { requireStorable, requireStorablePairs } from '../storable-text.ts';
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

/** Fields and files of a form of designs, which has two boxes for each row that it shows. */
const FORM_PARTS_MAX = 600;

/** The form may also come without files, as one of fields alone. */
export async function receiveFilesForm(
  bodies: Pick<Bodies, 'readBytes'>,
  request: FastifyRequest,
  bytesMax: number,
): Promise<FilesForm> {
  const whole = await bodies.readBytes(request, bytesMax);
  const type = request.headers['content-type'] ?? '';
  const boundary = findBoundary(type);
  if (boundary === undefined) {
    requireUtf8(whole, 0);
    requireStorablePairs(whole.toString('utf8'), 'the form');
    return { form: parseForm(type, whole.toString('utf8')), files: [] };
  }
  const fields = new Map<string, string>();
  const files: SmallFile[] = [];
  for await (const part of readFormParts(toChunks(whole), boundary, FORM_PARTS_MAX)) {
    if (part.fileName === null) fields.set(part.name, await readFieldText(part, bytesMax));
    else {
      const blocks: Uint8Array[] = [];
      for await (const block of part.content) blocks.push(block);
      // A field without a chosen file is sent with an empty name.
      if (part.fileName !== '') files.push({ name: part.fileName, bytes: Buffer.concat(blocks) });
    }
  }
  for (const [name, value] of fields) {
    requireStorable(name, name);
    requireStorable(name, value);
  }
  return { form: Object.fromEntries(fields), files };
}

async function* toChunks(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole;
}
