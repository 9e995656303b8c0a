import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from './sealer.ts';

const key = randomBytes(32);
const sealer = createSealer(key);

test('sealer: a text is sealed twice → each opens to the text, and they differ', () => {
  for (const text of ['', 'asy_test_…', '{"token":"π"}'.repeat(1_000)]) {
    assert.equal(sealer.open(sealer.seal(text)), text);
    assert.notEqual(sealer.seal(text), sealer.seal(text));
  }
});

test('sealer: a changed byte, or another key → refused', () => {
  const sealed = Buffer.from(sealer.seal('secret'), 'base64');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open(changed.toString('base64')));
  }
  assert.throws(() => createSealer(randomBytes(32)).open(sealed.toString('base64')));
});
