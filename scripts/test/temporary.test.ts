import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createInMemory, createOwnDirectory, isUsable } from './temporary.ts';

/** Above the largest number that Linux gives to a process. */
const NO_PROCESS = 4_194_305;
const parent = mkdtempSync(join(tmpdir(), 'assayer-temporary-'));
after(() => rmSync(parent, { recursive: true, force: true }));

test('temporary files: the caller has chosen a directory → none in memory', () => {
  assert.equal(createInMemory({ TMPDIR: '/somewhere' }), undefined);
});

test('temporary files: memory is read-only, starts no programs or is no memory → not usable', () => {
  const describeMount = (type: string, options: string) => `none /dev/shm ${type} ${options} 0 0\n`;
  assert.ok(isUsable(`proc /proc proc rw 0 0\n${describeMount('tmpfs', 'rw,nosuid')}`));
  for (const mounts of [
    describeMount('tmpfs', 'ro'),
    describeMount('tmpfs', 'rw,noexec'),
    describeMount('ext4', 'rw'),
    '',
  ])
    assert.ok(!isUsable(mounts), mounts);
});

test('temporary files: runs before were killed → theirs go, those of a live one stay, and every user may enter the new one', () => {
  const [killed, live] = [NO_PROCESS, process.ppid].map((pid) => join(parent, `assayer-tests-${pid}`));
  for (const path of [killed, live, join(parent, `assayer-tests-${process.pid}`)]) mkdirSync(path ?? '');
  const directory = createOwnDirectory(parent);
  assert.deepEqual([existsSync(killed ?? ''), existsSync(live ?? '')], [false, true]);
  assert.equal(statSync(directory.path).mode & 0o1777, 0o1777);
  directory.remove();
  assert.ok(!existsSync(directory.path));
});
