/** Every registered format has a folder of its name, a sample that the parsers read, and a row of the guide. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { readUpload } from '#testing/analysis/parse-worker.ts';
import { readSample, sampleUploads } from '#testing/analysis/uploads.ts';
import { ENGINES } from '#assays/engines.ts';
import type { Format } from './format.ts';
import { sniffTraceFormat } from './parse.ts';
import { parseWellFiles } from './parse-wells.ts';
import type { InputFile } from './reading/input-file.ts';
import { FORMATS } from './registry.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const GUIDE = new URL('../../../docs/guide/file-formats.md', import.meta.url);
const DAMAGED = sampleUploads().map(({ files: [first] }) => Buffer.from(first.bytes));
const SHARED = new Set(['reading', 'wells', 'writing']);

/** Returns the uploads of a sample: its files one by one, or together if they are one run. */
function listSampleUploads({ id, grouping }: Format): InputFile[][] {
  const files = readdirSync(`${FOLDER}${id}/sample`).map((name) => readSample(id, name));
  return grouping === 'folder' ? [files] : files.map((file) => [file]);
}

for (const format of FORMATS) {
  describe(format.id, () => {
    test('sample: every upload of the format → is read as this format', () => {
      const uploads = listSampleUploads(format);
      assert.ok(uploads.length > 0 && uploads.every((files) => files.length > 0));
      for (const files of uploads) {
        if (format.kind === 'map') {
          assert.ok((parseWellFiles(files).map?.size ?? 0) > 0);
          continue;
        }
        const { points, error } = readUpload({ door: format.kind === 'traces' ? 'traces' : 'wells', files });
        assert.equal(error, null, `${files[0].name}: ${error?.message}`);
        assert.ok((points ?? 0) > 0, files[0].name);
        const found = files.map((file) => sniffTraceFormat(file)?.id ?? readSetFormat(files));
        for (const id of found) assert.ok(id.startsWith(format.id), `${files[0].name} is ${id}`);
      }
    });

    test('damage: a file of the sample → is one of those that the tests damage', () => {
      const files = listSampleUploads(format).flat();
      assert.ok(
        files.some(({ bytes }) => DAMAGED.some((damaged) => damaged.equals(bytes))),
        `add a file of ${format.id}/sample to tests/support/analysis/uploads.ts`,
      );
    });
  });
}

/** Returns the format as the set of wells names it: the id of the format, or a layout of it. */
function readSetFormat(files: InputFile[]): string {
  const { melts, plates } = parseWellFiles(files);
  return [...melts, ...plates].map(({ format }) => format).join();
}

test('folders: each but the shared ones → is a registered format, and each id is registered once', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).filter((name) => !SHARED.has(name));
  assert.deepEqual(FORMATS.map(({ id }) => id).toSorted(), names.toSorted());
});

/** Returns the assays for which a format is made; a plate map is for all assays with wells. */
function findHeading(kind: Format['kind']): string {
  const assays = Object.entries(ENGINES).filter(([, { reads }]) => reads === kind);
  return kind === 'map' ? 'all with wells' : assays.map(([name]) => name).join(', ');
}

test('guide: the table of formats → has each registered format under the assays that read it', () => {
  const [, table = ''] = readFileSync(GUIDE, 'utf8').split('## What is read\n');
  const lines = table.split('\n## ', 1)[0].split('\n');
  let heading = '';
  const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
  const documented = rows.map((line) => {
    const [, assays, title] = line.split('|').map((cell) => cell.trim());
    if (assays !== '') heading = assays;
    return `${heading}: ${title}`;
  });
  const registered = FORMATS.map(({ kind, title }) => `${findHeading(kind)}: ${title}`);
  assert.deepEqual(documented.toSorted(), registered.toSorted());
});
