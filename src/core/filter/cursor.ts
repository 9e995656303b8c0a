import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { FilterError } from './errors.ts';
import { limits } from './limits.ts';
import type { RowKeys } from './order.ts';

/** The context of a cursor: the same list in the same order under the same filter. */
export interface CursorContext {
  readonly sort: string;
  readonly filter: string;
}

export interface CursorSigner {
  sign(context: CursorContext, keys: RowKeys): string;
  /** Returns the keys; throws a FilterError for a cursor that was altered or made for another sort or filter. */
  open(context: CursorContext, cursor: string): RowKeys;
}

const version = 1;
const macBytes = 16;
const shortestKeyBytes = 16;

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

function createCursorError(message: string): FilterError {
  return new FilterError({ code: 'cursor_invalid', path: 'cursor', message });
}

interface Payload {
  readonly s: string;
  readonly f: string;
  readonly k: RowKeys;
}

function isRowKeys(value: unknown): value is RowKeys {
  return Array.isArray(value) && value.every((key) => key === null || typeof key === 'string');
}

function isPayload(value: unknown): value is Payload {
  if (typeof value !== 'object' || value === null) return false;
  const { s, f, k } = value as Partial<Record<keyof Payload, unknown>>;
  return typeof s === 'string' && typeof f === 'string' && isRowKeys(k);
}

/** Cursors are opaque to clients and signed, so keys that a client made up never reach a statement. */
export function createCursorSigner(secret: Uint8Array): CursorSigner {
  if (secret.length < shortestKeyBytes)
    throw new Error(`a cursor key has at least ${shortestKeyBytes} bytes`);
  // A key of bytes would be prepared anew for each cursor, which takes longer than the signature.
  const key = createSecretKey(secret);
  const computeMac = (body: Buffer): Buffer =>
    createHmac('sha256', key).update('list cursor\n').update(body).digest().subarray(0, macBytes);

  const verifyCursor = (cursor: string): Payload => {
    const bytes = cursor.length <= limits.cursorBytes ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    const genuine = bytes.length > macBytes + 1 && bytes.toString('base64url') === cursor;
    const body = bytes.subarray(macBytes);
    if (!genuine || !timingSafeEqual(computeMac(body), bytes.subarray(0, macBytes)) || body[0] !== version) {
      throw createCursorError(
        'is not a cursor of this service; pass the "next" of the page before it, unchanged.',
      );
    }
    const payload: unknown = JSON.parse(body.subarray(1).toString('utf8'));
    if (!isPayload(payload)) throw new Error('a signed cursor has the wrong content');
    return payload;
  };

  return {
    sign(context, keys) {
      const payload: Payload = { s: computeDigest(context.sort), f: computeDigest(context.filter), k: keys };
      const body = Buffer.concat([Buffer.from([version]), Buffer.from(JSON.stringify(payload))]);
      return Buffer.concat([computeMac(body), body]).toString('base64url');
    },
    open(context, cursor) {
      const payload = verifyCursor(cursor);
      if (payload.s !== computeDigest(context.sort)) {
        throw createCursorError(
          'belongs to another sort; repeat the sort it came from, or start without a cursor.',
        );
      }
      if (payload.f !== computeDigest(context.filter)) {
        throw createCursorError(
          'belongs to another filter; repeat the filter it came from, or start without a cursor.',
        );
      }
      return payload.k;
    },
  };
}
