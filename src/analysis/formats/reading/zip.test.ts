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

test('zip: names that begin with ./ or ../, or have backslashes → read; hidden files and folders → left out', () => {
  const names = ['./one.txt', '../../two.txt', '/three.txt', '..\\four.txt', 'a\\five.txt'];
  const hidden = ['.DS_Store', 'a/.six.txt', '.git/seven.txt', '__MACOSX/eight.txt', 'a\\.nine.txt'];
  const archive = createZip([...names, ...hidden].map((name) => toFile(name, name)));
  assert.deepEqual(
    unzip(archive).map(({ name }) => name),
    names,
  );
});

test('zip: nothing but hidden files, or no entry → refused by the name of the archive', () => {
  for (const files of [[], [toFile('.one.txt', '1')]])
    assert.throws(() => unzip(createZip(files)), /^FormatError: upload\.zip: expected at least one file/);
});

test('zip: the end record counts fewer entries than the list has → refused', () => {
  const archive = createZip(FILES);
  const bytes = Buffer.from(archive.bytes);
  bytes.writeUInt16LE(1, bytes.length - 12);
  assert.throws(() => unzip({ ...archive, bytes }), /expected a list of 1 entry/);
});

test('zip: a name with a zero byte → refused; a name of 60,000 characters → shortened in the message', () => {
  assert.throws(
    () => unzip(createZip([toFile('p\0q.csv', 'x')])),
    /without control characters, found p\ufffdq/,
  );
  const long = createZip([toFile(`${'x'.repeat(60_000)}.csv`, 'x')]);
  assert.throws(
    () => parseTraces([long]),
    (error) => error instanceof FormatError && error.message.length < 1_000,
  );
});

test('zip: the first bytes of an entry of zeros → unpacked from few packed bytes', () => {
  const [entry] = unzip(createZip([toFile('zeros.csv', '0'.repeat(20_000_000))]));
  const head = entry.readRange?.(0, 2_048);
  assert.equal(head?.length, 2_048);
  assert.ok(head.buffer.byteLength < 200_000, `${head.buffer.byteLength} bytes`);
});

test('zip: the first bytes of a text that packs badly → as many as asked for', () => {
  const text = Array.from({ length: 4_000 }, (_, i) => Math.sin(i * i).toString(36)).join();
  const [entry] = unzip(createZip([toFile('text.csv', text)]));
  assert.equal(Buffer.from(entry.readRange?.(0, 2_048) ?? []).toString(), text.slice(0, 2_048));
});
