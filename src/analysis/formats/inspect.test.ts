import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createZip } from '#testing/analysis/archive.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import { inspectTraces, inspectWells, type FileContents } from './inspect.ts';
import type { InputFile } from './reading/input-file.ts';

type Inspect = (file: InputFile) => FileContents;

const FORMATS: readonly (readonly [string, Inspect])[] = [
  ['assayer-traces/sample/traces.csv', inspectTraces],
  ['assayer-melts/sample/melts.csv', (file) => inspectWells(file, 'melts')],
  ['assayer-plate/sample/plate.csv', (file) => inspectWells(file, 'values')],
];

for (const [path, inspect] of FORMATS) {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const digest = (content: string) => inspect(toFile('file.csv', content)).sets.map((set) => set.digest);

  test(`measured digest: ${path} lists its wells in another order → the same; one value differs → another`, () => {
    const reversed = text
      .trimEnd()
      .split(/(?<=\n\n)/)
      .map(sortWellsBackwards)
      .join('\n');
    assert.notEqual(reversed, text);
    assert.match(String(digest(text)), /^[0-9a-f]{64}$/);
    assert.deepEqual(digest(reversed), digest(text));
    const changed = text.replace(/\d(?=\s*$)/, (last) => String((Number(last) + 1) % 10));
    assert.notDeepEqual(digest(changed), digest(text));
  });

  test(`packing: ${path} in an archive within an archive, or as gzip → refused with what to do`, () => {
    const inner = createZip([toFile('inner.csv', text)]);
    const packed = [
      createZip([{ ...inner, name: 'inner.zip' }]),
      { name: 'file.csv.gz', bytes: gzipSync(text) },
    ];
    for (const file of packed)
      assert.throws(() => inspect(file), /FormatError: .*found a packed file \(unpack it/);
  });

  test(`names in ${path}: control characters and marks of direction → left out of instrument and plate`, () => {
    const [first = ''] = text.split('\n');
    const named = `${first}\n# instrument: a\u202eb\u0007c\n# plate: P\u200b7`;
    const rest = text.slice(first.length).replace(/\n# (?:plate|instrument): .*/g, '');
    const [set] = inspect(toFile('file.csv', named + rest)).sets;
    assert.deepEqual([set?.instrument, set?.plate], ['ab c', 'P7']);
  });
}

/** Reverses the wells of a table, and leaves the rows of each in their order. */
function sortWellsBackwards(table: string): string {
  const lines = table.trimEnd().split('\n');
  const head = lines.findIndex((line) => !line.startsWith('#') && line !== '');
  if (head === -1) return table.trimEnd() + '\n';
  const wells = Object.groupBy(lines.slice(head + 1), (line) => line.split(',')[0] ?? '');
  const rows = Object.values(wells).toReversed().flat();
  return [...lines.slice(0, head + 1), ...rows, ''].join('\n');
}
