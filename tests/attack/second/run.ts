/**
 * Prints how often results mislead, by family of the second simulator.
 * `scripts/node tests/attack/second/run.ts --runs=40 --family=bli --seed=1` takes every family whose name begins so;
 * `--replay=family:seed` shows one run; `--write=FILE` keeps the table.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from './dice.ts';
import { findFamilies, makeRun } from './families.ts';
import { checkRun } from './judge.ts';
import { formatMisses, formatRow, TABLE_HEAD } from './table.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '40' },
    family: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    write: { type: 'string' },
    /** Folder for the raw files of a replay. */
    files: { type: 'string' },
  },
});

function replay(name: string): void {
  const colon = name.indexOf(':');
  const [family, seed] = [name.slice(0, colon), name.slice(colon + 1)];
  const made = makeRun(family, new Dice(name));
  if (values.files !== undefined) {
    mkdirSync(values.files, { recursive: true });
    for (const file of made.run.files) writeFileSync(join(values.files, basename(file.name)), file.text);
  }
  const judged = checkRun(family, seed, made);
  process.stdout.write(
    `${JSON.stringify({ story: made.story, settings: made.run.settings, judged }, null, 1)}\n`,
  );
}

function printTable(): void {
  const lines = [...TABLE_HEAD];
  const misses: string[] = [];
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const family of findFamilies(values.family)) {
    const judged = Array.from({ length: Number(values.runs) }, (_, index) => {
      const seed = `${values.seed}-${index}`;
      return checkRun(family, seed, makeRun(family, new Dice(`${family}:${seed}`)));
    }).flat();
    const row = formatRow(family, judged);
    lines.push(row);
    process.stdout.write(`${row}\n`);
    misses.push(...formatMisses(judged));
  }
  lines.push('', 'Replays:', '', ...misses);
  if (values.write !== undefined) writeFileSync(values.write, `${lines.join('\n')}\n`);
  else process.stdout.write(`\n${misses.join('\n')}\n`);
}

if (values.replay === undefined) printTable();
else replay(values.replay);
