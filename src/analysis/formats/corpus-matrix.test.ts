/**
 * Kinds of damage against every format in which they can occur; `corpus.test.ts` covers truncation, line ends, NaN
 * and random damage.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createZip } from '#testing/analysis/archive.ts';
import { readUpload } from '#testing/analysis/parse-worker.ts';
import type { ParseAnswer, ParseRequest } from '#testing/analysis/parse-worker.ts';
import { sampleUploads } from '#testing/analysis/uploads.ts';
import type { SampleUpload } from '#testing/analysis/uploads.ts';
import type { InputFile } from './reading/input-file.ts';
import { parseTraces } from './parse.ts';
import { parseWellFiles } from './parse-wells.ts';
import { unzip } from './reading/zip.ts';

const UPLOADS = sampleUploads();
const TEXTS = UPLOADS.filter(({ number }) => number !== null);
const PACKED = UPLOADS.filter(({ files: [file] }) => /\.(xlsx|zip)$/.test(file.name));
const BOOKS = PACKED.filter(({ name }) => name.endsWith('.xlsx'));
const worker = new Worker(new URL('../../../tests/support/analysis/parse-worker.ts', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: 256 },
});
after(() => worker.terminate());

async function parseInWorker(request: ParseRequest): Promise<ParseAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ParseAnswer>();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    worker.off('message', resolve);
    worker.off('error', reject);
  }
}

function getText({ files: [file] }: SampleUpload): string {
  return new TextDecoder().decode(file.bytes);
}

function withText({ files: [file, ...others] }: SampleUpload, content: string): InputFile[] {
  return [{ ...file, bytes: new TextEncoder().encode(content) }, ...others];
}

/** Changes one of the files inside the archive. */
function withInner(
  { files: [file] }: SampleUpload,
  name: RegExp,
  change: (text: string) => string,
): InputFile[] {
  const inside = unzip(file).map(({ name: inner, bytes }) => ({ name: inner, bytes }));
  const at = inside.findLastIndex((each) => name.test(each.name));
  assert.notEqual(at, -1, `${file.name} has no ${String(name)}`);
  const text = new TextDecoder().decode(inside[at].bytes);
  const changed = { ...inside[at], bytes: new TextEncoder().encode(change(text)) };
  return [{ ...createZip(inside.with(at, changed)), name: file.name }];
}

function assertRefused(answer: ParseAnswer, name: string): void {
  assert.ok(answer.error?.isFormatError, `${name}: ${answer.error?.message ?? 'was read'}`);
  assert.match(answer.error.message, /expected .+, found .+/, name);
}

/** Returns all numbers and names in an upload. */
function getContent({ door, files }: ParseRequest): { names: string[]; values: number[] } {
  if (door === 'traces') {
    const traces = parseTraces(files).flatMap((set) => set.traces);
    const values = traces.flatMap(({ steps }) => steps.flatMap(({ timeS, signal }) => [...timeS, ...signal]));
    return { names: traces.map(({ sample }) => sample), values };
  }
  const { melts, plates } = parseWellFiles(files);
  const curves = melts.flatMap(({ traces }) => traces);
  const readings = plates.flatMap((set) => set.readings);
  return {
    names: [...curves, ...readings].map(({ sample }) => sample),
    values: [
      ...curves.flatMap(({ temperatureC, signal }) => [...temperatureC, ...signal]),
      ...readings.flatMap(({ value }) => value ?? []),
    ],
  };
}

describe('text', () => {
  for (const upload of TEXTS) {
    const request = (files: InputFile[]): ParseRequest => ({ door: upload.door, files });

    test(`${upload.name}: bytes of another encoding → refused with their place, or read as Windows-1252`, () => {
      const { points } = readUpload(upload);
      const [{ bytes }, ...others] = upload.files;
      for (const part of [0.3, 0.6, 0.95]) {
        const at = Math.floor(part * bytes.length);
        const damaged = Uint8Array.from([...bytes.slice(0, at), 0xe9, 0xff, ...bytes.slice(at)]);
        const answer = readUpload(request([{ ...upload.files[0], bytes: damaged }, ...others]));
        if (answer.points === null) assertRefused(answer, upload.name);
        else assert.equal(answer.points, points, upload.name);
      }
    });

    test(`${upload.name}: decimal commas → the same numbers, or refused`, () => {
      const whole = getContent(upload);
      const commas = getText(upload).replaceAll(/(\d)\.(\d)/g, '$1,$2');
      const files = withText(upload, commas);
      const answer = readUpload(request(files));
      if (answer.points === null) assertRefused(answer, upload.name);
      else assert.deepEqual(getContent(request(files)).values, whole.values);
    });

    test(`${upload.name}: a zip archive that claims 2 GB, or unpacks to 25 MB → refused`, async () => {
      const [file, ...others] = upload.files;
      assertRefused(await parseInWorker(request([createZip([file, ...others], 8, 2 ** 31)])), upload.name);
      const blown = Buffer.concat([file.bytes, Buffer.alloc(25 * 1024 * 1024, '0')]);
      assertRefused(
        await parseInWorker(request([createZip([{ ...file, bytes: blown }, ...others])])),
        upload.name,
      );
    });

    test(`${upload.name}: a file that claims 2 GB → refused before it is read`, () => {
      const [file, ...others] = upload.files;
      const claims = { ...file, sizeBytes: 2 ** 31 };
      assertRefused(readUpload(request([claims, ...others])), upload.name);
    });
  }

  test('false counts: steps, assays, times and points that are not there → refused', () => {
    const claims: [name: string, from: string, to: string][] = [
      ['steps.ini', '[Experiment]\nNum=2', '[Experiment]\nNum=2000000000'],
      ['steps.ini', 'Num=3', 'Num=2000000000'],
      ['steps.ini', 'Step3=0,2,3,3', 'Step3=0,2,2000000000,3'],
      ['octet.txt', 'Stop1\t369.5', 'Stop1\t2000000000'],
      ['sensor.frd', 'Points="12"', 'Points="2000000000"'],
    ];
    for (const [name, from, to] of claims) {
      const upload = TEXTS.find((each) => each.name === name) ?? assert.fail(name);
      const content = getText(upload);
      assert.ok(content.includes(from), `${name}: ${from}`);
      assertRefused(
        readUpload({ ...upload, files: withText(upload, content.replace(from, to)) }),
        `${name}: ${to}`,
      );
    }
  });
});

describe('names that a spreadsheet would run', () => {
  const inText: [name: string, from: string | RegExp][] = [
    ['sensor.frd', /mAb/g],
    ['curves.txt', /mAb/g],
    ['traces.csv', 'design-1'],
    ['melts.csv', 'design-1'],
    ['plate.csv', 'design-1'],
    ['table.csv', 'A2'],
    ['scan.csv', /Cap\.1/g],
    ['reader.csv', /design-1/g],
    ['times.csv', 'design-1'],
    ['map.csv', /design-1/g],
  ];
  for (const [name, from] of inText) {
    test(`${name}: a name that a spreadsheet would run → kept as text`, () => {
      const upload = TEXTS.find((each) => each.name === name) ?? assert.fail(name);
      for (const cell of ['=1+1', '@SUM(1)', '+1-1', '-2+3']) {
        const { names } = getContent({
          ...upload,
          files: withText(upload, getText(upload).replaceAll(from, cell)),
        });
        assert.ok(
          names.some((each) => each.includes(cell)),
          `${cell} in ${names.join(', ')}`,
        );
      }
    });
  }

  test('wells.ini: the name of what is loaded → kept as text, even if a spreadsheet would run it', () => {
    const upload = TEXTS.find(({ name }) => name === 'wells.ini') ?? assert.fail();
    const files = withText(upload, getText(upload).replace('Well1=4,-1,-1,-1,,', 'Well1=4,-1,-1,50,,=1+1'));
    const loaded = files.map((file) => {
      const text = new TextDecoder().decode(file.bytes).replace('Step1=0,0,1,0', 'Step1=0,0,1,1');
      return { ...file, bytes: new TextEncoder().encode(text) };
    });
    assert.deepEqual(getContent({ door: 'traces', files: loaded }).names, ['=1+1']);
  });

  for (const name of ['prometheus.xlsx', 'uncle.xlsx', 'reader.xlsx']) {
    test(`${name}: a name that a spreadsheet would run → kept as text`, () => {
      const upload = BOOKS.find((each) => each.name === name) ?? assert.fail(name);
      const files = withInner(upload, /sharedStrings/, (text) => text.replaceAll('design-1', '=1+1'));
      assert.ok(getContent({ ...upload, files }).names.includes('=1+1'));
    });
  }
});

test('Octet .frd: samples that are not finite numbers → refused with the point', () => {
  const upload = TEXTS.find(({ name }) => name === 'sensor.frd') ?? assert.fail();
  const [, base64 = ''] = /<AssayYData Points="12">([^<]+)</.exec(getText(upload)) ?? [];
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const bytes = Buffer.from(base64, 'base64');
    bytes.writeFloatLE(value, 20);
    const content = getText(upload).replace(base64, bytes.toString('base64'));
    const answer = readUpload({ ...upload, files: withText(upload, content) });
    assertRefused(answer, String(value));
    assert.match(answer.error?.message ?? '', /finite signals at ascending times \(point 6\)/);
  }
});

describe('workbooks', () => {
  for (const upload of BOOKS) {
    const read = (files: InputFile[]): ParseAnswer => readUpload({ ...upload, files });
    // The times of a Prometheus sheet are not read.
    const cell =
      upload.name === 'prometheus.xlsx'
        ? /(<c r="[B-Z]+\d+">)<v>[^<]*<\/v>/g
        : /(<c r="[A-Z]+\d+">)<v>[^<]*<\/v>/g;
    const sheet = upload.name === 'prometheus.xlsx' ? /sheet2\.xml$/ : /sheet1\.xml$/;

    test(`${upload.name}: a sheet, its texts or the workbook cut off in a sound archive → refused, or read whole`, () => {
      const { points } = readUpload(upload);
      for (const part of [sheet, /sharedStrings/, /workbook\.xml$/, /workbook\.xml\.rels/]) {
        for (const kept of [0, 0.2, 0.5, 0.8, 0.99]) {
          const files = withInner(upload, part, (text) => text.slice(0, Math.floor(kept * text.length)));
          const answer = read(files);
          if (answer.points === null) assertRefused(answer, `${upload.name} ${String(part)} ${kept}`);
          else assert.equal(answer.points, points, `${upload.name} ${String(part)} ${kept}`);
        }
      }
    });

    test(`${upload.name}: NaN, infinities and error values in cells → refused`, () => {
      for (const wrong of ['NaN', 'Infinity', '-inf', '1e999', '#DIV/0!', '0x10', '1,5'])
        assertRefused(
          read(
            withInner(upload, sheet, (text) => {
              const cells = [...text.matchAll(cell)];
              const { index, 0: whole, 1: open = '' } = cells[Math.floor(cells.length / 2)] ?? assert.fail();
              return `${text.slice(0, index)}${open}<v>${wrong}</v>${text.slice(index + whole.length)}`;
            }),
          ),
          `${upload.name} ${wrong}`,
        );
    });

    test(`${upload.name}: a byte-order mark or other line ends inside → no change; UTF-16 inside → refused`, () => {
      const { points } = readUpload(upload);
      for (const change of [
        (text: string) => `\uFEFF${text}`,
        (text: string) => text.replaceAll('<row', '\r\n<row').replaceAll('</row>', '\r</row>\n'),
      ])
        assert.equal(read(withInner(upload, sheet, change)).points, points);
      const inside = unzip(upload.files[0]).map(({ name, bytes }) => ({ name, bytes }));
      const at = inside.findIndex(({ name }) => sheet.test(name));
      const utf16 = Buffer.from(`\uFEFF${new TextDecoder().decode(inside[at].bytes)}`, 'utf16le');
      const files = [{ ...createZip(inside.with(at, { ...inside[at], bytes: utf16 })), name: upload.name }];
      assertRefused(read(files), upload.name);
    });

    test(`${upload.name}: an archive that claims 2 GB → refused`, async () => {
      const inside = unzip(upload.files[0]).map(({ name, bytes }) => ({ name, bytes }));
      const files = [{ ...createZip(inside, 8, 2 ** 31), name: upload.name }];
      assertRefused(await parseInWorker({ door: upload.door, files }), upload.name);
    });
  }
});
