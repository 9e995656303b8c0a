import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { joinPackedCurves } from './packed-curves.ts';

test('packed curves: the parts of several replicates → joined into one JSON document', () => {
  const parts = ['{"replicate":1},{"replicate":1}', '{"replicate":2}', '{"replicate":3}'].map((text) => [
    gzipSync(text),
  ]);
  for (const [count, expected] of [
    [0, []],
    [1, [1, 1]],
    [3, [1, 1, 2, 3]],
  ] as const) {
    const joined = joinPackedCurves('n"m', parts.slice(0, count));
    assert.deepEqual(JSON.parse(gunzipSync(Buffer.concat(joined)).toString('utf8')), {
      signal_unit: 'n"m',
      curves: expected.map((replicate) => ({ replicate })),
    });
  }
});
