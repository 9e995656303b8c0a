import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { createFullDiskError } from '#testing/full-disk.ts';
import { toFailure } from './errors.ts';

for (const code of ['ENOSPC', 'EDQUOT'] as const)
  test(`disk_full: a write fails with ${code} → 503 with Retry-After, and the log says what to do`, () => {
    const failure = toFailure(new Error('no room in /data', { cause: createFullDiskError(code) }));
    assert.deepEqual([failure.status, failure.code], [503, 'disk_full']);
    assert.equal(failure.headers['retry-after'], '60');
    assert.equal(failure.detail, 'no room in /data: make room on that disk, or raise the quota.');
  });

test('disk_full: the disk of the database is full → 503 with the wait of the database, and the log names it', () => {
  const cause = Object.assign(new Error('could not extend file'), { code: '53100' });
  const noWrites = 'its disk is full; free space on the disk of the database';
  const error = new DatabaseUnavailableError('full', { cause, noWrites, retryAfterSeconds: 10 });
  const failure = toFailure(error);
  assert.deepEqual([failure.status, failure.code], [503, 'disk_full']);
  assert.equal(failure.headers['retry-after'], '10');
  assert.equal(failure.detail, `The database takes no writes: ${noWrites}.`);
});
