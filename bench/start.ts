/**
 * From the start of the process to the ready line: with nothing there, and with everything there. With `--against DIR`, a
 * checkout of another commit with its packages, both start in turn, each with a data directory and a compile cache of its
 * own, and their processor times are compared.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchOptions } from './run.ts';
import { findMachineNode } from '#testing/launcher.ts';
import { measureTree, type Use } from './support/process-tree.ts';
import type { Finding, Report } from './support/report.ts';
import { computeMedian, computeRatios } from './support/statistics.ts';

const ROOT = join(import.meta.dirname, '..');
const LATER_STARTS = 7;

interface Start extends Use {
  readonly elapsed_s: number;
}

/** As a person does, on a machine with a Node of its own; what the launcher takes is part of what is measured. */
async function startOnce(root: string, dataDir: string): Promise<Start> {
  const flags = ['start', '--ready-json', '--port', '0', '--data-dir', dataDir];
  const begin = performance.now();
  const child = spawn(join(root, 'bin', 'assayer.mjs'), flags, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, npm_node_execpath: findMachineNode(), NODE_COMPILE_CACHE: `${dataDir}-compiled` },
  });
  const exit = once(child, 'exit');
  const ready = once(child.stdout, 'data').then(([chunk]) => String(chunk));
  const line = await Promise.race([ready, exit.then(() => '')]);
  const elapsed_s = (performance.now() - begin) / 1_000;
  if (child.pid === undefined || !line.includes('"portal_url"'))
    throw new Error(`wrong answer: the service did not start: ${line}`);
  const use = measureTree(child.pid);
  child.kill('SIGTERM');
  await exit;
  return { elapsed_s, ...use };
}

export async function run({ against }: BenchOptions): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-start-'));
  const roots = [ROOT, ...(against === undefined ? [] : [against])];
  const contestants = roots.map((root, index) => ({ root, dataDir: join(directory, String(index)) }));
  const firsts: Start[] = [];
  const later: Start[][] = contestants.map(() => []);
  try {
    for (const { root, dataDir } of contestants) firsts.push(await startOnce(root, dataDir));
    for (let round = 0; round < LATER_STARTS; round += 1) {
      const inTurn = [...contestants.entries()];
      for (const [index, { root, dataDir }] of round % 2 === 0 ? inTurn : inTurn.toReversed())
        later[index]?.push(await startOnce(root, dataDir));
    }
    return [buildReport(firsts, later)];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function buildReport([first]: readonly Start[], [now = [], before]: readonly Start[][]): Report {
  const list = (which: keyof Start, of: readonly Start[]): number[] => of.map((start) => start[which]);
  const compared: Finding[] =
    before === undefined
      ? []
      : [
          {
            what: '… processor time over that of the other commit',
            value: computeMedian(computeRatios(list('cpu_s', now), list('cpu_s', before))),
            unit: '×',
            limit: { atMost: 0.64 },
          },
          {
            what: '… the other commit: processor time',
            value: computeMedian(list('cpu_s', before)),
            unit: 's',
          },
          { what: '… the other commit: memory', value: computeMedian(list('largestMB', before)), unit: 'MB' },
        ];
  return {
    title: 'Start',
    findings: [
      {
        what: 'first start, makes the database',
        value: first?.elapsed_s ?? Number.NaN,
        unit: 's',
        limit: { atMost: 15 },
      },
      {
        what: 'second start',
        value: computeMedian(list('elapsed_s', now)),
        unit: 's',
        limit: { atMost: 1.5 },
      },
      { what: '… processor time', value: computeMedian(list('cpu_s', now)), unit: 's' },
      {
        what: '… memory of the service when it is ready',
        value: computeMedian(list('largestMB', now)),
        unit: 'MB',
        limit: { atMost: 130 },
      },
      ...compared,
    ],
    conditions: [
      `assayer start until its ready line; median of ${LATER_STARTS} later starts`,
      'processor time of the launcher, the service and its database; memory is resident',
    ],
  };
}
