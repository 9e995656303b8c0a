/**
 * Orders of 5,000 sequences of each assay and their data packages, two at once, in 512 MiB with the database included,
 * while a caller asks for the health of the service. Where a control group cannot be made, the peak of what the process had resident is held.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readPeakMegabytes } from '#testing/body-flood.ts';
import { computeSlowness, measureFixedWorkMs } from '#testing/fixed-work.ts';
import { fetchPackageEnd, LARGE_ASSAYS, payLargeOrder, waitUntilDone } from '#testing/large-orders.ts';
import { createMemoryGroup, makeFolderOnDisk, type MemoryGroup } from '#testing/memory-group.ts';
import { createAsker, startProcess } from '#testing/process.ts';

const GROUP_BYTES = 512 * 1024 * 1024;
/** Of the process alone, where nothing holds it; its database has the rest. */
const PROCESS_MB_MAX = 420;
const SEQUENCES = Number(process.env.ASSAYER_LARGE_ORDER ?? '5000');
const AT_ONCE = Number(process.env.ASSAYER_LARGE_AT_ONCE ?? '2');
const DONE_LIMIT_MS = 3_600_000;
const HEALTH_EVERY_MS = 200;
/** On a quiet machine; on a slower one the limit grows with what a fixed work takes there. */
const HEALTH_P99_MS_MAX = Number(process.env.ASSAYER_HEALTH_P99_MS ?? '50');

function tryGroup(): MemoryGroup | null {
  try {
    return createMemoryGroup(`assayer-large-orders-${process.pid}`, GROUP_BYTES);
  } catch {
    return null;
  }
}

/** All assays, or one that the variable names. */
const ASSAYS = LARGE_ASSAYS.filter((assay) => assay === (process.env.ASSAYER_LARGE_ASSAY ?? assay));

for (const assay of ASSAYS)
  test(`memory: ${AT_ONCE} paid orders of ${SEQUENCES} of ${assay} at once, and their packages → done within 512 MiB, and others are served`, async (context) => {
    const limitMs = HEALTH_P99_MS_MAX * computeSlowness(measureFixedWorkMs());
    const group = tryGroup();
    const directory = makeFolderOnDisk();
    const variables = { SANDBOX_SPEED: '1000000000', RATE_LIMIT_PER_SECOND: '0' };
    const service = await startProcess(directory, variables, group === null ? {} : { group });
    context.after(async () => {
      await service.stop();
      group?.remove();
      rmSync(directory, { recursive: true, force: true });
    });
    const ask = createAsker(service);
    const codes: string[] = [];
    for (let order = 0; order < AT_ONCE; order += 1) codes.push(await payLargeOrder(ask, assay, SEQUENCES));
    const waitsMs: number[] = [];
    const work = { isOver: false };
    let heldMb = 0;
    const asking = askHealth(ask, work, (waitMs) => {
      waitsMs.push(waitMs);
      heldMb = Math.max(heldMb, group?.readHeldMegabytes() ?? 0);
    });
    await Promise.all(codes.map((code) => waitUntilDone(ask, code, DONE_LIMIT_MS)));
    context.diagnostic(`${assay}: done with at most ${readPeakMegabytes(service.child.pid).toFixed(0)} MB`);
    const ends = await Promise.all(codes.map((code) => fetchPackageEnd(ask, code)));
    // The last file of a complete archive.
    for (const end of ends) assert.ok(end.includes('manifest.json'));
    work.isOver = true;
    await asking;
    const peakMb = readPeakMegabytes(service.child.pid);
    const sortedMs = waitsMs.toSorted((a, b) => a - b);
    const [p50Ms, p99Ms] = [0.5, 0.99].map(
      (share) => sortedMs[Math.floor(share * sortedMs.length)] ?? Number.NaN,
    );
    const ofGroup = group === null ? 'no control group' : `with its database ${heldMb.toFixed(0)} MB`;
    context.diagnostic(
      `${assay}: process ${peakMb.toFixed(0)} MB, ${ofGroup}; health p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms of ${waitsMs.length}, limit ${limitMs.toFixed(0)} ms`,
    );
    if (group === null) assert.ok(peakMb < PROCESS_MB_MAX, `${peakMb.toFixed(0)} MB`);
    else assert.equal(group.countKills(), 0, 'the kernel killed something of the service');
    assert.ok(p99Ms < limitMs, `health p99 ${p99Ms.toFixed(0)} ms, limit ${limitMs.toFixed(0)} ms`);
  });

async function askHealth(
  ask: ReturnType<typeof createAsker>,
  work: { readonly isOver: boolean },
  onAnswer: (waitMs: number) => void,
): Promise<void> {
  while (!work.isOver) {
    const start = performance.now();
    assert.equal((await ask('GET', '/info/health', { token: null })).status, 200);
    onAnswer(performance.now() - start);
    await wait(HEALTH_EVERY_MS);
  }
}
