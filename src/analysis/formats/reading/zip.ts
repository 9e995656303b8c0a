/**
 * Reads zip archives (PKWARE APPNOTE 6.3: stored and deflated entries, no encryption, no zip64). Names come from the
 * central directory and every entry is checked against its CRC-32, so a damaged archive causes an error and never a
 * shorter upload.
 */
import { constants, crc32, inflateRawSync } from 'node:zlib';
import { FormatError } from '../../failures/errors.ts';
import { getSize, type InputFile, readRange, LIMITS } from './input-file.ts';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const LOCAL_HEADER_BYTES = 30;
/** Limit of the entry list; no real archive needs names of 65,535 bytes. */
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;
/** Number of packed bytes that are unpacked at most when only the start of an entry is read. */
const HEAD_BYTES_MAX = 4_096;
/** Number of packed bytes that are unpacked first: a bomb makes at most a thousand times as many of them. */
const HEAD_BYTES_FIRST = 64;
const CHUNK_BYTES_MIN = 64;
const COMMENT_BYTES_MAX = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
const ZIP64 = 0xffffffff;

export function isZip(file: InputFile): boolean {
  const [a, b, c, d] = readRange(file, 0, 4);
  return a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6));
}

/**
 * Lists the files in an archive, without folders and without the files that archivers add. Each is unpacked when its
 * bytes are accessed, so damaged data is detected then.
 */
export function unzip(archive: InputFile, totalBytesMax: number = LIMITS.totalBytes): InputFile[] {
  return readOrFail(archive, () => readEntries(archive, totalBytesMax));
}

function readOrFail<T>(archive: InputFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError)
      throw createArchiveError(archive, 'a complete zip archive', 'an offset outside the file');
    throw error;
  }
}

function createDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readEntries(archive: InputFile, totalBytesMax: number): InputFile[] {
  const { count, sizeBytes, directory } = findDirectory(archive);
  const view = createDataView(directory);
  const files: InputFile[] = [];
  let total = 0;
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== CENTRAL_HEADER)
      throw createArchiveError(archive, `entry ${index + 1} of ${count}`, 'something else');
    const nameBytes = view.getUint16(at + 28, true);
    if (at + 46 + nameBytes > directory.length)
      throw createArchiveError(archive, 'a complete zip archive', 'end of file');
    const name = new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameBytes));
    assertPlainName(archive, name, index + 1);
    const entry = readEntryAt(view, at, name);
    total += entry.sizeBytes;
    if (total > totalBytesMax)
      throw createArchiveError(archive, `at most ${totalBytesMax} bytes unpacked`, 'more');
    if (!name.endsWith('/') && !isFromArchiver(name)) files.push(createPackedFile(archive, entry));
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (at !== sizeBytes)
    throw createArchiveError(
      archive,
      `a list of ${count} ${count === 1 ? 'entry' : 'entries'}`,
      'another length',
    );
  if (files.length === 0) throw createArchiveError(archive, 'at least one file in the archive', 'none');
  return files;
}

/** Names stand in messages and records, some of which hold no control characters. */
function assertPlainName(archive: InputFile, name: string, ordinal: number): void {
  if (!/\p{Cc}/u.test(name)) return;
  const plain = name.replaceAll(/\p{Cc}/gu, '\ufffd');
  throw createArchiveError(archive, `entry ${ordinal} to have a name without control characters`, plain);
}

/** Whether an archiver or file system added the entry. A name that begins with `./` or `../` is one of a file. */
function isFromArchiver(name: string): boolean {
  const parts = name.split(/[\\/]/);
  return parts.includes('__MACOSX') || parts.some((part) => /^\.(?!\.?$)/.test(part));
}

/** Finds the entry list by the end record in the last bytes. The list ends before that record. */
function findDirectory(archive: InputFile): { count: number; sizeBytes: number; directory: Uint8Array } {
  const size = getSize(archive);
  const from = Math.max(0, size - END_RECORD_BYTES - COMMENT_BYTES_MAX);
  const tail = createDataView(readRange(archive, from, size));
  for (let at = tail.byteLength - END_RECORD_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END_RECORD) continue;
    const count = tail.getUint16(at + 10, true);
    if (count > LIMITS.files)
      throw createArchiveError(archive, `at most ${LIMITS.files} entries`, `${count}`);
    const start = tail.getUint32(at + 16, true);
    const end = Math.min(from + at, start + DIRECTORY_BYTES_MAX);
    const sizeBytes = tail.getUint32(at + 12, true);
    return { count, sizeBytes, directory: readRange(archive, start, Math.max(start, end)) };
  }
  throw createArchiveError(
    archive,
    'the end record of a zip archive (the file looks cut off)',
    'end of file',
  );
}

interface Entry {
  name: string;
  method: number;
  isEncrypted: boolean;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  /** Offset of its local header. */
  local: number;
}

function readEntryAt(view: DataView, at: number, name: string): Entry {
  return {
    name,
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & ENCRYPTED_FLAG) !== 0,
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    local: view.getUint32(at + 42, true),
  };
}

/** Rejects an entry at once for its declared properties; `bytes` rejects it for its content. */
function createPackedFile(archive: InputFile, entry: Entry): InputFile {
  const { name, sizeBytes, packedBytes, method } = entry;
  if (entry.isEncrypted) throw createArchiveError(archive, `${name} without a password`, 'encryption');
  if (sizeBytes === ZIP64 || packedBytes === ZIP64)
    throw createArchiveError(archive, 'an archive below 4 GB', 'zip64');
  if (sizeBytes > LIMITS.fileBytes)
    throw createArchiveError(archive, `${name} to have at most ${LIMITS.fileBytes} bytes`, `${sizeBytes}`);
  if (method !== STORED && method !== DEFLATED)
    throw createArchiveError(archive, `${name} stored or deflated`, `method ${method}`);
  return {
    name,
    sizeBytes,
    get bytes() {
      return readOrFail(archive, () => unpackEntry(archive, entry));
    },
    readRange: (from, to) =>
      readOrFail(archive, () =>
        to <= HEAD_BYTES_MAX
          ? readHeadOfEntry(archive, entry, to).subarray(from)
          : unpackEntry(archive, entry).subarray(from, to),
      ),
  };
}

function unpackEntry(archive: InputFile, entry: Entry): Uint8Array {
  const { name, sizeBytes, method } = entry;
  const packed = readPackedPart(archive, entry, entry.packedBytes);
  const bytes = method === STORED ? packed : inflateEntry(archive, packed, entry);
  if (bytes.length !== sizeBytes || crc32(bytes) !== entry.crc)
    throw createArchiveError(archive, `${name} as it was packed`, 'damaged data (CRC-32)');
  return bytes;
}

function inflateEntry(archive: InputFile, packed: Uint8Array, { name, sizeBytes }: Entry): Uint8Array {
  try {
    // A single output chunk avoids a copy; its extra byte reveals a declared size that is too low.
    const chunkSize = Math.max(CHUNK_BYTES_MIN, sizeBytes + 1);
    return inflateRawSync(packed, { maxOutputLength: sizeBytes + 1, chunkSize });
  } catch {
    throw createArchiveError(archive, `${name} as it was packed`, 'damaged data');
  }
}

/**
 * Unpacks at most `length` bytes from the start of an entry, of as few packed bytes as that takes. Nothing is verified;
 * reading the whole entry finds damage.
 */
function readHeadOfEntry(archive: InputFile, entry: Entry, length: number): Uint8Array {
  const packed = readPackedPart(archive, entry, Math.min(entry.packedBytes, HEAD_BYTES_MAX));
  if (entry.method === STORED) return packed.subarray(0, length);
  try {
    for (let used = HEAD_BYTES_FIRST; ; used *= 2) {
      const head = inflateRawSync(packed.subarray(0, used), { finishFlush: constants.Z_SYNC_FLUSH });
      if (head.length >= length || used >= packed.length) return head.subarray(0, length);
    }
  } catch {
    throw createArchiveError(archive, `${entry.name} as it was packed`, 'damaged data');
  }
}

/** Returns the first `length` packed bytes of an entry, after its local header. */
function readPackedPart(archive: InputFile, { name, local }: Entry, length: number): Uint8Array {
  const header = createDataView(readRange(archive, local, local + LOCAL_HEADER_BYTES));
  if (header.getUint32(0, true) !== LOCAL_HEADER)
    throw createArchiveError(archive, `the data of ${name}`, 'something else');
  const from = local + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  if (from + length > getSize(archive))
    throw createArchiveError(archive, 'a complete zip archive', 'end of file');
  return readRange(archive, from, from + length);
}

function createArchiveError(archive: InputFile, expected: string, found: string): FormatError {
  return new FormatError({ file: archive.name, line: null, column: null, expected, found });
}
