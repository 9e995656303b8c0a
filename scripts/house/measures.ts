/**
 * This folder: the measures of the source as a house: rooms, doors and what stays inside. Not here: the laws, which
 * `tidy` checks line by line.
 */
import { posix } from 'node:path';
import { getRoom, isTest, splitLines, type Source, type Tree } from '../tidy/tree.ts';
import type { Import } from '../tidy/modules.ts';
import { findCircles } from './circles.ts';
import { COMMANDS, listEntries } from './entries.ts';

export interface Measure {
  readonly name: string;
  /** What is counted, in one sentence. */
  readonly counts: string;
  readonly value: number;
  readonly unit: string;
  /** `most`: the value may not exceed the limit; `least`: it may not fall below it. */
  readonly direction: 'most' | 'least';
  readonly limit: number;
  readonly goal: number;
  /** The files that are counted, where they are few enough to be read. */
  readonly files: readonly string[];
}

/** The rooms whose files say how things look or are, whoever asks: a way to them leaves no idea. */
const KITS = new Set(['core', 'ui', 'documents']);
/** What an operation does not need: the numbers, the pictures, the simulated lab and the command line. */
const APART = new Set(['analysis', 'assays', 'documents', 'sandbox', 'cli']);
/** What features draw and write of their records. */
const SHOWN = /^src\/features\/[^/]+\/(?:figures|words|report|run-files)\//;
/** The lists of all operations: with what carries them out, and without. */
const LISTS = new Set(['src/transports/operations.ts', 'src/cli/operations.ts']);
const ASSAY_FOLDER = /\/assays\/([a-z]+)\//;
const SMALL_LINES = 40;

export function isWithin({ value, limit, direction }: Omit<Measure, 'files'>): boolean {
  return direction === 'most' ? value <= limit : value >= limit;
}

interface Row extends Omit<Measure, 'value' | 'files'> {
  /** A number, or what is counted. */
  readonly measure: (tree: Tree, sources: readonly Source[]) => number | readonly string[];
}

const MOST = { direction: 'most', unit: '' } as const;
const ROWS: readonly Row[] = [
  {
    ...MOST,
    name: 'files',
    counts: 'source files below src/, without tests and fixtures',
    measure: (_, sources) => sources.length,
    limit: 1_278,
    goal: 1_250,
  },
  {
    ...MOST,
    name: 'small files of one importer',
    counts: `files of fewer than ${SMALL_LINES} lines that one file of src/ imports; types count, tests do not; without entries that a registry names: threads, operations of a noun or step, commands, the parts of an assay`,
    measure: findSmall,
    limit: 25,
    goal: 30,
  },
  {
    direction: 'least',
    unit: ' %',
    name: 'imports that stay in their folder',
    counts:
      'imports of files in the same folder or slice, of all whose target is outside core, ui and documents; without the lists of all operations, which name every noun',
    measure: computeStayingPercent,
    limit: 50,
    goal: 50,
  },
  {
    ...MOST,
    name: 'rooms of an assay',
    counts: 'folders of src/ that hold a folder named after one assay; the assay with the most decides',
    measure: (_, sources) => countAssayRooms(sources),
    limit: 1,
    goal: 1,
  },
  {
    ...MOST,
    name: 'lines per operation',
    counts: `lines of src/ without ${[...APART].join(', ')} and the figures, words, report and run files of features, by the number of operations defined`,
    measure: (_, sources) => computeLinesPerOperation(sources),
    limit: 480,
    goal: 430,
  },
  {
    ...MOST,
    name: 'lines of the command line',
    counts: 'lines of src/cli/',
    measure: (_, sources) =>
      countLines(sources.filter(({ path }) => getRoom(path) === 'cli').map(({ text }) => text)),
    limit: 9_880,
    goal: 6_000,
  },
  {
    ...MOST,
    name: 'dynamic imports',
    counts: `calls of import() in src/, without those of ${COMMANDS}: one table, which loads the command that is called`,
    measure: (_, sources) =>
      sources.flatMap(({ path, imports }) =>
        path === COMMANDS ? [] : imports.filter(isDynamic).map(({ line }) => `${path}:${line}`),
      ),
    limit: 35,
    goal: 40,
  },
  {
    ...MOST,
    name: 'lines of the launcher',
    counts: 'lines of bin/',
    measure: (tree) =>
      countLines([...tree.files].filter(([path]) => path.startsWith('bin/')).map(([, text]) => text)),
    limit: 200,
    goal: 200,
  },
  {
    ...MOST,
    name: 'circles',
    counts: 'groups of files of src/ that import one another by value when they load',
    measure: (tree, sources) =>
      findCircles(buildValueGraph(tree, sources)).map((circle) => circle.join(' ↔ ')),
    limit: 0,
    goal: 0,
  },
  ...[
    { heading: 'An operation', limit: 2, goal: 2 },
    { heading: 'An assay', limit: 1, goal: 1 },
  ].map(({ heading, limit, goal }) => ({
    ...MOST,
    name: `folders opened for: ${heading.toLowerCase()}`,
    // The compiler or a test holds each of these lists to the code.
    counts: 'different folders in its numbered list in CONTRIBUTING.md',
    measure: (tree: Tree) => countFolders(tree.files.get('CONTRIBUTING.md') ?? '', heading),
    limit,
    goal,
  })),
];

export function measureHouse(tree: Tree): Measure[] {
  const sources = tree.sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  return ROWS.map(({ measure, ...row }) => {
    const counted = measure(tree, sources);
    const isNumber = typeof counted === 'number';
    return { ...row, value: isNumber ? counted : counted.length, files: isNumber ? [] : counted };
  });
}

function findSmall(tree: Tree, sources: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const { path } of tree.listEdges(source)) {
      importers.set(path, (importers.get(path) ?? new Set()).add(source.path));
    }
  }
  const entries = listEntries(tree);
  return sources.flatMap(({ path, lines }) => {
    const [importer, other] = importers.get(path) ?? [];
    const isSmall = lines.length < SMALL_LINES && other === undefined && !entries.has(path);
    return isSmall && importer !== undefined ? [`${path} (${importer})`] : [];
  });
}

/** A slice (`features/<noun>`, `assays/<assay>`) is one folder with all below it; elsewhere each folder is one. */
function getFolder(path: string): string {
  const slice = /^src\/(?:features|assays)\/[^/]+(?=\/)/.exec(path);
  return slice?.[0] ?? posix.dirname(path);
}

function computeStayingPercent(tree: Tree, sources: readonly Source[]): number {
  const counting = sources.filter(({ path }) => !LISTS.has(path));
  const edges = counting.flatMap((source) =>
    tree.listEdges(source).map(({ path }) => ({ from: source.path, path })),
  );
  const counted = edges.filter(({ path }) => !KITS.has(getRoom(path)));
  const staying = counted.filter(({ from, path }) => getFolder(from) === getFolder(path));
  return Math.floor((100 * staying.length) / Math.max(counted.length, 1));
}

function countAssayRooms(sources: readonly Source[]): number {
  const rooms = new Map<string, Set<string>>();
  for (const { path } of sources) {
    const assay = ASSAY_FOLDER.exec(path)?.[1];
    if (assay !== undefined) rooms.set(assay, (rooms.get(assay) ?? new Set()).add(getRoom(path)));
  }
  return Math.max(0, ...[...rooms.values()].map(({ size }) => size));
}

function computeLinesPerOperation(sources: readonly Source[]): number {
  const counted = sources.filter(({ path }) => !APART.has(getRoom(path)) && !SHOWN.test(path));
  const operations = sources.reduce((sum, { text }) => sum + text.split('= defineOperation(').length - 1, 0);
  return Math.round(countLines(counted.map(({ text }) => text)) / Math.max(operations, 1));
}

function countLines(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + splitLines(text).length, 0);
}

function isDynamic({ how }: Import): boolean {
  return how === 'dynamic';
}

function buildValueGraph(tree: Tree, sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const loads = (source: Source): string[] =>
    tree
      .listEdges(source)
      .filter(({ how, typeOnly }) => !typeOnly && (how === 'static' || how === 'again'))
      .map(({ path }) => path);
  return new Map(sources.map((source) => [source.path, loads(source)]));
}

function countFolders(guide: string, heading: string): number {
  const section = guide.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0] ?? '';
  const places = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map((match) => posix.dirname(match[1] ?? ''));
  return new Set(places).size;
}
