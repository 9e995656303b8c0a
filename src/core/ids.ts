/** Identifiers from injected time and randomness. UUIDv7 (RFC 9562 §5.7) sorts by creation time. */
import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

export type RandomBytes = (size: number) => Uint8Array;

const DRAWN_BYTES = 4_096;
let drawn = randomBytes(DRAWN_BYTES);
let used = 0;

/** The system's generator, read in large portions: a call costs far more than the bytes of one id. */
const drawSystemRandom: RandomBytes = (size) => {
  if (size > DRAWN_BYTES) return randomBytes(size);
  if (used + size > DRAWN_BYTES) {
    drawn = randomBytes(DRAWN_BYTES);
    used = 0;
  }
  used += size;
  return drawn.subarray(used - size, used);
};

export interface Ids {
  createUuid(): string;
  createRequestId(): string;
  createQuoteId(): string;
  createExternalInvoiceId(): string;
  /** Returns an unguessable name for a link: 128 bits, base64url. */
  createSecret(): string;
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

export function createIds(clock: Clock, random: RandomBytes = drawSystemRandom): Ids {
  let lastMs = 0;
  let sequence = 0;

  // rand_a holds a counter within the millisecond, so that ids made by one process are strictly ordered.
  function createUuid(): string {
    const nowMs = clock.now().getTime();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else if (++sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
    const tail = Buffer.from(random(8));
    tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
    const time = lastMs.toString(16).padStart(12, '0');
    const rest = tail.toString('hex');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${rest.slice(0, 4)}-${rest.slice(4)}`;
  }

  const createToken = (size: number): string => Buffer.from(random(size)).toString('base64url');
  return {
    createUuid,
    createRequestId: () => `req_${createUuid()}`,
    createQuoteId: () => `qt_${createUuid().replaceAll('-', '')}`,
    createExternalInvoiceId: () => `in_${createUuid().replaceAll('-', '')}`,
    createSecret: () => createToken(16),
  };
}
