/**
 * `npm run attack -- [--runs=N] [--family=a,b] [--seed=S] [--json=FILE] [--workers=N]`
 * `npm run attack -- --merge [--json=FILE] FILES`
 * `npm run attack -- --replay=FAMILY:SEED [--write=FILE]`
 *
 * Attacks the analysis with runs whose truth is known, prints the rates at which its results mislead, and ends with 1
 * when a family exceeds a limit. A merge makes one table of the files that `--json` wrote. A replay prints truth and result
 * of one run and writes its raw file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ENGINE } from '#analysis/assays/analysis-records.ts';
import { analyzeRun } from './analyze-run.ts';
import { drawCase } from './families/family.ts';
import { FAMILIES, getFamily } from './families/registry.ts';
import { mergeSlices, type AttackSlice } from './judge/merge.ts';
import { formatTable, reportFamily } from './judge/rates.ts';
import { examineRun, markVerdict, readResult, type Verdict } from './judge/verdict.ts';
import { computeKdErrorLn } from './physics/information.ts';
import { examineFamilies } from './slice.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '100' },
    family: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    workers: { type: 'string' },
    merge: { type: 'boolean', default: false },
    replay: { type: 'string' },
    write: { type: 'string' },
  },
});

function replayRun(text: string): number {
  const [name = '', seed = ''] = text.split(':');
  const family = getFamily(name);
  const attack = drawCase(family, Number(seed));
  console.log('story', JSON.stringify(attack.story, undefined, 1));
  if (attack.design !== undefined)
    console.log('smallest error of ln KD for 1:1 binding', computeKdErrorLn(attack.design).toPrecision(2));
  for (const { sequence, truth, reading, refusal } of examineRun(family, Number(seed)))
    console.log(
      sequence,
      JSON.stringify({ truth, reading, refusal, marks: markVerdict({ truth, reading }) }, undefined, 1),
    );
  for (const { name: file, text: content } of attack.run.files) {
    const path = values.write ?? file;
    if (values.write === undefined) continue;
    writeFileSync(path, content);
    console.log(`raw file ${file} written to ${path}`);
  }
  try {
    const { results, notices } = analyzeRun(attack.run);
    for (const notice of notices) console.log('notice', notice);
    for (const sequence of Object.keys(attack.truths)) {
      const result = results.get(sequence);
      if (result !== undefined)
        console.log('record', JSON.stringify({ ...result.record, reading: readResult(result) }));
    }
  } catch (error) {
    console.log('refused', error instanceof Error ? error.message : error);
  }
  return 0;
}

async function runAttack(): Promise<number> {
  const families = values.family?.split(',') ?? FAMILIES.map(({ name }) => name);
  for (const family of families) getFamily(family);
  const startMs = performance.now();
  let lastLine = '';
  const runs = Number(values.runs);
  const verdicts = await examineFamilies({
    families,
    runs,
    firstSeed: Number(values.seed),
    ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
    report: (family, done) => {
      const line = `${(100 * done).toFixed(0)} % ${family}`;
      if (line !== lastLine) process.stderr.write(`${line}\n`);
      lastLine = line;
    },
  });
  const seconds = (performance.now() - startMs) / 1000;
  const exitCode = reportVerdicts(verdicts);
  console.log(
    `Seeds ${values.seed} to ${Number(values.seed) + runs - 1}, ${seconds.toFixed(0)} s in all; ms is processor time of one analysis.`,
  );
  return exitCode;
}

/** Prints the table, writes the verdicts where they are asked for, and returns 1 where a limit is exceeded. */
function reportVerdicts(verdicts: ReadonlyMap<string, readonly Verdict[]>): number {
  const reports = [...verdicts].map(([name, found]) => reportFamily(getFamily(name), found));
  console.log(formatTable(reports));
  console.log(
    'A rate with a limit shows in brackets the lower end of its one-sided 95 % interval; ! marks a limit that it exceeds.',
  );
  if (values.json !== undefined) {
    const slice: AttackSlice = { engine: ENGINE.version, verdicts: Object.fromEntries(verdicts) };
    writeFileSync(values.json, `${JSON.stringify({ ...slice, reports })}\n`);
  }
  return reports.some(({ hasFailed }) => hasFailed) ? 1 : 0;
}

function mergeFiles(): number {
  if (positionals.length === 0) throw new Error('Name the files that --json wrote behind --merge.');
  const slices = positionals.map((path): AttackSlice => JSON.parse(readFileSync(path, 'utf8')));
  const merged = mergeSlices(slices);
  const inOrder = FAMILIES.flatMap(({ name }): [string, Verdict[]][] => {
    const found = merged.get(name);
    return found === undefined ? [] : [[name, found]];
  });
  return reportVerdicts(new Map(inOrder));
}

function run(): Promise<number> | number {
  if (values.merge) return mergeFiles();
  return values.replay === undefined ? runAttack() : replayRun(values.replay);
}

process.exitCode = await run();
