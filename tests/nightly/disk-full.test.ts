/**
 * The disk of the write-ahead log fills, so that the database stops: nothing that was acknowledged is lost, and nobody
 * restarts anything.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createAsker, startProcess } from '#testing/process.ts';
import { getText } from '#testing/service.ts';

const DISK = '96m';
const LIMIT_MS = 120_000;
/** How often every request is refused before there is room again. */
const ROUNDS = 20;
const SEQUENCES = 200;
const RESIDUES = 600;
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const CHUNK = Buffer.alloc(1 << 20);

/** Sequences that do not compress well, the same every time; each call has others. */
function createBulk(seed: number): Record<string, string> {
  let state = seed * 7_919 + 1;
  const draw = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return LETTERS[state % LETTERS.length] ?? 'A';
  };
  return Object.fromEntries(
    Array.from({ length: SEQUENCES }, (_each, index) => [
      `s${index}`,
      Array.from({ length: RESIDUES }, draw).join(''),
    ]),
  );
}

/** Puts the write-ahead log on a disk of its own, as a careful operator does. */
function moveLog(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
  rmSync(from, { recursive: true });
  symlinkSync(to, from);
}

/** Takes all that is free. */
function fillDisk(file: string, directory: string): void {
  const filler = openSync(file, 'w');
  try {
    while (statfsSync(directory).bavail > 0) writeSync(filler, CHUNK);
  } catch {
    // The disk is full now, which was wanted.
  } finally {
    closeSync(filler);
  }
}

const skip = process.geteuid?.() !== 0 && 'only root can mount a small disk';

test(
  'disk_full, database_unavailable: the disk fills while the write-ahead log grows → 503 and a cause in the log; with room again it is whole by itself and lost nothing',
  { skip },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'assayer-full-'));
    const [dataDir, disk] = [join(directory, 'data'), join(directory, 'wal-disk')];
    const first = await startProcess(dataDir);
    await first.stop();
    mkdirSync(disk);
    // The server runs as another user, who has to reach its log.
    chmodSync(directory, 0o755);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', disk]);
    moveLog(join(dataDir, 'postgres', 'cluster', 'pg_wal'), join(disk, 'pg_wal'));
    const filler = join(disk, 'filler');
    const service = await startProcess(dataDir);
    const lines: string[] = [];
    for (const stream of [service.child.stderr, service.child.stdout])
      stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
    after(async () => {
      await service.kill();
      execFileSync('umount', ['-l', disk]);
      rmSync(directory, { recursive: true, force: true });
    });
    const ask = createAsker(service);
    const acknowledged: string[] = [];
    const order = async (count: number) => {
      const body = {
        name: `bulk ${count}`,
        experiment_spec: { experiment_type: 'expression', n_replicates: 1, sequences: createBulk(count) },
      };
      const answer = await ask('POST', '/experiments', { body });
      if (answer.status === 201 || answer.status === 200)
        acknowledged.push(getText(answer.body['experiment_code']));
      return answer;
    };
    await order(0);
    fillDisk(filler, disk);
    let refused = await order(1);
    for (let count = 2; refused.status < 500; count += 1) {
      assert.ok(count < 2_000, 'the log never filled the disk');
      refused = await order(count);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const answer of [await order(10_000 + round), await ask('GET', '/experiments?limit=1')]) {
        assert.equal(answer.status, 503, answer.text);
        assert.match(answer.text, /"code":"(?:database_unavailable|disk_full)"/);
        assert.ok(Number(answer.headers['retry-after']) >= 1);
      }
      const { status, body } = await ask('GET', '/info/health-db');
      assert.deepEqual([status, body.db], [503, 'unreachable']);
    }
    assert.ok(
      lines.some((line) => line.includes('its disk is full; free space')),
      'the log names the cause',
    );
    rmSync(filler);
    const deadline = performance.now() + LIMIT_MS;
    let last = await order(100_000);
    while (last.status >= 500) {
      assert.ok(performance.now() < deadline, `${last.text}\n${lines.join('\n')}`);
      last = await order(100_000);
    }
    const { body } = await ask('GET', '/experiments?limit=1');
    assert.equal(body['total'], acknowledged.length);
    for (const code of acknowledged)
      assert.equal((await ask('GET', `/experiments/${code}`)).status, 200, code);
  },
);
