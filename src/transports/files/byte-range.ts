/** Which bytes of a kept file a request gets: ranges and conditions of HTTP (RFC 9110, sections 13 and 14). */
import type { IncomingHttpHeaders } from 'node:http';

export interface FileFacts {
  /** A strong entity tag, in its quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly sizeBytes: number;
}

/** The bytes of the file from `first` to `last`, both included. */
export interface Slice {
  readonly first: number;
  readonly last: number;
}

export interface RangeRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

export type Selection =
  | { readonly status: 200 }
  | { readonly status: 206; readonly slice: Slice }
  /** The client has these bytes already, has others than it thinks, or asks for bytes beyond the end. */
  | { readonly status: 304 | 412 | 416 };

const SINGLE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;

/** Several ranges at once, other units and whatever is malformed get the whole file, as the RFC allows. */
export function selectBytes({ method, headers }: RangeRequest, file: FileFacts): Selection {
  const { 'if-match': wanted } = headers;
  // A weak tag matches nothing here (RFC 9110, section 13.1.1).
  if (wanted !== undefined && !hasTag(wanted.replaceAll(/W\/"[^"]*"/g, ''), file.etag))
    return { status: 412 };
  if (isUnchanged(headers, file)) return { status: 304 };
  const { range } = headers;
  // Range is defined for GET alone (RFC 9110, section 14.2).
  if (method !== 'GET' || range === undefined || !isSameFile(headers['if-range'], file))
    return { status: 200 };
  const match = SINGLE_RANGE.exec(range.trim());
  if (match === null) return { status: 200 };
  const [, from, to, suffix] = match;
  const slice = suffix === undefined ? cut(from, to, file) : cutEnd(suffix, file);
  if (slice === 'malformed') return { status: 200 };
  return slice === null ? { status: 416 } : { status: 206, slice };
}

function cut(from = '', to = '', { sizeBytes }: FileFacts): Slice | 'malformed' | null {
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Number(to);
  if (last < first && to !== '') return 'malformed';
  return first >= sizeBytes ? null : { first, last: Math.min(last, sizeBytes - 1) };
}

function cutEnd(length: string, { sizeBytes }: FileFacts): Slice | null {
  const bytes = Math.min(Number(length), sizeBytes);
  return bytes === 0 ? null : { first: sizeBytes - bytes, last: sizeBytes - 1 };
}

function isUnchanged(headers: IncomingHttpHeaders, { etag, modifiedAt }: FileFacts): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return hasTag(tags, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Number.isFinite(since) && toSeconds(modifiedAt) <= since;
}

/** A part is only joined to what the client has where both are of one file: by a strong tag or by the exact date. */
function isSameFile(ifRange: string | string[] | undefined, { etag, modifiedAt }: FileFacts): boolean {
  if (typeof ifRange !== 'string') return ifRange === undefined;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return Date.parse(ifRange) === toSeconds(modifiedAt);
}

function hasTag(header: string, etag: string): boolean {
  return (
    header.trim() === '*' ||
    [...header.matchAll(/(?:W\/)?"[^"]*"/g)].some(([tag]) => tag.replace(/^W\//, '') === etag)
  );
}

/** Dates of HTTP have no fractions of a second. */
function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000) * 1_000;
}
