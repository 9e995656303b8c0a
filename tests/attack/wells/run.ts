/**
 * `scripts/node tests/attack/wells/run.ts`: attacks the assays of wells and prints the table.
 *
 *   --runs=N          runs of each family (200)
 *   --family=A,B      families, or the beginnings of their names (all)
 *   --seed=S          the first seed (1)
 *   --json=FILE       writes counts and the seeds of what went wrong
 *   --list            prints one line for each run instead of the table
 *   --replay=A:SEED   prints one run: its truth, what a client reads, the judgment
 *   --files=DIRECTORY writes the raw files of the replayed run
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyzeOrRefuse, runFamily } from './attack-wells.ts';
import { WELLS_FAMILIES } from './families.ts';
import type { JudgedResult, Truth, WellsFamily } from './family.ts';
import { readResult } from './judge.ts';
import { formatTable } from './table.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    family: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    replay: { type: 'string' },
    files: { type: 'string' },
  },
});

if (values.replay === undefined) runFamilies();
else replayRun(values.replay);

function runFamilies(): void {
  const prefixes = values.family?.split(',') ?? [''];
  const families = WELLS_FAMILIES.filter(({ name }) => prefixes.some((begin) => name.startsWith(begin)));
  if (families.length === 0) throw new Error(`No family begins with "${values.family}".`);
  if (values.list) {
    for (const family of families) listRuns(family);
    return;
  }
  const reports = families.map((family) => {
    const report = runFamily(family, Number(values.runs), Number(values.seed));
    process.stderr.write(`${family.name}: ${report.cpuS.toFixed(1)} s\n`);
    return report;
  });
  process.stdout.write(`${formatTable(reports)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(reports, null, 2)}\n`);
}

function listRuns(family: WellsFamily): void {
  for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.runs); seed += 1) {
    const { run, truth } = family.simulate(seed);
    const result = analyzeOrRefuse(run);
    const judgment = Object.entries(family.judge(result, truth)).flatMap(([name, is]) => (is ? name : []));
    process.stdout.write(
      `${family.name}:${seed} ${truth.value?.toPrecision(4)} → ${describe(result, truth)} | ${judgment.join(' ')}\n`,
    );
  }
}

function describe(result: JudgedResult | Error, truth: Truth): string {
  if (result instanceof Error) return result.message;
  const { quantity, flags, reason, outcome } = readResult(result, truth);
  const value =
    quantity === null
      ? `${outcome} ${reason ?? ''}`
      : `${quantity.relation} ${quantity.value.toPrecision(4)} [${quantity.low?.toPrecision(4) ?? ''}–${quantity.high?.toPrecision(4) ?? ''}]`;
  return `${value} ${flags.join(',')}`;
}

function replayRun(which: string): void {
  const [name = '', seed = ''] = which.split(':');
  const family = WELLS_FAMILIES.find((each) => each.name === name);
  if (family === undefined || !/^\d+$/u.test(seed)) throw new Error(`"${which}" is not FAMILY:SEED.`);
  const { run, truth } = family.simulate(Number(seed));
  const { files } = values;
  if (files !== undefined) {
    mkdirSync(files, { recursive: true });
    for (const file of run.files) writeFileSync(join(files, file.name), file.text);
  }
  const result = analyzeOrRefuse(run);
  const read = result instanceof Error ? result.message : readResult(result, truth);
  const judgment = family.judge(result, truth);
  process.stdout.write(`${JSON.stringify({ truth, read, judgment }, null, 2)}\n`);
}
