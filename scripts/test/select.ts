/**
 * Which test files a change can reach, and which of them run. What a test executes is known from `tests/reach.json`;
 * what it imports says too little, since whoever starts a service imports everything.
 */
import { basename, dirname } from 'node:path';
import { findImporters, type Graph } from './imports.ts';
import type { Reach } from './reach.ts';

/** Of a file that no run has timed. */
const UNKNOWN_SECONDS = 3;
/** A file that so few tests reach is tested by all of them, whatever they take. */
const FEW = 3;

/** What runs where it is not known, or known and too much, what a change reaches. */
export const SMOKE: readonly string[] = [
  'tests/conformance/relations.test.ts',
  'tests/journeys/lifecycle.test.ts',
  'tests/matrix/effects.test.ts',
  'tests/operations/invoices.test.ts',
  'tests/operations/quotes.test.ts',
  'tests/payments/pay-answers.test.ts',
];

const LAUNCHER = ['bundle', 'failed-start', 'kill', 'modules'].map(
  (name) => `tests/launcher/${name}.test.ts`,
);

/** Tests of what is no TypeScript; a path begins with the first. */
const RULES: readonly (readonly [string, readonly string[]])[] = [
  ['docs/', ['tests/journeys/docs.test.ts']],
  ['migrations/', ['tests/conformance/tables.test.ts', ...SMOKE]],
  ['openapi.json', ['tests/conformance/openapi.test.ts']],
  ['package', ['tests/launcher/lockfile.test.ts', 'tests/launcher/failed-start.test.ts', ...SMOKE]],
  ['bin/', [...LAUNCHER, ...SMOKE]],
  ['scripts/node', LAUNCHER],
  ['examples/', ['tests/journeys/docs.test.ts']],
  ['src/ui/style/', ['tests/journeys/pages.test.ts', 'tests/people/browser.test.ts']],
];

/** The matrix whose rows can be limited to the operations of some tags. */
export const MATRIX = 'tests/matrix/permissions.test.ts';

export interface Knowledge {
  readonly graph: Graph;
  readonly importers: Graph;
  readonly reach: ReadonlyMap<string, Reach>;
  readonly testFiles: readonly string[];
  /** The text of a test or of what only tests use. */
  readonly readText: (file: string) => string;
  /** Tags of the operations of a noun, and the share of all operations that bear them. */
  readonly findTags: (noun: string) => { readonly tags: readonly string[]; readonly share: number };
}

/** What tests one changed file. */
export interface Found {
  readonly changed: string;
  /** These run in any case. */
  readonly close: readonly string[];
  /** These reach it as well. */
  readonly far: readonly string[];
  readonly isUnsure: boolean;
}

export interface Selection {
  readonly found: readonly Found[];
  readonly files: readonly string[];
  /** By changed file, how many tests that reach it do not run. */
  readonly left: ReadonlyMap<string, number>;
  readonly isSmoke: boolean;
  /** Tags that the rows of the matrix are limited to; undefined for all. */
  readonly tags: readonly string[] | undefined;
  readonly seconds: number;
}

export function selectTests(
  knowledge: Knowledge,
  changed: readonly string[],
  budgetSeconds: number,
): Selection {
  const found = changed.map((path) => findTests(knowledge, path));
  const files = new Set(found.flatMap(({ close }) => close));
  const matrix = limitMatrix(knowledge, found);
  const secondsOf = (file: string): number =>
    (knowledge.reach.get(file)?.seconds ?? UNKNOWN_SECONDS) * (file === MATRIX ? matrix.share : 1);
  const isUnsure = found.some((each) => each.isUnsure);
  if (isUnsure) for (const file of SMOKE) files.add(file);
  addWhileItFits(found, files, secondsOf, budgetSeconds);
  const left = countLeft(found, files);
  const isSmoke = isUnsure || left.size > 0;
  if (isSmoke) for (const file of SMOKE) files.add(file);
  const known = [...files].filter((file) => knowledge.testFiles.includes(file)).sort();
  const seconds = known.reduce((sum, file) => sum + secondsOf(file), 0);
  return { found, files: known, left, isSmoke, tags: matrix.tags, seconds };
}

/** Tests that reach the most of the change in the least time come first; rare ones count more. */
function addWhileItFits(
  found: readonly Found[],
  files: Set<string>,
  secondsOf: (file: string) => number,
  budgetSeconds: number,
): void {
  const worth = new Map<string, number>();
  for (const { close, far } of found)
    for (const file of far) worth.set(file, (worth.get(file) ?? 0) + 1 / (close.length + far.length));
  const ranked = [...worth].sort(
    ([a, worthOfA], [b, worthOfB]) => worthOfB / (1 + secondsOf(b)) - worthOfA / (1 + secondsOf(a)),
  );
  let seconds = [...files].reduce((sum, file) => sum + secondsOf(file), 0);
  for (const [file] of ranked) {
    if (files.has(file) || seconds + secondsOf(file) > budgetSeconds) continue;
    files.add(file);
    seconds += secondsOf(file);
  }
}

function countLeft(found: readonly Found[], files: ReadonlySet<string>): Map<string, number> {
  const left = new Map<string, number>();
  for (const { changed, far } of found) {
    const count = far.filter((file) => !files.has(file)).length;
    if (count > 0) left.set(changed, count);
  }
  return left;
}

function findTests(knowledge: Knowledge, changed: string): Found {
  if (changed.endsWith('.test.ts')) {
    const close = knowledge.testFiles.includes(changed) ? [changed] : [];
    return { changed, close, far: [], isUnsure: false };
  }
  if (changed.endsWith('.ts') && !knowledge.graph.has(changed))
    // It is gone: those that imported it have changed, or nothing compiles.
    return { changed, close: [], far: [], isUnsure: false };
  if (changed.startsWith('src/') && changed.endsWith('.ts')) return findTestsOfSource(knowledge, changed);
  if (changed.endsWith('.ts')) {
    const importing = findTestsThatImport(knowledge, [changed]);
    if (importing.length === 0) return { changed, close: [], far: [], isUnsure: true };
    return sortByNumber(changed, importing);
  }
  return findTestsOfData(knowledge, changed);
}

function findTestsOfSource(knowledge: Knowledge, changed: string): Found {
  const { importers, reach, testFiles } = knowledge;
  const beside = changed.replace(/\.ts$/, '.test.ts');
  const close = testFiles.filter(
    (file) => file === beside || (file.startsWith('src/') && importers.get(changed)?.has(file)),
  );
  const executing = findExecuting(knowledge, changed);
  // A test that no run has recorded may execute whatever it imports, if it speaks of the noun where there is one.
  const noun = /^src\/\w+\/([\w-]+)\//.exec(changed)?.[1]?.replace(/s$/, '') ?? '';
  const unrecorded = findTestsThatImport(knowledge, [changed]).filter(
    (file) =>
      reach.get(file)?.modules === undefined &&
      (file.startsWith('src/') || knowledge.readText(file).includes(noun)),
  );
  const far = [...new Set([...executing, ...unrecorded])].filter((file) => !close.includes(file));
  const all = [...close, ...far];
  if (all.length <= FEW) return { changed, close: all, far: [], isUnsure: all.length === 0 };
  return { changed, close, far, isUnsure: false };
}

/** Of a module that only says something (a table, a type), those that execute what reads it. */
function findExecuting({ reach, importers }: Knowledge, changed: string): string[] {
  const seen = new Set<string>();
  for (let modules = [changed]; modules.length > 0;) {
    const tests = [...reach]
      .filter(([, { modules: executed }]) => modules.some((module) => executed?.has(module) === true))
      .map(([file]) => file);
    if (tests.length > 0) return tests;
    for (const module of modules) seen.add(module);
    modules = modules
      .flatMap((module) => [...(importers.get(module) ?? [])])
      .filter((module) => module.startsWith('src/') && !module.endsWith('.test.ts') && !seen.has(module));
  }
  return [];
}

function findTestsThatImport({ importers, testFiles }: Knowledge, files: Iterable<string>): string[] {
  const found = findImporters(importers, files);
  return testFiles.filter((file) => found.has(file));
}

/** Documents, migrations, fixtures: by rule, and whatever test or helper of tests names the file or its folder. */
function findTestsOfData(knowledge: Knowledge, changed: string): Found {
  const ruled = RULES.filter(([start]) => changed.startsWith(start)).flatMap(([, tests]) => tests);
  const names = [basename(changed), `${basename(dirname(changed))}/`].filter((name) => name.length > 6);
  const naming = [...knowledge.graph.keys()].filter(
    (file) =>
      !(file.startsWith('src/') && !file.endsWith('.test.ts')) &&
      names.some((name) => knowledge.readText(file).includes(name)),
  );
  return sortByNumber(changed, [...new Set([...ruled, ...findTestsThatImport(knowledge, naming)])]);
}

function sortByNumber(changed: string, tests: readonly string[]): Found {
  return tests.length <= FEW
    ? { changed, close: tests, far: [], isUnsure: false }
    : { changed, close: [], far: tests, isUnsure: false };
}

/** The rows of the matrix that the nouns of a change need; all, where something else that it reaches has changed. */
function limitMatrix(
  { findTags }: Knowledge,
  found: readonly Found[],
): { readonly tags: readonly string[] | undefined; readonly share: number } {
  const reaching = found.filter(({ close, far }) => [...close, ...far].includes(MATRIX));
  const nouns = reaching.map(({ changed }) => /^src\/features\/([\w-]+)\//.exec(changed)?.[1]);
  const tags = new Set<string>();
  let share = 0;
  for (const noun of new Set(nouns)) {
    const own = noun === undefined ? undefined : findTags(noun);
    if (own === undefined || own.tags.length === 0) return { tags: undefined, share: 1 };
    for (const tag of own.tags) tags.add(tag);
    share += own.share;
  }
  return reaching.length === 0
    ? { tags: undefined, share: 1 }
    : { tags: [...tags].sort(), share: Math.min(1, share) };
}
