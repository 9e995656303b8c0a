import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
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
