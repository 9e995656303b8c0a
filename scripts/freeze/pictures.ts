/**
 * Freezes everything that the service draws and writes, or compares it with what was frozen before a change.
 *
 *   scripts/node scripts/freeze/pictures.ts --out DIR        makes everything and writes it with its rasters
 *   scripts/node scripts/freeze/pictures.ts --compare DIR [--differences DIR]
 *                                                                 makes everything and compares it with DIR; the exit
 *                                                                 code is 1 where a person would see a difference
 *   --only NAME,NAME    some of the subjects, such as fixed or affinity
 *   --seconds 900       begins no further subject after this time; the exit code is 1 if any is left
 *
 * Everything takes about five minutes of one processor.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { startRasterizer, type Rasterizer, type Rasters } from './rasters.ts';
import { freezeSubject, SUBJECTS, type Frozen } from './subjects.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    compare: { type: 'string' },
    differences: { type: 'string' },
    only: { type: 'string', default: SUBJECTS.join(',') },
    seconds: { type: 'string', default: '900' },
  },
});

/** How a file stands to the frozen one. */
type Verdict =
  'same bytes' | 'same but for white space' | 'same to the eye' | 'DIFFERENT' | 'MISSING' | 'NEW';

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

const getFilesFolder = (directory: string): string => join(directory, 'files');
const getRasterPath = (directory: string, path: string, name: string): string =>
  join(directory, 'rasters', `${path}.${name}.png`);

async function rasterize(
  path: string,
  bytes: Uint8Array,
  { rasterizeSvg, rasterizePdf }: Rasterizer,
): Promise<Rasters> {
  if (path.endsWith('.svg')) return rasterizeSvg(Buffer.from(bytes).toString('utf8'));
  return path.endsWith('.pdf') ? rasterizePdf(bytes) : new Map();
}

/** Between two lines of progress. */
const PROGRESS_MS = 5_000;

/** Tells how far a long loop is, now and then. */
function* tellProgress<Item>(items: Iterable<Item>, count: number, what: string): Generator<Item> {
  let toldMs = performance.now();
  let done = 0;
  for (const item of items) {
    if (performance.now() - toldMs > PROGRESS_MS) {
      process.stderr.write(`${what}: ${done} of ${count} files\n`);
      toldMs = performance.now();
    }
    yield item;
    done += 1;
  }
}

async function writeAll(directory: string, { name: subject, files }: Made, tools: Rasterizer): Promise<void> {
  let images = 0;
  for (const [path, bytes] of tellProgress(files, files.size, subject)) {
    write(join(getFilesFolder(directory), path), bytes);
    for (const [name, png] of await rasterize(path, bytes, tools)) {
      write(getRasterPath(directory, path, name), png);
      images += 1;
    }
  }
  console.log(`${subject}: ${files.size} files and ${images} rasters written to ${directory}`);
}

interface Made {
  readonly name: string;
  readonly files: Frozen;
}

async function compareAll(
  directory: string,
  { name: subject, files }: Made,
  tools: Rasterizer,
): Promise<void> {
  const found = new Map<Verdict, string[]>();
  const note = (verdict: Verdict, path: string) =>
    void found.set(verdict, [...(found.get(verdict) ?? []), path]);
  const before = globSync(`${subject}/**/*`, { cwd: getFilesFolder(directory), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(getFilesFolder(directory).length + 1));
  for (const path of before.filter((each) => !files.has(each)).toSorted()) note('MISSING', path);
  for (const [path, bytes] of tellProgress(files, files.size, subject)) {
    const old = join(getFilesFolder(directory), path);
    note(existsSync(old) ? await compareFile(directory, path, bytes, tools) : 'NEW', path);
  }
  for (const [verdict, paths] of found) {
    console.log(`${subject}, ${verdict}: ${paths.length} (${countKinds(paths)})`);
    if (['DIFFERENT', 'MISSING', 'NEW'].includes(verdict)) for (const path of paths) console.log(`  ${path}`);
  }
  const seen = ['DIFFERENT', 'MISSING'].filter((verdict) => [...found.keys()].some((key) => key === verdict));
  assert.deepEqual(seen, [], `a person would see a difference to ${directory}`);
}

function countKinds(paths: readonly string[]): string {
  const kinds = Map.groupBy(paths, (path) => path.split('.').at(-1) ?? '');
  return [...kinds].map(([kind, members]) => `${members.length} ${kind}`).join(', ');
}

async function compareFile(
  directory: string,
  path: string,
  bytes: Uint8Array,
  tools: Rasterizer,
): Promise<Verdict> {
  const old = readFileSync(join(getFilesFolder(directory), path));
  if (old.equals(bytes)) return 'same bytes';
  if (path.endsWith('.svg') && removeWhiteSpace(old) === removeWhiteSpace(bytes))
    return 'same but for white space';
  if (!/\.(svg|pdf)$/.test(path)) return reportFile(path, bytes);
  const rasters = await rasterize(path, bytes, tools);
  let isSeen = false;
  for (const [name, png] of rasters) {
    const frozenPng = getRasterPath(directory, path, name);
    const difference = existsSync(frozenPng)
      ? await tools.compare(readFileSync(frozenPng), png)
      : { pixels: null, isSeen: true, image: null };
    if (values.differences !== undefined && difference.pixels !== 0) {
      write(getRasterPath(values.differences, path, name), png);
      if (difference.image !== null)
        write(getRasterPath(values.differences, path, `${name}.difference`), difference.image);
    }
    isSeen ||= difference.isSeen;
  }
  const isShorter =
    path.endsWith('.pdf') && existsSync(getRasterPath(directory, path, nameNextPage(rasters)));
  return isSeen || isShorter ? reportFile(path, bytes) : 'same to the eye';
}

function reportFile(path: string, bytes: Uint8Array): Verdict {
  if (values.differences !== undefined) write(join(getFilesFolder(values.differences), path), bytes);
  return 'DIFFERENT';
}

/** The name that one page more would have. */
function nameNextPage(rasters: Rasters): string {
  const last = [...rasters.keys()].at(-1) ?? 'page-0';
  const [, digits = '0'] = /-(\d+)$/.exec(last) ?? [];
  return `page-${String(Number(digits) + 1).padStart(digits.length, '0')}`;
}

/** White space between elements draws nothing. */
function removeWhiteSpace(svg: Uint8Array): string {
  return Buffer.from(svg).toString('utf8').replaceAll(/>\s+</g, '><');
}

if (values.out === undefined && values.compare === undefined)
  throw new Error('Give --out DIR or --compare DIR.');
const parts = values.only.split(',');
const unknown = parts.filter((name) => !SUBJECTS.includes(name));
if (unknown.length > 0)
  throw new Error(`There is no subject ${unknown.join(', ')}; choose from ${SUBJECTS.join(', ')}.`);
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error('--seconds is the time for all subjects, above 0.');

const startMs = performance.now();
const rasterizer = await startRasterizer();
const left: string[] = [];
for (const name of parts) {
  if (performance.now() - startMs > seconds * 1_000) {
    left.push(name);
    continue;
  }
  // As a test, because what the tests share gives its service and its database back when a test ends.
  await test(`freeze: ${name}`, async () => {
    process.stderr.write(`${name}: begins after ${Math.round((performance.now() - startMs) / 1_000)} s\n`);
    const made = { name, files: await freezeSubject(name) };
    if (values.out !== undefined) await writeAll(values.out, made, rasterizer);
    if (values.compare !== undefined) await compareAll(values.compare, made, rasterizer);
  });
}
await rasterizer.close();
await test('freeze: the time', () => {
  assert.deepEqual(
    left,
    [],
    'the time was over before these: give more with --seconds, or choose with --only',
  );
});
