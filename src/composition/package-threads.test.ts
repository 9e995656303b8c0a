import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { FinalJobError } from '#features/jobs/rules.ts';
import { createPackageThreads } from './package-threads.ts';

test('data package: its thread needs more memory than it may use → the job fails for good with the limit named, and the process goes on', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-threads-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const site = { baseUrl: 'http://127.0.0.1', environment: 'sandbox', letterhead: {} };
  const threads = createPackageThreads({
    settings: { dataDir },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its modules alone need more than this heap
    connection: {} as never,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
    work: { site } as never,
    heapMbMax: 8,
  });
  const made = threads.make({
    packageId: 'p1',
    scope: labScope,
    experimentId: 'e1',
    onProgress: () => undefined,
  });
  await assert.rejects(made, (error) => {
    assert.ok(error instanceof FinalJobError);
    assert.match(error.message, /needs more than the \d+ MB that its thread may use/);
    return true;
  });
});
