/** Files that commands read and write. A download never replaces a file by accident. */
import { findErrorCode, getErrorMessage, isRecord, type UnknownRecord } from '#core/records.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  linkSync,
  openAsBlob,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { CommandError, UnreachableError } from './command-error.ts';
import type { OpenedDocument } from './documents.ts';
import { Progress } from './progress.ts';
import { readStandardInput, readText, getTerminal, printNote } from './terminal.ts';

/** `-` is standard input. */
export async function readTextFile(file: string, bytesMax?: number): Promise<string> {
  try {
    return file === '-'
      ? await readStandardInput(bytesMax)
      : await readText(createReadStream(file), bytesMax);
  } catch (error) {
    const name = file === '-' ? 'Standard input' : file;
    throw new CommandError(`${name} cannot be read: ${explainReadError(error)}.`, 2);
  }
}

function explainReadError(error: unknown): string {
  const code = findErrorCode(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return getErrorMessage(error);
}

/** The body of a request as JSON; `-` is standard input. */
export async function readJsonRecord(file: string): Promise<UnknownRecord> {
  const name = file === '-' ? 'Standard input' : file;
  const text = await readTextFile(file);
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    throw new CommandError(`${name} is not JSON; write the body of the request.`, 2);
  }
  throw new CommandError(`${name} must be one JSON object.`, 2);
}

/** Opens a file whose bytes are sent as they are. A pipe has no length, which the request names first. */
export async function openFile(file: string, bytesMax = Infinity): Promise<Blob> {
  try {
    const status = statSync(file);
    if (status.isDirectory())
      throw new Error(`it is a folder; send it as one zip archive: zip -r ${file}.zip ${file}`);
    if (status.size > bytesMax) throw new Error(`it is larger than ${bytesMax / 1024 / 1024} MB`);
    if (!status.isFile()) throw new Error('it is no regular file; save what it holds in one');
    accessSync(file, constants.R_OK);
    return await openAsBlob(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${explainReadError(error)}.`, 2);
  }
}

const STANDARD_OUTPUT = '-';
/** A PDF may have some bytes behind its end, and a zip archive a comment. */
const EDGE_BYTES = 1_024;
/** Formats that say where they begin and where they end. */
const FORMATS = [
  { type: /^application\/(?:zip|.*openxml)/, start: 'PK\u0003\u0004', end: 'PK\u0005\u0006' },
  { type: /^application\/pdf/, start: '%PDF-', end: '%%EOF' },
  { type: /parquet/, start: 'PAR1', end: 'PAR1' },
] as const;

/** Refuses to replace a file before anything is fetched for it. */
export function refuseExisting(file: string, mayReplace: boolean): void {
  if (file !== STANDARD_OUTPUT && !mayReplace && existsSync(file)) throw createExistsError(file);
}

const createExistsError = (file: string): CommandError =>
  new CommandError(`${file} exists already; --force replaces it.`);

/**
 * Saves a document as it arrives; `-` is standard output. The file gets its name when it is complete, so that what
 * stands under a name is whole; an older one stays until then.
 */
export async function saveDocument(
  file: string,
  { chunks, size, type }: OpenedDocument,
  mayReplace: boolean,
): Promise<void> {
  refuseExisting(file, mayReplace);
  const progress = new Progress({
    label: file === STANDARD_OUTPUT ? 'Download' : basename(file),
    unit: 'bytes',
  });
  const target = openTarget(file, mayReplace);
  let done = 0;
  let [start, end] = ['', ''];
  try {
    for await (const chunk of chunks) {
      await target.write(chunk);
      done += chunk.length;
      start += Buffer.from(chunk.subarray(0, Math.max(0, EDGE_BYTES - start.length))).toString('latin1');
      end = `${end}${Buffer.from(chunk.subarray(-EDGE_BYTES)).toString('latin1')}`.slice(-EDGE_BYTES);
      progress.report(done, size);
    }
    requireWhole(type, start, end);
    target.finish();
  } finally {
    progress.clear();
    target.discard();
  }
  if (file !== STANDARD_OUTPUT) printNote(`Saved ${file} (${done.toLocaleString('en-US')} bytes).`);
}

/** Refuses what is not, or not the whole of, the document that its type or its first bytes promise. */
function requireWhole(type = '', start: string, end: string): void {
  const promised = FORMATS.find((each) => each.type.test(type));
  const format = promised ?? FORMATS.find((each) => start.startsWith(each.start));
  const isWhole = format === undefined || (start.startsWith(format.start) && end.includes(format.end));
  if (start === '' || !isWhole)
    throw new UnreachableError(
      `The document arrived ${start === '' ? 'empty' : 'damaged'}, and was not kept; try again later.`,
    );
}

interface Target {
  readonly write: (chunk: Uint8Array) => Promise<void> | void;
  readonly finish: () => void;
  /** Removes what is not finished. */
  readonly discard: () => void;
}

function openTarget(file: string, mayReplace: boolean): Target {
  if (file === STANDARD_OUTPUT)
    return { write: writeToOutput, finish: () => undefined, discard: () => undefined };
  // A device or a pipe has no complete state, and stands where it stands.
  const isSpecial = existsSync(file) && !statSync(file).isFile();
  const draft = isSpecial ? file : `${file}.${randomBytes(6).toString('hex')}.part`;
  const handle = tryToWrite(file, () => openSync(draft, isSpecial ? 'w' : 'wx'));
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  };
  const discard = (): void => {
    process.off('exit', discard);
    close();
    if (!isSpecial) rmSync(draft, { force: true });
  };
  // Ctrl+C ends the process without another word.
  process.on('exit', discard);
  return {
    write: (chunk) => tryToWrite(file, () => writeFully(handle, chunk)),
    finish: () => {
      close();
      if (!isSpecial) nameDraft(draft, file, mayReplace);
    },
    discard,
  };
}

/** Another command may have saved under the name meanwhile; a second name of a file replaces none. */
function nameDraft(draft: string, file: string, mayReplace: boolean): void {
  try {
    if (!mayReplace) return linkSync(draft, file);
  } catch {
    if (existsSync(file)) throw createExistsError(file);
    // A file system without second names.
  }
  tryToWrite(file, () => renameSync(draft, file));
}

async function writeToOutput(chunk: Uint8Array): Promise<void> {
  const { stdout } = getTerminal();
  if (!stdout.write(chunk)) await once(stdout, 'drain');
}

/** One call may write a part. */
function writeFully(handle: number, chunk: Uint8Array): void {
  for (let done = 0; done < chunk.length;) done += writeSync(handle, chunk, done);
}

/** Does what writes a file; a failure names the file and the reason. */
export function tryToWrite<Answer>(file: string, work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${explainWriteError(error)}.`);
  }
}

function explainWriteError(error: unknown): string {
  const code = findErrorCode(error);
  if (code === 'ENOENT') return 'there is no such folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'the disk is full. Nothing was kept; make room or name a file on another disk';
  return getErrorMessage(error);
}
