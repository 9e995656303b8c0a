/**
 * `npm run attack -- [--runs=N] [--family=a,b] [--seed=S] [--json=FILE] [--workers=N]`
 * `npm run attack -- --replay=FAMILY:SEED [--write=FILE]`
 *
 * Attacks the analysis with runs whose truth is known, prints the rates at which its results mislead, and ends with 1
 * when a family exceeds a limit. A replay prints truth and result of one run and writes its raw file.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { analyzeRun } from './analyze-run.ts';
import { drawCase } from './families/family.ts';
import { FAMILIES, getFamily } from './families/registry.ts';
import { formatTable, reportFamily } from './judge/rates.ts';
import { examineRun, markVerdict, readResult } from './judge/verdict.ts';
import { computeKdErrorLn } from './physics/information.ts';
import { examineFamilies } from './slice.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    family: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    workers: { type: 'string' },
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
  const reports = families.map((name) => reportFamily(getFamily(name), verdicts.get(name) ?? []));
  console.log(formatTable(reports));
  console.log(
    'A rate with a limit shows in brackets the lower end of its one-sided 95 % interval; ! marks a limit that it exceeds.',
  );
  const seconds = (performance.now() - startMs) / 1000;
  console.log(
    `Seeds ${values.seed} to ${Number(values.seed) + runs - 1}, ${seconds.toFixed(0)} s in all; ms is processor time of one analysis.`,
  );
  if (values.json !== undefined) {
    const all = Object.fromEntries(verdicts);
    writeFileSync(values.json, `${JSON.stringify({ reports, verdicts: all })}\n`);
  }
  return reports.some(({ hasFailed }) => hasFailed) ? 1 : 0;
}

process.exitCode = values.replay === undefined ? await runAttack() : replayRun(values.replay);
