/** A start on a full disk: one sentence, whichever part of the start finds it first. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillDisk, isRoot, createSmallDisk } from '#testing/full-disk.ts';
import { copyPreparedCluster } from '#testing/prepared-cluster.ts';
import { COMMAND_LINE } from '#testing/process.ts';

/** Starts the service, which has to end by itself, and answers its exit code and what it told the operator. */
async function start(dataDir: string): Promise<{ code: number | null; lines: readonly string[] }> {
  const child = spawn(
    process.execPath,
    [...COMMAND_LINE, 'start', '--port', '0', '--data-dir', dataDir, '--ready-json'],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LOG_LEVEL: 'error' } },
  );
  const parts: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => parts.push(chunk.toString('utf8')));
  // A service that is ready in spite of its disk would run for ever.
  child.stdout.once('data', () => child.kill());
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const isLog = (line: string): boolean => line.startsWith('{');
  const lines = parts.join('').trim().split('\n');
  return { code, lines: lines.filter((line) => !isLog(line)) };
}

async function expectSentence(dataDir: string): Promise<void> {
  const { code, lines } = await start(dataDir);
  assert.equal(lines.length, 1, lines.join('\n'));
  const [sentence = ''] = lines;
  assert.match(sentence, /^DATA_DIR \S+:? .*its disk, or the quota of this user, is full; make room there/);
  assert.ok(sentence.includes(dataDir), sentence);
  assert.equal(code, 1);
}

/** Without root, `src/cli/database-failures.test.ts` gives the start the errors that these disks provoke. */
if (isRoot) {
  // At the first size the database finds no room for its log, at the second a migration for its tables.
  for (const sizeKib of [12_288, 46_080])
    test(`start: a disk of ${sizeKib} KiB for a new data directory → one sentence names DATA_DIR`, async () => {
      await expectSentence(join(createSmallDisk(sizeKib), 'data'));
    });

  test('start: the disk has no byte for the lock of an existing data directory → one sentence names DATA_DIR', async () => {
    const disk = createSmallDisk(400_000);
    const dataDir = join(disk, 'data');
    copyPreparedCluster(join(dataDir, 'postgres'));
    fillDisk(disk);
    await expectSentence(dataDir);
  });
}
