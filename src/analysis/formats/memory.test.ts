/** The largest accepted uploads and the most expensive rejected ones, in processes that do nothing else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLargeUploads } from '#testing/analysis/large-uploads.ts';
import type { LargeUpload } from '#testing/analysis/large-uploads.ts';
import type { Measured } from '#testing/analysis/parse-process.ts';

const MEMORY_MB = 256;
const TIMEOUT_MS = 120_000;
const READER = fileURLToPath(new URL('../../../tests/support/analysis/parse-process.ts', import.meta.url));

/** The launcher limits the young heap of the service with the same option. */
const HEAP = '--max-semi-space-size=16';

const directory = mkdtempSync(join(tmpdir(), 'assayer-large-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const uploads = createLargeUploads(directory);

function measureMemory({ name, door, path }: LargeUpload): Measured {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [HEAP, READER, door, path], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  assert.equal(status, 0, `${name}: the process ended with ${signal ?? status}: ${stderr.slice(-2_000)}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what parse-process.ts writes
  return JSON.parse(stdout) as Measured;
}

for (const [title, of] of [
  [
    'the largest uploads of curves',
    ({ refused, door }: LargeUpload) => door === 'traces' && refused === null,
  ],
  ['the largest uploads of wells', ({ refused, door }: LargeUpload) => door === 'wells' && refused === null],
  ['uploads beyond the limits', ({ refused }: LargeUpload) => refused !== null],
] as const) {
  test(`memory: ${title} → read or refused in less than ${MEMORY_MB} MB`, (context) => {
    const selected = uploads.filter(of);
    assert.ok(selected.length > 0);
    for (const upload of selected) {
      const { name, refused } = upload;
      const { answer, idleMb, peakMb } = measureMemory(upload);
      context.diagnostic(`${name}: ${peakMb.toFixed(0)} MB, of them ${idleMb.toFixed(0)} before it was read`);
      if (refused === null) assert.ok((answer.points ?? 0) > 0, `${name}: ${answer.error?.message}`);
      else {
        assert.ok(answer.error?.isFormatError, `${name}: ${answer.error?.message ?? 'was read'}`);
        assert.match(answer.error.message, refused, name);
      }
      assert.ok(peakMb < MEMORY_MB, `${name}: ${peakMb} MB`);
    }
  });
}
