/**
 * Writes a zip archive entry by entry: only the current entry is in memory, and a slow reader slows the writer down.
 */
import { createHash } from 'node:crypto';
import { PassThrough, Readable, Transform, type TransformCallback } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ArchiveEntry, ArchiveOptions } from '#core/archive.ts';

/** Destroying the stream ends the work; an entry that fails destroys the stream with its error. */
export function createZipStream(entries: AsyncIterable<ArchiveEntry>, options: ArchiveOptions): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  void pipeline(zip.outputStream, output).catch((error: unknown) => output.destroy(toError(error)));
  // yazl reports a failed entry here, not on the stream.
  zip.on('error', (error: unknown) => output.destroy(toError(error)));
  void writeAll(zip, output, entries, options).catch((error: unknown) => output.destroy(toError(error)));
  return output;
}

async function writeAll(
  zip: ZipFile,
  output: PassThrough,
  entries: AsyncIterable<ArchiveEntry>,
  { modifiedAt, onWritten }: ArchiveOptions,
): Promise<void> {
  for await (const entry of entries) {
    if (output.destroyed) return;
    const meter = new Meter();
    const source = Readable.from(readChunks(entry.content), { objectMode: false });
    const metadata = { mtime: new UtcDate(modifiedAt), mode: 0o100644, compress: entry.compress };
    zip.addReadStreamLazy(entry.path, metadata, giveOnce(meter));
    releasePool(zip);
    const abandonSource = (): void => void source.destroy(new Error('the reader of the archive is gone'));
    output.once('close', abandonSource);
    try {
      await pipeline(source, meter);
      await finished(meter);
    } finally {
      output.off('close', abandonSource);
    }
    onWritten({ path: entry.path, bytes: meter.bytes, sha256: meter.getDigest() });
  }
  zip.end();
}

/**
 * Gives a stream to the library and forgets it: the library keeps the function of each entry until the archive ends, and
 * through the stream it would keep 100 kB of buffers of every entry.
 */
function giveOnce(stream: Readable): (take: (error: unknown, stream: NodeJS.ReadableStream) => void) => void {
  const given = [stream];
  return (take) => {
    const next = given.pop();
    if (next !== undefined) take(null, next);
  };
}

/**
 * Copies the name of the newest entry out of the pool from which Node cuts small buffers: the library keeps each name until
 * the archive ends, and with it 64 kB of the pool.
 */
function releasePool(zip: ZipFile): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the library leave its entries out
  const entry = (zip as unknown as { readonly entries: readonly { utf8FileName: Buffer }[] }).entries.at(-1);
  if (entry === undefined) return;
  const { utf8FileName: name } = entry;
  entry.utf8FileName = Buffer.allocUnsafeSlow(name.length);
  name.copy(entry.utf8FileName);
}

/** The older of the two times of an entry has no zone, and yazl writes it in that of the machine. */
class UtcDate extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear();
  }

  override getMonth(): number {
    return this.getUTCMonth();
  }

  override getDate(): number {
    return this.getUTCDate();
  }

  override getHours(): number {
    return this.getUTCHours();
  }

  override getMinutes(): number {
    return this.getUTCMinutes();
  }

  override getSeconds(): number {
    return this.getUTCSeconds();
  }
}

/** A reader is seen to take a chunk when it has all of it, so a large one would look like a reader that stopped. */
const CHUNK_BYTES = 64 * 1024;

async function* readChunks(content: ArchiveEntry['content']): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string' || content instanceof Uint8Array) yield* splitChunk(content);
  else for await (const chunk of content) yield* splitChunk(chunk);
}

function* splitChunk(chunk: Uint8Array | string): Generator<Uint8Array> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
}

/** Counts and digests the bytes that pass through. */
class Meter extends Transform {
  bytes = 0;
  readonly #hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    done(null, chunk);
  }

  getDigest(): string {
    return this.#hash.digest('hex');
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
