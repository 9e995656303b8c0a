/**
 * Orders of up to 800 sequences and a data package of 400 results, one after another in one process, whose peak of
 * resident memory is held. At night they have 5,000 (`tests/nightly/large-orders-in-512-mb.test.ts`).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readPeakMegabytes } from '#testing/body-flood.ts';
import { fetchPackageEnd, payLargeOrder, waitUntilDone, type LargeAssay } from '#testing/large-orders.ts';
import { createAsker, startProcess } from '#testing/process.ts';

/** Of the order whose results are packed: each has a figure, in which most of the time goes. */
const PACKED = 400;
/** Sequences by assay: many of those that take little time, fewer of the others. */
const ORDERS: readonly (readonly [assay: LargeAssay, sequences: number])[] = [
  ['expression', PACKED],
  ['fluorescence', 800],
  ['screening', 48],
  ['thermostability', 24],
  ['affinity', 6],
];
/** Of the process with its threads; its database has the rest of 512 MiB. */
const ORDERS_MB_MAX = 340;
/** What so many results add, and as much again. */
const PACKAGE_MB_MAX = 345;
/** The heaps that Node gives itself in 512 MiB; here it sees the memory of the whole machine. */
const HEAP = '--max-old-space-size=256 --max-semi-space-size=2';
const DONE_LIMIT_MS = 600_000;

const directory = mkdtempSync(join(tmpdir(), 'assayer-large-orders-'));
const service = await startProcess(directory, { SANDBOX_SPEED: '1000000000', NODE_OPTIONS: HEAP });
after(async () => {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
});
const ask = createAsker(service);
const codes = new Map<LargeAssay, string>();

for (const [assay, sequences] of ORDERS)
  test(`memory: a paid order of ${sequences} sequences of ${assay} → done, within ${ORDERS_MB_MAX} MB`, async (context) => {
    const code = await payLargeOrder(ask, assay, sequences);
    await waitUntilDone(ask, code, DONE_LIMIT_MS);
    codes.set(assay, code);
    const peakMb = readPeakMegabytes(service.child.pid);
    context.diagnostic(`at most ${peakMb.toFixed(0)} MB so far`);
    assert.ok(peakMb < ORDERS_MB_MAX, `${peakMb.toFixed(0)} MB`);
  });

test(`memory: a data package of ${PACKED} results is made → whole, within ${PACKAGE_MB_MAX} MB`, async (context) => {
  const end = await fetchPackageEnd(ask, codes.get('expression') ?? '');
  // The last file of a complete archive.
  assert.ok(end.includes('manifest.json'));
  const peakMb = readPeakMegabytes(service.child.pid);
  context.diagnostic(`at most ${peakMb.toFixed(0)} MB so far`);
  assert.ok(peakMb < PACKAGE_MB_MAX, `${peakMb.toFixed(0)} MB`);
});
