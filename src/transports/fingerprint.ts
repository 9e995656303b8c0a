/** The fingerprint that identifies a repeated request under its `Idempotency-Key`. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Principal } from '#core/principal.ts';
import type { AnyInput } from '#features/binding.ts';

/** Hashing this much takes about a millisecond. */
const SLICE_CHARACTERS = 512 * 1024;

/** Requests are the same when caller, operation, path, query in any order, body or file, and rail are the same. */
export async function computeFingerprint(
  operationId: string,
  input: AnyInput,
  caller: Principal,
): Promise<string> {
  const rail = input.headers['payment-method'] ?? '';
  const content = input.upload?.sha256 ?? input.body ?? null;
  const query = Object.entries(input.query).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // A request without a query keeps the fingerprint of the versions that left it out.
  const parts = [
    caller.tokenId,
    operationId,
    input.params,
    content,
    rail,
    ...(query.length > 0 ? [query] : []),
  ];
  const text = JSON.stringify(parts);
  const hash = createHash('sha256');
  for (let at = 0; at < text.length;) {
    if (at > 0) await setImmediate();
    const end = findSliceEnd(text, at);
    hash.update(text.slice(at, end));
    at = end;
  }
  return hash.digest('hex');
}

/** A character beyond the basic plane has two code units, which must not be split: half of it has no bytes. */
function findSliceEnd(text: string, at: number): number {
  const end = at + SLICE_CHARACTERS;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isSplit ? end + 1 : end;
}
