import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectBytes } from './byte-range.ts';

const FILE = { etag: '"abc"', modifiedAt: new Date('2026-03-02T09:00:00.750Z'), sizeBytes: 1_000 };
const WHOLE = { status: 200 };
const DATE = 'Mon, 02 Mar 2026 09:00:00 GMT';

const cut = (first: number, last: number) => ({ status: 206, slice: { first, last } });

test('range: one range of bytes → exactly these, and none beyond the end', () => {
  assert.deepEqual(selectBytes({ range: 'bytes=0-99' }, FILE), cut(0, 99));
  assert.deepEqual(selectBytes({ range: 'bytes=990-' }, FILE), cut(990, 999));
  assert.deepEqual(selectBytes({ range: 'bytes=900-5000' }, FILE), cut(900, 999));
  assert.deepEqual(selectBytes({ range: 'bytes=-10' }, FILE), cut(990, 999));
  assert.deepEqual(selectBytes({ range: 'bytes=-5000' }, FILE), cut(0, 999));
});

test('range: no byte of it exists → 416', () => {
  for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])
    assert.deepEqual(selectBytes({ range }, FILE), { status: 416 }, range);
});

test('range: several, backwards, of another unit or malformed → the whole file', () => {
  for (const range of ['bytes=0-1,5-6', 'bytes=9-2', 'items=0-5', 'bytes=-', 'bytes=a-b', 'bytes=1e3-'])
    assert.deepEqual(selectBytes({ range }, FILE), WHOLE, range);
});

test('If-Range: the same strong tag or date → the range; another, or a weak tag → the whole file', () => {
  const range = 'bytes=500-';
  for (const ifRange of ['"abc"', DATE])
    assert.deepEqual(selectBytes({ range, 'if-range': ifRange }, FILE), cut(500, 999), ifRange);
  for (const ifRange of ['"old"', 'W/"abc"', 'Mon, 02 Mar 2026 09:00:01 GMT', 'nonsense'])
    assert.deepEqual(selectBytes({ range, 'if-range': ifRange }, FILE), WHOLE, ifRange);
});

test('If-None-Match and If-Modified-Since: the client has the file → 304, and the tag decides before the date', () => {
  for (const tags of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
    assert.deepEqual(selectBytes({ 'if-none-match': tags }, FILE), { status: 304 }, tags);
  assert.deepEqual(selectBytes({ 'if-modified-since': DATE }, FILE), { status: 304 });
  assert.deepEqual(selectBytes({ 'if-none-match': '"old"', 'if-modified-since': DATE }, FILE), WHOLE);
});

test('If-Match: the file is another one → 412', () => {
  assert.deepEqual(selectBytes({ 'if-match': '"old"' }, FILE), { status: 412 });
  assert.deepEqual(selectBytes({ 'if-match': '"abc"' }, FILE), WHOLE);
});
