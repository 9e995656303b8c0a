/** Reads a form with files (RFC 7578) as it arrives: small fields as text, each file as a stream of its bytes. */
import { fail } from '#core/failures.ts';
import { requireUtf8 } from './utf8.ts';

/** Of all head lines of one part. */
const HEAD_BYTES_MAX = 8 * 1024;
const FIELD_BYTES_MAX = 64 * 1024;
const PARTS_MAX = 50;

export interface FormPart {
  readonly name: string;
  /** The name of the file on the disk of the person, without folders; null for an ordinary field. */
  readonly fileName: string | null;
  /** Must be read to its end before the next part. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Returns the boundary of a Content-Type header; undefined when it is no form with files. */
export function findBoundary(contentType: string): string | undefined {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(
    contentType,
  );
  return match?.[1] ?? match?.[2];
}

/** Yields the parts of the form in their order. */
export async function* readFormParts(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
  partsMax: number = PARTS_MAX,
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line before it.
  const reader = new PartReader(chunks, Buffer.from('\r\n'));
  await skip(reader.readUntil(delimiter));
  for (let count = 0; (await reader.readExactly(2)).toString('latin1') === '\r\n'; count++) {
    if (count === partsMax) throw refuse(`it has more than ${partsMax} parts`);
    const head = await collect(reader.readUntil(Buffer.from('\r\n\r\n')), HEAD_BYTES_MAX);
    const content = reader.readUntil(delimiter);
    yield { ...parseHead(head), content };
    await skip(content);
  }
  await reader.skipRest();
}

/** Reads an ordinary field. */
export async function readFieldText(
  { name, content }: FormPart,
  bytesMax: number = FIELD_BYTES_MAX,
): Promise<string> {
  return collect(content, bytesMax, `the field ${toPrintable(name)} is too long`);
}

function refuse(reason: string): Error {
  return fail('invalid_request', { reason: `the form cannot be read: ${reason}.` });
}

function toPrintable(name: string): string {
  return name.replaceAll(/[^\w-]/g, '?').slice(0, 40);
}

async function skip(content: AsyncIterable<Uint8Array>): Promise<void> {
  const parts = content[Symbol.asyncIterator]();
  while ((await parts.next()).done !== true);
}

async function collect(
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
  problem = 'a part has too many head lines',
): Promise<string> {
  const blocks: Uint8Array[] = [];
  let length = 0;
  for await (const block of content) {
    length += block.length;
    if (length > bytesMax) throw refuse(problem);
    blocks.push(block);
  }
  const whole = Buffer.concat(blocks);
  requireUtf8(whole, 0);
  return whole.toString('utf8');
}

function parseHead(head: string): Pick<FormPart, 'name' | 'fileName'> {
  const line = head.split('\r\n').find((text) => /^content-disposition:/i.test(text)) ?? '';
  const name = findParameter(line, 'name');
  if (name === undefined) throw refuse('a part has no name');
  const file = findParameter(line, 'filename');
  // Some browsers send the folders as well.
  return { name, fileName: file === undefined ? null : file.replace(/^.*[/\\]/, '') };
}

/** Browsers percent-encode quotes and line ends in these values, and nothing else. */
function findParameter(line: string, name: string): string | undefined {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(line)?.[1];
  return value?.replaceAll(/%(0A|0D|22)/gi, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Gives the bytes before a delimiter, and keeps only what may still belong to the next one. */
class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer;

  constructor(chunks: AsyncIterable<Uint8Array>, before: Buffer) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#held = before;
  }

  async *readUntil(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(delimiter);
      if (at !== -1) {
        const last = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      const certain = Math.max(0, this.#held.length - delimiter.length + 1);
      const block = this.#held.subarray(0, certain);
      this.#held = this.#held.subarray(certain);
      if (block.length > 0) yield block;
      await this.#receive();
    }
  }

  async readExactly(length: number): Promise<Buffer> {
    while (this.#held.length < length) await this.#receive();
    const bytes = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return bytes;
  }

  /** What follows the last delimiter belongs to no part. */
  async skipRest(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }

  async #receive(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw refuse('it ends before its last part');
    this.#held = Buffer.concat([this.#held, next.value]);
  }
}
