import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFailure } from './errors.ts';

for (const code of ['ENOSPC', 'EDQUOT'])
  test(`overloaded: a file cannot be written because of ${code} → 503 with Retry-After, and the log says why`, () => {
    const failure = toFailure(Object.assign(new Error(`${code}: write`), { code }));
    assert.deepEqual([failure.status, failure.code], [503, 'overloaded']);
    assert.equal(failure.headers['retry-after'], '60');
    assert.match(failure.detail ?? '', /disk of the raw files is full/);
  });
