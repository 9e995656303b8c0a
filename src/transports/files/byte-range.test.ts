import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { selectBytes, type Selection } from './byte-range.ts';

const FILE = { etag: '"abc"', modifiedAt: new Date('2026-03-02T09:00:00.750Z'), sizeBytes: 1_000 };
const WHOLE = { status: 200 };
const DATE = 'Mon, 02 Mar 2026 09:00:00 GMT';

const select = (headers: IncomingHttpHeaders, method = 'GET'): Selection =>
  selectBytes({ method, headers }, FILE);
const cut = (first: number, last: number) => ({ status: 206, slice: { first, last } });

test('range: one range of bytes → exactly these, and none beyond the end', () => {
  assert.deepEqual(select({ range: 'bytes=0-99' }), cut(0, 99));
  assert.deepEqual(select({ range: 'bytes=990-' }), cut(990, 999));
  assert.deepEqual(select({ range: 'bytes=900-5000' }), cut(900, 999));
  assert.deepEqual(select({ range: 'bytes=-10' }), cut(990, 999));
  assert.deepEqual(select({ range: 'bytes=-5000' }), cut(0, 999));
});

test('range: no byte of it exists → 416', () => {
  for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])
    assert.deepEqual(select({ range }), { status: 416 }, range);
});

test('range: several, backwards, of another unit or malformed → the whole file', () => {
  for (const range of ['bytes=0-1,5-6', 'bytes=9-2', 'items=0-5', 'bytes=-', 'bytes=a-b', 'bytes=1e3-'])
    assert.deepEqual(select({ range }), WHOLE, range);
});

test('If-Range: the same strong tag or date → the range; another, or a weak tag → the whole file', () => {
  const range = 'bytes=500-';
  for (const ifRange of ['"abc"', DATE])
    assert.deepEqual(select({ range, 'if-range': ifRange }), cut(500, 999), ifRange);
  for (const ifRange of ['"old"', 'W/"abc"', 'Mon, 02 Mar 2026 09:00:01 GMT', 'nonsense'])
    assert.deepEqual(select({ range, 'if-range': ifRange }), WHOLE, ifRange);
});

test('If-None-Match and If-Modified-Since: the client has the file → 304, and the tag decides before the date', () => {
  for (const tags of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
    assert.deepEqual(select({ 'if-none-match': tags }), { status: 304 }, tags);
  assert.deepEqual(select({ 'if-modified-since': DATE }), { status: 304 });
  assert.deepEqual(select({ 'if-none-match': '"old"', 'if-modified-since': DATE }), WHOLE);
});

test('If-Match: the file is another one → 412', () => {
  assert.deepEqual(select({ 'if-match': '"old"' }), { status: 412 });
  assert.deepEqual(select({ 'if-match': '"abc"' }), WHOLE);
  assert.deepEqual(select({ 'if-match': 'W/"abc"' }), { status: 412 });
  assert.deepEqual(select({ 'if-match': 'W/"abc", "abc"' }), WHOLE);
});

test('range: the method is HEAD → the whole file, because Range is defined for GET alone', () => {
  for (const range of ['bytes=0-99', 'bytes=1000-'])
    assert.deepEqual(select({ range }, 'HEAD'), WHOLE, range);
  assert.deepEqual(select({ range: 'bytes=0-99', 'if-none-match': '"abc"' }, 'HEAD'), { status: 304 });
});
