/**
 * Reads zip archives (PKWARE APPNOTE 6.3: stored and deflated entries, no encryption, no zip64). Names come from the central
 * directory and every entry is checked against its CRC-32, so a damaged archive is an error and never a shorter upload.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { FormatError } from '../errors.ts';
import { LIMITS } from './text.ts';
import type { InputFile } from './text.ts';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
const ZIP64 = 0xffffffff;

export function isZip(file: InputFile): boolean {
  const [a, b, c, d] = file.bytes;
  return a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6));
}

/** The files in an archive, without folders and without what archivers add for themselves. */
export function unzip(archive: InputFile, totalBytesMax: number = LIMITS.totalBytes): InputFile[] {
  const { bytes } = archive;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readEntries(archive, view, totalBytesMax);
  } catch (error) {
    if (error instanceof RangeError)
      throw problem(archive, 'a complete zip archive', 'an offset outside the file');
    throw error;
  }
}

function readEntries(archive: InputFile, view: DataView, totalBytesMax: number): InputFile[] {
  const end = findEnd(archive, view);
  const count = view.getUint16(end + 10, true);
  if (count > LIMITS.files) throw problem(archive, `at most ${LIMITS.files} entries`, `${count}`);
  const files: InputFile[] = [];
  let total = 0;
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== CENTRAL_HEADER)
      throw problem(archive, `entry ${index + 1} of ${count}`, 'something else');
    const nameBytes = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(part(archive, at + 46, nameBytes));
    const size = view.getUint32(at + 24, true);
    total += size;
    if (total > totalBytesMax) throw problem(archive, `at most ${totalBytesMax} bytes unpacked`, 'more');
    if (!name.endsWith('/') && !/(^|\/)(__MACOSX\/|\.)/.test(name)) {
      files.push({ name, bytes: readEntry(archive, view, { at, name, size }) });
    }
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return files;
}

function findEnd(archive: InputFile, view: DataView): number {
  const lowest = Math.max(0, view.byteLength - END_RECORD_BYTES - COMMENT_BYTES_MAX);
  for (let at = view.byteLength - END_RECORD_BYTES; at >= lowest; at -= 1) {
    if (view.getUint32(at, true) === END_RECORD) return at;
  }
  throw problem(archive, 'the end record of a zip archive (the file looks cut off)', 'end of file');
}

function readEntry(
  archive: InputFile,
  view: DataView,
  entry: { at: number; name: string; size: number },
): Uint8Array {
  const { at, name, size } = entry;
  const method = view.getUint16(at + 10, true);
  const packedBytes = view.getUint32(at + 20, true);
  const local = view.getUint32(at + 42, true);
  if ((view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0)
    throw problem(archive, `${name} without a password`, 'encryption');
  if (size === ZIP64 || packedBytes === ZIP64) throw problem(archive, 'an archive below 4 GB', 'zip64');
  if (size > LIMITS.fileBytes)
    throw problem(archive, `${name} to have at most ${LIMITS.fileBytes} bytes`, `${size}`);
  if (view.getUint32(local, true) !== LOCAL_HEADER)
    throw problem(archive, `the data of ${name}`, 'something else');
  const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const bytes = unpack(archive, part(archive, from, packedBytes), { method, name, size });
  if (bytes.length !== size || crc32(bytes) !== view.getUint32(at + 16, true)) {
    throw problem(archive, `${name} as it was packed`, 'damaged data (CRC-32)');
  }
  return bytes;
}

function unpack(
  archive: InputFile,
  packed: Uint8Array,
  { method, name, size }: { method: number; name: string; size: number },
): Uint8Array {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw problem(archive, `${name} stored or deflated`, `method ${method}`);
  try {
    return inflateRawSync(packed, { maxOutputLength: size + 1 });
  } catch {
    throw problem(archive, `${name} as it was packed`, 'damaged data');
  }
}

function part(archive: InputFile, from: number, length: number): Uint8Array {
  if (from + length > archive.bytes.length) throw problem(archive, 'a complete zip archive', 'end of file');
  return archive.bytes.subarray(from, from + length);
}

function problem(archive: InputFile, expected: string, found: string): FormatError {
  return new FormatError({ file: archive.name, line: null, column: null, expected, found });
}
