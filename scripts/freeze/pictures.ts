/**
 * Freezes everything that the service draws and writes, or compares it with what was frozen before a change.
 *
 *   node bin/node.mjs scripts/freeze/pictures.ts --out DIR        makes everything and writes it with its rasters
 *   node bin/node.mjs scripts/freeze/pictures.ts --compare DIR [--differences DIR]
 *                                                                 makes everything and compares it with DIR; the exit
 *                                                                 code is 1 where a person would see a difference
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { startRasterizer, type Rasterizer, type Rasters } from './rasters.ts';
import { freezeSubjects, type Frozen } from './subjects.ts';

const { values } = parseArgs({
  options: { out: { type: 'string' }, compare: { type: 'string' }, differences: { type: 'string' } },
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

async function writeAll(directory: string, files: Frozen, tools: Rasterizer): Promise<void> {
  let images = 0;
  for (const [path, bytes] of files) {
    write(join(getFilesFolder(directory), path), bytes);
    for (const [name, png] of await rasterize(path, bytes, tools)) {
      write(getRasterPath(directory, path, name), png);
      images += 1;
    }
  }
  console.log(`${files.size} files and ${images} rasters written to ${directory}`);
}

async function compareAll(directory: string, files: Frozen, tools: Rasterizer): Promise<void> {
  const found = new Map<Verdict, string[]>();
  const note = (verdict: Verdict, path: string) =>
    void found.set(verdict, [...(found.get(verdict) ?? []), path]);
  const before = globSync('**/*', { cwd: getFilesFolder(directory), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(getFilesFolder(directory).length + 1));
  for (const path of before.filter((each) => !files.has(each)).toSorted()) note('MISSING', path);
  for (const [path, bytes] of files) {
    const old = join(getFilesFolder(directory), path);
    note(existsSync(old) ? await compareFile(directory, path, bytes, tools) : 'NEW', path);
  }
  for (const [verdict, paths] of found) {
    console.log(`${verdict}: ${paths.length} (${countKinds(paths)})`);
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

// As a test, because what the tests share gives its service and its database back when a test ends.
await test('freeze: the pictures', async () => {
  if (values.out === undefined && values.compare === undefined)
    throw new Error('Give --out DIR or --compare DIR.');
  const frozen = await freezeSubjects();
  const rasterizer = await startRasterizer();
  try {
    if (values.out !== undefined) await writeAll(values.out, frozen, rasterizer);
    if (values.compare !== undefined) await compareAll(values.compare, frozen, rasterizer);
  } finally {
    await rasterizer.close();
  }
});
