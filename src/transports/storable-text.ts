/**
 * Rejects text that the database cannot store, on every route: U+0000, half of a surrogate pair, and bytes that are
 * not UTF-8, in the path, the query and a form. The JSON reader does the same for JSON bodies.
 */
import type { FastifyRequest } from 'fastify';
import { fail, type Failure } from '#core/failures.ts';

const REPLACEMENT = '\ufffd';
const SENT_REPLACEMENT = /%EF%BF%BD|\ufffd/gi;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const NAME_SHOWN_MAX = 60;

export function requireStorableRequest(request: FastifyRequest): void {
  const { params, body, url } = request;
  if (typeof params === 'object' && params !== null) {
    for (const [name, value] of Object.entries(params)) requireStorable(name, value);
  }
  const at = url.indexOf('?');
  if (at >= 0) requireStorablePairs(url.slice(at + 1), 'the query');
  if (typeof body === 'string' && FORM.test(request.headers['content-type'] ?? ''))
    requireStorablePairs(body, 'the form');
}

/** Checks names and values of a query or a form in their encoded form. */
export function requireStorablePairs(encoded: string, what: string): void {
  const pairs = [...new URLSearchParams(encoded)];
  for (const [name, value] of pairs) {
    requireStorable(name, name);
    requireStorable(name, value);
  }
  if (hasReplacement(pairs) && hasReplacement([...new URLSearchParams(removeSentReplacements(encoded))]))
    throw createUnstorableFailure(what, 'is not UTF-8, percent-encoded');
}

/** Decoding replaces invalid UTF-8 by U+FFFD. */
function hasReplacement(pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.some(([name, value]) => name.includes(REPLACEMENT) || value.includes(REPLACEMENT));
}

/** A client may send U+FFFD itself; it is an ordinary character. */
function removeSentReplacements(encoded: string): string {
  return encoded.replaceAll(SENT_REPLACEMENT, '-');
}

export function requireStorable(name: string, value: unknown): void {
  if (typeof value !== 'string' || (!value.includes('\u0000') && value.isWellFormed())) return;
  throw createUnstorableFailure(name, 'contains a character that cannot be stored');
}

function createUnstorableFailure(name: string, message: string): Failure {
  const path = name.replaceAll('\u0000', '?').slice(0, NAME_SHOWN_MAX).toWellFormed();
  return fail('invalid_request', { reason: `${path}: ${message}.` }, { problems: [{ path, message }] });
}
