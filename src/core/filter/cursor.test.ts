import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCursorSigner } from './cursor.ts';
import { FilterError } from './errors.ts';

const signer = createCursorSigner(Buffer.alloc(32, 1));
const context = { sort: 'desc(created_at)', filter: 'eq(status,draft)' };
const keys = ['2026-01-01T00:00:00.000001', null, "it's 日本"];

function expectRefused(cursor: string, says: RegExp, at = context): void {
  assert.throws(
    () => signer.open(at, cursor),
    (error) => error instanceof FilterError && error.code === 'cursor_invalid' && says.test(error.message),
  );
}

describe('cursors', () => {
  it('cursor: signed and opened → the same keys', () => {
    const cursor = signer.sign(context, keys);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(signer.open(context, cursor), keys);
  });

  it('cursor_invalid: any changed character → refused', () => {
    const cursor = signer.sign(context, keys);
    for (let index = 0; index < cursor.length; index += 1) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      expectRefused(cursor.slice(0, index) + other + cursor.slice(index + 1), /not a cursor of this service/);
    }
    expectRefused(cursor.slice(0, -1), /not a cursor/);
    expectRefused(`${cursor}=`, /not a cursor/);
    expectRefused(`${cursor}A`, /not a cursor/);
    for (const junk of ['', 'x', '%%%', 'A'.repeat(100), 'A'.repeat(100_000)])
      expectRefused(junk, /not a cursor/);
  });

  it('cursor_invalid: another signing key, sort or filter → refused', () => {
    const cursor = signer.sign(context, keys);
    expectRefused(createCursorSigner(Buffer.alloc(32, 2)).sign(context, keys), /not a cursor/);
    expectRefused(cursor, /another sort/, { ...context, sort: 'asc(created_at)' });
    expectRefused(cursor, /another filter/, { ...context, filter: '' });
  });

  it('cursor signer: a key that is too short → refused at the start', () => {
    assert.throws(() => createCursorSigner(Buffer.alloc(8)), /at least 16 bytes/);
  });
});
