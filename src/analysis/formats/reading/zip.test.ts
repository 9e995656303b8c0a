import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FormatError } from '../../failures/errors.ts';
import { findPublished } from '#testing/analysis/published-data.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import { parseTraces } from '../parse.ts';
import { isZip, unzip } from './zip.ts';

const FILES = [toFile('a folder/one.txt', 'one '.repeat(50)), toFile('two.txt', '2')];

test('zip: stored and deflated entries → read under their names', () => {
  for (const method of [0, 8] as const) {
    const archive = createZip([...FILES, toFile('__MACOSX/._one.txt', 'x')], method);
    assert.ok(isZip(archive));
    assert.deepEqual(
      unzip(archive).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
      FILES.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    );
  }
});

test('zip: truncation at any byte, or a flipped byte → a FormatError', () => {
  const archive = createZip(FILES);
  for (let length = 4; length < archive.bytes.length; length += 1) {
    assert.throws(
      () => unzip({ ...archive, bytes: archive.bytes.subarray(0, length) }),
      FormatError,
      `cut at ${length}`,
    );
  }
  for (let at = 0; at < archive.bytes.length; at += 1) {
    const bytes = Uint8Array.from(archive.bytes);
    bytes[at] ^= 0x5a;
    try {
      for (const file of unzip({ ...archive, bytes })) void file.bytes;
    } catch (error) {
      assert.ok(error instanceof FormatError, `byte ${at}: ${String(error)}`);
    }
  }
});

test('zip: a published tray in a folder with blanks → read like its unpacked files', (context) => {
  const path = findPublished(context, 'titrationanalysis/bli_tray1.zip');
  if (path === null) return;
  const [set] = parseTraces([{ name: 'bli_tray1.zip', bytes: readFileSync(path) }]);
  assert.equal(set.plate, 'BLI Example Tray 1');
  assert.equal(set.traces.length, 14);
  assert.ok(set.traces.every((trace) => trace.steps[0].timeS.length === 6000));
});
