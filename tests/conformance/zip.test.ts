import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { createZipStream } from '#adapters/archive/zip.ts';
import type { ArchiveEntry, WrittenEntry } from '#core/archive.ts';

const AT = new Date('2026-01-25T09:00:00Z');

async function createArchive(
  entries: readonly ArchiveEntry[],
): Promise<{ bytes: Buffer; written: WrittenEntry[] }> {
  const written: WrittenEntry[] = [];
  async function* yieldAll() {
    yield* entries;
  }
  const stream = createZipStream(yieldAll(), { modifiedAt: AT, onWritten: (entry) => written.push(entry) });
  return { bytes: await buffer(stream), written };
}

async function* yieldPieces() {
  yield 'one\n';
  yield Buffer.from('two\n');
}

test('zip: an archive is written → its files read back, and its digest is that of the content', async () => {
  const { bytes, written } = await createArchive([
    { path: 'a.txt', content: 'α and β', compress: true },
    { path: 'folder/b.bin', content: new Uint8Array([1, 2, 3]), compress: false },
    { path: 'streamed.txt', content: yieldPieces(), compress: true },
  ]);
  const files = new Map(
    unzip({ name: 'archive.zip', bytes }).map((file) => [file.name, Buffer.from(file.bytes)]),
  );
  assert.equal(files.get('a.txt')?.toString('utf8'), 'α and β');
  assert.deepEqual([...(files.get('folder/b.bin') ?? [])], [1, 2, 3]);
  assert.equal(files.get('streamed.txt')?.toString('utf8'), 'one\ntwo\n');
  for (const { path, bytes: size, sha256 } of written) {
    const content = files.get(path) ?? Buffer.alloc(0);
    assert.equal(size, content.length);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
  }
});

test('zip: the same content twice → the same bytes', async () => {
  const entries = [{ path: 'a.txt', content: 'same', compress: true }];
  assert.deepEqual((await createArchive(entries)).bytes, (await createArchive(entries)).bytes);
});

test('zip: an archive has two thousand entries → it keeps no buffers of those that are written', async () => {
  setFlagsFromString('--expose-gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the flag gives every context this function
  const collectGarbage = runInNewContext('gc') as () => void;
  const heldMb: number[] = [];
  async function* yieldMany(): AsyncGenerator<ArchiveEntry> {
    for (let index = 0; index <= 2_000; index += 1) {
      yield { path: `${index}.txt`, content: 'x'.repeat(1_000), compress: true };
      if (index % 1_000 !== 0) continue;
      // What a stream holds outside the heap is freed in a later turn.
      for (let round = 0; round < 10; round += 1) {
        collectGarbage();
        await new Promise(setImmediate);
      }
      heldMb.push(process.memoryUsage().arrayBuffers / 1e6);
    }
  }
  const stream = createZipStream(yieldMany(), { modifiedAt: AT, onWritten: () => undefined });
  for await (const chunk of stream) assert.ok(chunk.length > 0);
  const [first = 0, , last = Number.NaN] = heldMb;
  assert.ok(last - first < 20, `${heldMb.map((mb) => mb.toFixed(0)).join(', ')} MB`);
});

test('zip: an entry fails → the stream fails instead of ending early', async () => {
  async function* yieldAndFail(): AsyncGenerator<string> {
    yield 'begun';
    throw new Error('the disk is gone');
  }
  await assert.rejects(
    createArchive([{ path: 'a', content: yieldAndFail(), compress: true }]),
    /the disk is gone/,
  );
});

test('zip: the reader goes away → the writer stops', async () => {
  const state = { ended: false };
  async function* yieldEndlessly(): AsyncGenerator<string> {
    try {
      for (;;) yield 'x'.repeat(65_536);
    } finally {
      state.ended = true;
    }
  }
  async function* yieldAll(): AsyncGenerator<ArchiveEntry> {
    yield { path: 'endless', content: yieldEndlessly(), compress: false };
  }
  const stream = createZipStream(yieldAll(), { modifiedAt: AT, onWritten: () => undefined });
  stream.on('error', () => undefined);
  await new Promise((resolve) => {
    stream.once('data', resolve);
  });
  stream.destroy();
  for (let turn = 0; turn < 1_000 && !state.ended; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  assert.equal(state.ended, true);
});
