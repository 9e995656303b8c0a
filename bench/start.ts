/** From the start of the process to the ready line: with nothing there, and with everything there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from './support/report.ts';
import { computeMedian } from './support/statistics.ts';

const ENTRY = join(import.meta.dirname, '..', 'bin', 'assayer.mjs');
const LATER_STARTS = 7;

/** Milliseconds until the ready line; stops the service again. */
async function startOnce(dataDir: string): Promise<number> {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    [ENTRY, 'start', '--ready-json', '--port', '0', '--data-dir', dataDir],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const exit = once(child, 'exit');
  const ready = once(child.stdout, 'data').then(([chunk]) => String(chunk));
  const line = await Promise.race([ready, exit.then(() => '')]);
  const elapsed = performance.now() - begin;
  if (!line.includes('"portal_url"')) throw new Error(`wrong answer: the service did not start: ${line}`);
  child.kill('SIGTERM');
  await exit;
  return elapsed;
}

export async function run(): Promise<Report[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-start-'));
  try {
    const first = await startOnce(dataDir);
    const later: number[] = [];
    for (let round = 0; round < LATER_STARTS; round += 1) later.push(await startOnce(dataDir));
    return [
      {
        title: 'Start',
        findings: [
          { what: 'first start, makes the database', value: first / 1_000, unit: 's', limit: { atMost: 15 } },
          { what: 'second start', value: computeMedian(later) / 1_000, unit: 's', limit: { atMost: 1.5 } },
        ],
        conditions: [`assayer start until its ready line; median of ${LATER_STARTS} later starts`],
      },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
