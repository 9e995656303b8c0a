/**
 * What small commands cost: processor time from the start of the launcher to its end, with a service that runs. With
 * `--against DIR`, a checkout of another commit with its packages, both run in turn and are compared.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMachineNode, startService } from '#testing/launcher.ts';
import type { BenchOptions } from './run.ts';
import type { Finding, Report } from './support/report.ts';
import { computeMedian, computeRatios } from './support/statistics.ts';

const ROOT = join(import.meta.dirname, '..');
const LAUNCHER = join('bin', 'assayer.mjs');
const ROUNDS = 9;

interface Command {
  readonly args: readonly string[];
  readonly limit_s?: number;
}

const COMMANDS: readonly Command[] = [
  { args: ['whoami'], limit_s: 0.35 },
  { args: ['--help'], limit_s: 0.3 },
  { args: ['version'], limit_s: 0.3 },
];

/** User and system time of a command and of all that it starts; the shell reads them to the millisecond. */
async function measureCommand(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null';
  const { stderr } = await promisify(execFile)(
    'bash',
    ['-c', script, 'bash', join(root, LAUNCHER), ...args],
    {
      env: { ...process.env, npm_node_execpath: findMachineNode(), npm_lifecycle_script: '', ...env },
    },
  );
  const [, user, system] = /^([\d.]+) ([\d.]+)\n$/.exec(stderr) ?? [];
  if (user === undefined || system === undefined)
    throw new Error(`wrong answer: assayer ${args.join(' ')} said ${stderr}`);
  return Number(user) + Number(system);
}

export async function run({ against }: BenchOptions): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-commands-'));
  const service = await startService(join(ROOT, LAUNCHER), ['start'], join(directory, 'data'));
  const env = { ASSAYER_URL: service.url, ASSAYER_TOKEN: service.token };
  const roots = [ROOT, ...(against === undefined ? [] : [against])];
  try {
    const findings: Finding[] = [];
    for (const command of COMMANDS) findings.push(...(await compareCommand(command, roots, env)));
    return [
      {
        title: 'Commands',
        findings,
        conditions: [
          `user and system time of launcher and command; median of ${ROUNDS} after the first, which makes the bundle`,
        ],
      },
    ];
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compareCommand(
  { args, limit_s: limit }: Command,
  roots: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  const times = roots.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, root] of roots.entries()) {
      const taken = await measureCommand(root, args, env);
      if (round > 0) times[index]?.push(taken);
    }
  const [now = [], before] = times;
  const what = `assayer ${args.join(' ')}`;
  const own: Finding = {
    what,
    value: computeMedian(now),
    unit: 's',
    ...(limit === undefined ? {} : { limit: { atMost: limit } }),
  };
  if (before === undefined) return [own];
  return [
    own,
    { what: '… of the other commit', value: computeMedian(before), unit: 's' },
    { what: '… over that', value: computeMedian(computeRatios(now, before)), unit: '×' },
  ];
}
