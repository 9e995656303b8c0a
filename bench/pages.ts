/**
 * What the first view of an experiment with results costs the service: the page as a browser opens it and scrolls to its
 * end, with every picture that it asks for. With `--against DIR`, a checkout of another commit with its packages, both
 * serve in turn, and their processor times are compared.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { BenchOptions } from './run.ts';
import { startChromium } from '#testing/chromium.ts';
import { measureTree } from './support/process-tree.ts';
import type { Finding, Report } from './support/report.ts';
import { computeMedian, computeRatios } from './support/statistics.ts';

const ROOT = join(import.meta.dirname, '..');
const FASTA = join(ROOT, 'examples', 'antibodies.fasta');
const ROUNDS = 5;
const PATIENT_MS = 180_000;
/** Longer than the service waits before it does what may be done later. */
const QUIET_MS = 1_500;

interface Contestant {
  readonly process: ChildProcess;
  readonly url: string;
  readonly state: Awaited<ReturnType<BrowserContext['storageState']>>;
}

interface View {
  readonly cpu_s: number;
  readonly bytes: number;
  readonly requests: number;
}

export async function run({ against }: BenchOptions): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-pages-'));
  const chromium = await startChromium();
  const contestants: Contestant[] = [];
  try {
    const roots = [ROOT, ...(against === undefined ? [] : [against])];
    for (const [index, root] of roots.entries())
      contestants.push(await startWithDemo(root, join(directory, String(index)), chromium));
    const views: View[][] = contestants.map(() => []);
    // The first round compiles what later ones run.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [index, contestant] of contestants.entries()) {
        const view = await measureView(contestant, chromium);
        if (round > 0) views[index]?.push(view);
      }
    return [buildReport(views)];
  } finally {
    await chromium.close();
    for (const { process } of contestants) {
      process.kill('SIGTERM');
      await once(process, 'exit');
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startWithDemo(root: string, dataDir: string, chromium: Browser): Promise<Contestant> {
  const launcher = join(root, 'bin', 'assayer.mjs');
  const process = spawn(launcher, ['start', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let greeting = '';
  for await (const chunk of process.stdout) {
    greeting += String(chunk);
    if (greeting.includes('Stop with')) break;
  }
  const [url, link, token] = ['Portal', 'Sign in', 'Token'].map(
    (name) => new RegExp(`^ *${name} +(\\S+)`, 'm').exec(greeting)?.[1],
  );
  if (url === undefined || link === undefined || token === undefined)
    throw new Error(`wrong answer: the service did not start: ${greeting}`);
  const demo = ['demo', '--fasta', FASTA, '--target', 'EGFR', '--url', url, '--token', token];
  const [code] = await once(spawn(launcher, demo, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`the demo ended with ${String(code)}`);
  const context = await chromium.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return { process, url, state };
}

async function measureView({ process, url, state }: Contestant, chromium: Browser): Promise<View> {
  const { pid = 0 } = process;
  const context = await chromium.newContext({
    storageState: state,
    viewport: { width: 1_280, height: 900 },
  });
  try {
    const page = await context.newPage();
    const finished: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      finished.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
      );
    });
    await setTimeout(QUIET_MS);
    const before = measureTree(pid).cpu_s;
    await page.goto(`${url}experiments/DEMO-001-001`, { timeout: PATIENT_MS });
    await readToEnd(page);
    await setTimeout(QUIET_MS);
    const cpu_s = measureTree(pid).cpu_s - before;
    const sizes = await Promise.all(finished);
    return { cpu_s, bytes: sizes.reduce((sum, size) => sum + size, 0), requests: sizes.length };
  } finally {
    await context.close();
  }
}

/** By half a window at a time, as a reader does, so that pictures load that wait to be seen. */
async function readToEnd(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let top = 0; top < document.documentElement.scrollHeight; top += 450) {
      scrollTo(0, top);
      await new Promise((done) => setTimeout(done, 60));
    }
  })()`);
}

function buildReport([now = [], before]: readonly View[][]): Report {
  const list = (which: keyof View, of: readonly View[]): number[] => of.map((view) => view[which]);
  const describe = (of: readonly View[], prefix: string): Finding[] => [
    {
      what: `${prefix}processor time of the service`,
      value: 1_000 * computeMedian(list('cpu_s', of)),
      unit: 'ms',
    },
    { what: `${prefix}bytes of all answers`, value: computeMedian(list('bytes', of)) / 1_000, unit: 'kB' },
    { what: `${prefix}requests`, value: computeMedian(list('requests', of)), unit: '' },
  ];
  const compared: Finding[] =
    before === undefined
      ? []
      : [
          {
            what: 'processor time over that of the other commit',
            value: computeMedian(computeRatios(list('cpu_s', now), list('cpu_s', before))),
            unit: '×',
            limit: { atMost: 0.3 },
          },
          ...describe(before, 'the other commit: '),
        ];
  return {
    title: 'First view of an experiment of 52 designs',
    findings: [...describe(now, ''), ...compared],
    conditions: [
      `in Chromium at 1280 px, scrolled to the end; median of ${ROUNDS} views with an empty cache`,
      'processor time of the launcher, the service and its database',
    ],
  };
}
