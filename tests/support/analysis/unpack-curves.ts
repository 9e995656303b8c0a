/** Curves as an analysis in this thread packed them, as text. */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { KeptCurves } from '#analysis/curves/packed-curves.ts';

export function unpackCurves(members: readonly KeptCurves[]): string {
  const bytes = members.map((member) => {
    assert.ok(member instanceof Uint8Array, 'curves of an analysis in this thread stay in memory');
    return member;
  });
  return gunzipSync(Buffer.concat(bytes)).toString('utf8');
}
