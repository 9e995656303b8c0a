/**
 * Reads a JSON text (RFC 8259) while it arrives, a block of bytes at a time. Limits are checked at each byte, so that
 * a rejected text costs no more than the bytes before; only the values are kept, not the bytes. It accepts the texts
 * that `JSON.parse` accepts and returns the same values, except that it rejects what this service cannot use: members
 * given twice, the name `__proto__`, characters that the database cannot store, and infinite numbers.
 */
import { fail, type Failure } from '#core/failures.ts';
import { SMALL_SHAPE, type BodyShape } from './shape.ts';
import { requireUtf8, countWholeCharacters } from './utf8.ts';

/** Strings inside JSON, which may be longer than a block of bytes: found and decoded piece by piece. */

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const FIRST_PRINTABLE = 0x20;
const ASCII_MAX = 0x7f;
/** Lengths of `\n` and `\u0041`. */
const ESCAPE_BYTES = 2;
const CODE_ESCAPE_BYTES = 6;

/** The part of a string within one block. */
interface Piece {
  /** Its end: the closing quote, or the start of an incomplete character or escape. */
  readonly end: number;
  /** True when the closing quote has arrived. */
  readonly isWhole: boolean;
  readonly hasEscape: boolean;
  readonly isAscii: boolean;
}

/** `offset` is the position of the block in the body. */
function findPieceEnd(block: Buffer, from: number, offset: number): Piece {
  let bits = 0;
  let hasEscape = false;
  let at = from;
  for (; at < block.length; at++) {
    const byte = block[at] ?? 0;
    if (byte === QUOTE) return { end: at, isWhole: true, hasEscape, isAscii: bits <= ASCII_MAX };
    if (byte < FIRST_PRINTABLE)
      throw fail('malformed_json', { reason: `unexpected text at byte ${offset + at}` });
    bits |= byte;
    if (byte !== BACKSLASH) continue;
    const length = block[at + 1] === LETTER_U ? CODE_ESCAPE_BYTES : ESCAPE_BYTES;
    if (at + length > block.length) break;
    hasEscape = true;
    at += length - 1;
  }
  const end =
    bits <= ASCII_MAX ? Math.min(at, block.length) : countWholeCharacters(block, Math.min(at, block.length));
  return { end, isWhole: false, hasEscape, isAscii: bits <= ASCII_MAX };
}

function decodePiece(block: Buffer, from: number, piece: Piece, offset: number): string {
  if (!piece.isAscii) requireUtf8(block.subarray(from, piece.end), offset + from);
  const text = block.toString(piece.isAscii ? 'latin1' : 'utf8', from, piece.end);
  return piece.hasEscape ? unescapeText(text, offset + from) : text;
}

function unescapeText(text: string, offset: number): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch (error) {
    const place = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = place === undefined ? `after byte ${offset}` : `near byte ${offset + Number(place) - 1}`;
    throw fail('malformed_json', { reason: `unexpected text ${where}` });
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_RECORD = 0x7b;
const CLOSE_RECORD = 0x7d;
const PROTOTYPE = '__proto__';
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_LENGTH_MAX = 400;

/** The kind of each byte outside strings. */
const KINDS = new Uint8Array(256);
const SPACE = 1;
const SCALAR = 2;
for (const byte of Buffer.from(' \t\n\r')) KINDS[byte] = SPACE;
for (const byte of Buffer.from('+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'))
  KINDS[byte] = SCALAR;

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

/** A list or an object that is still open. */
type Open =
  | { readonly kind: 'list'; readonly value: unknown[] }
  | { readonly kind: 'record'; readonly value: Record<string, unknown>; name: string; members: number };

const NOTHING = Buffer.alloc(0);

export class JsonReader {
  readonly #shape: BodyShape;
  readonly #open: Open[] = [];
  #expected: Expected = 'value';
  #root: unknown;
  #names = 0;
  #values = 0;
  /** Offset of the current block in the whole text. */
  #offset = 0;
  /** The end of the previous block: an incomplete token. */
  #rest: Buffer = NOTHING;
  #isInText = false;
  #text = '';
  #hasEscape = false;

  constructor(shape: BodyShape) {
    this.#shape = shape;
  }

  /** True while only white space has arrived. */
  get isEmpty(): boolean {
    return this.#values === 0 && this.#rest.length === 0 && !this.#isInText;
  }

  write(arrived: Buffer): void {
    const block = this.#rest.length === 0 ? arrived : Buffer.concat([this.#rest, arrived]);
    this.#rest = NOTHING;
    let at = 0;
    while (at < block.length) at = this.#isInText ? this.#readText(block, at) : this.#readMark(block, at);
    this.#offset += block.length - this.#rest.length;
  }

  /** Returns the value of the whole text. */
  finish(): unknown {
    // A number at the very end is complete only when another character follows.
    this.write(Buffer.from(' '));
    if (this.#isInText || this.#expected !== 'nothing') throw createMalformedFailure('it ends too early');
    return this.#root;
  }

  #readMark(block: Buffer, at: number): number {
    const byte = block[at] ?? 0;
    const kind = KINDS[byte];
    if (kind === SPACE) return at + 1;
    if (kind === SCALAR) return this.#readScalar(block, at);
    switch (byte) {
      case QUOTE:
        return this.#beginText(at);
      case COMMA:
        this.#require(this.#expected === 'comma or end', at);
        this.#expected = this.#open.at(-1)?.kind === 'record' ? 'name' : 'value';
        return at + 1;
      case COLON:
        this.#require(this.#expected === 'colon', at);
        this.#expected = 'value';
        return at + 1;
      case OPEN_LIST:
      case OPEN_RECORD:
        return this.#openOne(byte, at);
      case CLOSE_LIST:
      case CLOSE_RECORD:
        return this.#closeOne(byte, at);
      default:
        throw this.#createUnexpectedFailure(at, byte);
    }
  }

  #openOne(byte: number, at: number): number {
    this.#requireValue(at);
    this.#countValue();
    if (this.#open.length === this.#shape.depthMax)
      throw fail('body_too_deep', { limit: this.#shape.depthMax });
    const isList = byte === OPEN_LIST;
    const opened: Open = isList
      ? { kind: 'list', value: [] }
      : { kind: 'record', value: {}, name: '', members: 0 };
    this.#placeValue(opened.value);
    this.#open.push(opened);
    this.#expected = isList ? 'value or end' : 'name or end';
    return at + 1;
  }

  #closeOne(byte: number, at: number): number {
    const isList = byte === CLOSE_LIST;
    const empty = isList ? 'value or end' : 'name or end';
    const isRight = this.#open.at(-1)?.kind === (isList ? 'list' : 'record');
    this.#require(isRight && (this.#expected === 'comma or end' || this.#expected === empty), at);
    this.#open.pop();
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma or end';
    return at + 1;
  }

  #readScalar(block: Buffer, at: number): number {
    this.#requireValue(at);
    let end = at + 1;
    while (end < block.length && KINDS[block[end] ?? 0] === SCALAR) end++;
    if (end - at > NUMBER_LENGTH_MAX)
      throw createMalformedFailure(
        `a number at byte ${this.#offset + at} has more than ${NUMBER_LENGTH_MAX} digits`,
      );
    if (end === block.length) {
      this.#rest = Buffer.from(block.subarray(at));
      return end;
    }
    const value = parseScalar(block.toString('latin1', at, end));
    if (value === undefined) throw this.#createUnexpectedFailure(at, block[at]);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw createUnusableFailure(this.#writePath(), 'is a number too large to represent');
    this.#countValue();
    this.#placeValue(value);
    return end;
  }

  #beginText(at: number): number {
    if (this.#expected !== 'name' && this.#expected !== 'name or end') this.#requireValue(at);
    this.#isInText = true;
    this.#text = '';
    this.#hasEscape = false;
    return at + 1;
  }

  #readText(block: Buffer, at: number): number {
    const piece: Piece = findPieceEnd(block, at, this.#offset);
    const text = decodePiece(block, at, piece, this.#offset);
    this.#text = this.#text === '' ? text : this.#text + text;
    this.#hasEscape ||= piece.hasEscape;
    if (!piece.isWhole) {
      this.#rest = Buffer.from(block.subarray(piece.end));
      return block.length;
    }
    this.#isInText = false;
    const isName = this.#expected === 'name' || this.#expected === 'name or end';
    if (isName) this.#addName(this.#text);
    else {
      this.#countValue();
      if (this.#hasEscape) requireStorable(this.#text, this.#writePath());
      this.#placeValue(this.#text);
    }
    this.#text = '';
    return piece.end + 1;
  }

  #addName(name: string): void {
    const open = this.#open.at(-1);
    if (open?.kind !== 'record') throw new Error('a name stands in an object');
    const { namesMax, membersMax } = this.#shape;
    if (++this.#names > namesMax) throw fail('body_too_complex', { limit: namesMax, what: 'names' });
    if (++open.members > membersMax)
      throw fail('body_too_complex', { limit: membersMax, what: 'names in one object' });
    open.name = name;
    if (name === PROTOTYPE) throw createUnusableFailure(this.#writePath(), 'is not a possible name');
    if (this.#hasEscape) requireStorable(name, this.#writePath());
    if (Object.hasOwn(open.value, name)) throw createUnusableFailure(this.#writePath(), 'is given twice');
    this.#expected = 'colon';
  }

  /** Puts a value into its parent. A list or an object is put there before it is filled. */
  #placeValue(value: unknown): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.#root = value;
    else if (open.kind === 'list') open.value.push(value);
    else open.value[open.name] = value;
    this.#expected = open === undefined ? 'nothing' : 'comma or end';
  }

  #countValue(): void {
    if (++this.#values > this.#shape.valuesMax)
      throw fail('body_too_complex', { limit: this.#shape.valuesMax, what: 'values' });
  }

  #requireValue(at: number): void {
    this.#require(this.#expected === 'value' || this.#expected === 'value or end', at);
  }

  #require(isExpected: boolean, at: number): void {
    if (!isExpected) throw this.#createUnexpectedFailure(at);
  }

  #createUnexpectedFailure(at: number, byte = 0): Failure {
    const offset = this.#offset + at;
    // Bytes that start no UTF-8 character mean another encoding, not a typing error in the JSON.
    const isForeign = (byte >= 0x80 && byte < 0xc2) || byte > 0xf4;
    if (isForeign) return fail('body_not_utf8', { offset });
    return createMalformedFailure(`unexpected text at byte ${offset}`);
  }

  /** Path of the current value, such as `experiment_spec.sequences.design-1`. */
  #writePath(): string {
    const last = this.#open.length - 1;
    return this.#open
      .map((open, depth) => {
        if (open.kind === 'record') return open.name;
        // An open value inside a list is an item of it already.
        return depth === last ? open.value.length : open.value.length - 1;
      })
      .join('.');
  }
}

/** Reads a short text that has arrived completely. */
export function parseJson(text: string): unknown {
  const reader = new JsonReader(SMALL_SHAPE);
  reader.write(Buffer.from(text));
  return reader.finish();
}

/** Returns `undefined` when the text is no scalar; JSON has no such value. */
function parseScalar(text: string): boolean | null | number | undefined {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  return NUMBER.test(text) ? Number(text) : undefined;
}

function createMalformedFailure(reason: string): Failure {
  return fail('malformed_json', { reason });
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair; in valid UTF-8 only an escape can produce them. */
function requireStorable(text: string, path: string): void {
  if (!text.includes('\u0000') && text.isWellFormed()) return;
  throw createUnusableFailure(
    path,
    'contains a character that cannot be stored (U+0000 or half of a surrogate pair)',
  );
}

function createUnusableFailure(path: string, message: string): Failure {
  const shown = path.toWellFormed().replaceAll('\u0000', '?');
  const problems = [{ path: shown, message }];
  return fail('invalid_request', { reason: `${shown}: ${message}.` }, { problems });
}
