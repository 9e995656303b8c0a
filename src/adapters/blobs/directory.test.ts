import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createFillingFiles, fillDisk, isRoot, createSmallDisk } from '#testing/full-disk.ts';
import { createDirectoryBlobs } from './directory.ts';

const root = await mkdtemp(join(tmpdir(), 'blobs-'));
after(() => rm(root, { recursive: true, force: true }));

test('raw files: an upload was left behind by a crash an hour ago → a service that goes on removes it a day later', async () => {
  const blobs = createDirectoryBlobs(root);
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  await blobs.put(Buffer.from('before'));
  const incoming = join(root, 'incoming');
  await writeFile(join(incoming, 'left-behind'), 'half of a file');
  await blobs.put(Buffer.from('at once'));
  assert.deepEqual(await readdir(incoming), ['left-behind']);
  mock.timers.tick(DAY_MS + 60_000);
  await blobs.put(Buffer.from('a day later'));
  assert.deepEqual(await readdir(incoming), []);
  mock.timers.reset();
});

for (const error of ['ENOSPC', 'EDQUOT'] as const)
  for (const at of ['staging', 'keeping'] as const)
    test(`raw files: ${error} while ${at} → the error names the directory, nothing is stored, and the disk counts as full for a minute`, async () => {
      const directory = join(root, `${error}-${at}`);
      const disk = createFillingFiles();
      let nowMs = 0;
      const blobs = createDirectoryBlobs(directory, { files: disk.files, now: () => nowMs });
      await blobs.put(Buffer.from('with room'));
      assert.equal(blobs.isDiskFull(), false);
      disk.fault = { error, at };
      await assert.rejects(
        blobs.put(Buffer.from('without room')),
        new RegExp(`no room for raw files in ${directory}`),
      );
      assert.equal(blobs.isDiskFull(), true);
      nowMs += 60_000;
      assert.equal(blobs.isDiskFull(), false);
    });

/** Without root the file system of the tests above stands in for the disk. */
if (isRoot)
  test('raw files: a small disk fills → the error names the directory, nothing stays in incoming, and a stored file is whole', async () => {
    const directory = createSmallDisk(1_024);
    const blobs = createDirectoryBlobs(directory);
    const first = Buffer.alloc(200_000, 1);
    const path = await blobs.locate(await blobs.put(first));
    const filler = fillDisk(directory);
    await assert.rejects(blobs.put(Buffer.alloc(200_000, 2)), /no room for raw files in/);
    assert.equal(blobs.isDiskFull(), true);
    assert.deepEqual(await readdir(join(directory, 'incoming')), []);
    assert.deepEqual(await readFile(path), first);
    await rm(filler);
    await blobs.put(Buffer.alloc(200_000, 2));
  });
