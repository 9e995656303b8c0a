import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { FormatError } from '../errors.ts';
import { toFile } from '../testing/synthetic.ts';
import { parseTraces } from './parse.ts';
import { isZip, unzip } from './zip.ts';
import type { InputFile } from './text.ts';

/** Packs files the plain way: local entries, central directory, end record. */
function zip(files: InputFile[], method: 0 | 8 = 8): InputFile {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const data = method === 8 ? deflateRawSync(file.bytes) : Buffer.from(file.bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(file.bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(file.bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return { name: 'upload.zip', bytes: Buffer.concat([...locals, directory, end]) };
}

const FILES = [toFile('a folder/one.txt', 'one '.repeat(50)), toFile('two.txt', '2')];

test('zip: stored and deflated entries come back under their names', () => {
  for (const method of [0, 8] as const) {
    const archive = zip([...FILES, toFile('__MACOSX/._one.txt', 'x')], method);
    assert.ok(isZip(archive));
    assert.deepEqual(
      unzip(archive).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
      FILES.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    );
  }
});

test('zip: truncation at every byte and every flipped data byte is an error', () => {
  const archive = zip(FILES);
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
      unzip({ ...archive, bytes });
    } catch (error) {
      assert.ok(error instanceof FormatError, `byte ${at}: ${String(error)}`);
    }
  }
});

test('zip: a published tray in a folder with blanks is read like its unpacked files', (context) => {
  const path = fileURLToPath(
    new URL('../../../../shared/data/titrationanalysis/bli_tray1.zip', import.meta.url),
  );
  if (!existsSync(path)) {
    context.skip(`test data are missing: ${path}`);
    return;
  }
  const [set] = parseTraces([{ name: 'bli_tray1.zip', bytes: readFileSync(path) }]);
  assert.equal(set.plate, 'BLI Example Tray 1');
  assert.equal(set.traces.length, 14);
  assert.ok(set.traces.every((trace) => trace.steps[0].timeS.length === 6000));
});
