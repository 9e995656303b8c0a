import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remember } from './remember.ts';

test('remember: asked twice → made once, at the first time, even where it is undefined', () => {
  let count = 0;
  const read = remember(() => void (count += 1));
  assert.equal(count, 0);
  read();
  read();
  assert.equal(count, 1);
});

test('remember: the first attempt throws → the next one tries again', () => {
  let count = 0;
  const read = remember(() => {
    count += 1;
    if (count === 1) throw new Error('not yet');
    return count;
  });
  assert.throws(read, /not yet/);
  assert.equal(read(), 2);
});
