/**
 * `npm run test:changed`: runs the tests that a change can reach, and says which and why. The change is what differs
 * from a commit, files that are not committed included: by default from where this branch left `main`, or the last
 * commit where that is here.
 *
 *   npm run test:changed -- [--dry-run] [BASE]
 *   npm run test:changed -- --last=50      what it would run for each of the last commits, and for how long
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { invert, readImports } from './test/imports.ts';
import { readReach } from './test/reach.ts';
import { selectTests, type Knowledge, type Selection } from './test/select.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Seconds of all processes together that the tests of a change may take, beyond those that stand closest to it. */
const BUDGET_S = 75 * 2;
const SHOWN = 12;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, last: { type: 'string' } },
});

function runGit(...args: readonly string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Where the branch left main; the commit before this one where nothing has changed since. */
function findBase(): string {
  const [base] = positionals;
  if (base !== undefined) return base;
  const [left = 'HEAD'] = runGit('merge-base', 'HEAD', 'main');
  return listChanged(left).length > 0 ? left : 'HEAD~1';
}

function listChanged(base: string): string[] {
  return [...runGit('diff', '--name-only', base), ...runGit('ls-files', '--others', '--exclude-standard')];
}

function readKnowledge(): Knowledge {
  const files = globSync('{src,tests,scripts,bench}/**/*.ts', { cwd: ROOT });
  const graph = readImports(ROOT, files);
  const texts = new Map<string, string>();
  const tagsByNoun = readTags(files);
  const total = [...tagsByNoun.values()].reduce((sum, tags) => sum + tags.length, 0);
  return {
    graph,
    importers: invert(graph),
    reach: readReach(),
    testFiles: files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('tests/nightly/')),
    readText(file) {
      const text = texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
      texts.set(file, text);
      return text;
    },
    findTags(noun) {
      const tags = tagsByNoun.get(noun) ?? [];
      return { tags: [...new Set(tags)], share: tags.length / total };
    },
  };
}

/** The tag of every operation, by the noun whose contract defines it. */
function readTags(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const noun = /^src\/domain\/([\w-]+)\/[\w-]*contract\.ts$/.exec(file)?.[1];
    if (noun === undefined) continue;
    const tags = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\btag: '([\w-]+)'/g)];
    found.set(noun, [...(found.get(noun) ?? []), ...tags.map(([, tag = '']) => tag)]);
  }
  return found;
}

function explain(selection: Selection): void {
  for (const { changed, close, far, isUnsure } of selection.found) {
    const chosen = [...close, ...far].filter((file) => selection.files.includes(file));
    const shown = chosen.slice(0, SHOWN).join(' ');
    const more = chosen.length > SHOWN ? ` and ${chosen.length - SHOWN} more` : '';
    const left = selection.left.get(changed);
    const note = left === undefined ? '' : ` (${left} that reach it do not run)`;
    console.log(
      `${changed} → ${isUnsure ? 'no test is known to reach it' : shown + more || 'no test'}${note}`,
    );
  }
  if (selection.tags !== undefined)
    console.log(`The permission matrix is limited to ${selection.tags.join(', ')}.`);
  if (selection.isSmoke)
    console.log(
      'Not sure: the change reaches more than runs here, or what it reaches is not known. A few journeys through everything run as well; npm test runs the rest.',
    );
  console.log(`${selection.files.length} test files, about ${predict(selection).toFixed(0)} s\n`);
}

function predict({ seconds }: Selection): number {
  return seconds / availableParallelism();
}

function showLast(count: number): void {
  const knowledge = readKnowledge();
  const commits = runGit('log', '--no-merges', '--format=%h %s', `-${count}`);
  const predicted = commits.map((commit) => {
    const [hash = ''] = commit.split(' ');
    const changed = runGit('show', '--name-only', '--format=', hash);
    const selection = selectTests(knowledge, changed, BUDGET_S);
    const seconds = predict(selection);
    const note = selection.isSmoke ? ' not sure' : '';
    console.log(
      `${seconds.toFixed(0).padStart(5)} s ${String(selection.files.length).padStart(4)} of ${knowledge.testFiles.length} files${note.padEnd(9)}  ${commit}`,
    );
    return seconds;
  });
  const sorted = predicted.toSorted((a, b) => a - b);
  console.log(
    `median ${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0)} s, most ${(sorted.at(-1) ?? 0).toFixed(0)} s`,
  );
}

function main(): number {
  if (values.last !== undefined) {
    showLast(Number(values.last));
    return 0;
  }
  const base = findBase();
  const changed = listChanged(base);
  console.log(`${changed.length} files differ from ${base}.`);
  const knowledge = readKnowledge();
  if (knowledge.reach.size === 0) console.log('tests/reach.json is missing: npm test -- --record writes it.');
  const selection = selectTests(knowledge, changed, BUDGET_S);
  explain(selection);
  if (values['dry-run'] || selection.files.length === 0) return 0;
  const tags = selection.tags === undefined ? {} : { ASSAYER_TAGS: selection.tags.join(',') };
  const { status } = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts', 'test.ts'), '--together', ...selection.files],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...tags } },
  );
  return status ?? 1;
}

process.exitCode = main();
