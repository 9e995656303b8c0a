/** Damaged uploads of every format: a precise error or a correct reading, in little memory, never a crash or a shorter curve. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import fc from '#testing/properties.ts';
import { createWorkbookParts, createZip } from '#testing/analysis/archive.ts';
import { readUpload } from '#testing/analysis/parse-worker.ts';
import type { Door, ParseAnswer, ParseRequest } from '#testing/analysis/parse-worker.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import {
  readSample,
  readSampleText,
  sampleUploads,
  createTemperatureTable,
} from '#testing/analysis/uploads.ts';
import type { SampleUpload } from '#testing/analysis/uploads.ts';
import type { InputFile } from './reading/input-file.ts';

const HEAP_MB = 256;
const UPLOADS = sampleUploads();
const FRD = readSampleText('octet-frd', 'sensor.frd');
const XY_TEXT = readSampleText('xy-text', 'curves.txt');
const worker = new Worker(new URL('../../../tests/support/analysis/parse-worker.ts', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
});
after(() => worker.terminate());

/** Reads in the worker with its memory limit; rejects if the worker crashes. */
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

function assertSound(upload: SampleUpload): number {
  const { points, error } = readUpload(upload);
  assert.equal(error, null, `${upload.name}: ${error?.message}`);
  assert.ok(points !== null && points > 0);
  return points;
}

function withBytes({ files: [file, ...others] }: SampleUpload, bytes: Uint8Array): InputFile[] {
  return [{ ...file, bytes }, ...others];
}

function withText(upload: SampleUpload, content: string): InputFile[] {
  return withBytes(upload, new TextEncoder().encode(content));
}

function getText({ files: [file] }: SampleUpload): string {
  return new TextDecoder().decode(file.bytes);
}

/** Asserts that the file was rejected with a sentence that names it. */
function assertRefused(answer: ParseAnswer, name: string, message?: RegExp): void {
  assert.ok(answer.error?.isFormatError, `${name}: ${answer.error?.message ?? 'was read'}`);
  assert.match(answer.error.message, /expected .+, found .+/);
  if (message !== undefined) assert.match(answer.error.message, message, name);
}

for (const upload of UPLOADS) {
  describe(upload.name, () => {
    test('intact upload: any format → read whole', () => {
      assertSound(upload);
    });

    test('truncation: cut anywhere but at a line end → refused, read whole, or reported as open', () => {
      const [{ bytes }] = upload.files;
      const whole = assertSound(upload);
      for (let length = 0; length < bytes.length; length += length < bytes.length - 300 ? 17 : 1) {
        if (bytes[length - 1] === 10 || bytes[length - 1] === 13) continue;
        const answer = readUpload({ ...upload, files: withBytes(upload, bytes.subarray(0, length)) });
        if (answer.points === null) assertRefused(answer, `${length} bytes`);
        else {
          const saysCutOff = answer.notices.some((notice) => notice.includes('cut off'));
          assert.ok(
            saysCutOff || answer.points === whole,
            `${length} of ${bytes.length} bytes: ${answer.points}`,
          );
        }
      }
    });

    test('random damage: up to six edits → refused or read, nothing else', () => {
      const [{ bytes }] = upload.files;
      const edit = fc.record({
        at: fc.nat(bytes.length - 1),
        kind: fc.constantFrom('set', 'insert', 'remove', 'repeat'),
        value: fc.nat(255),
        length: fc.integer({ min: 1, max: 40 }),
      });
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
          const damaged = [...bytes];
          for (const { at, kind, value, length } of edits) {
            const where = Math.min(at, damaged.length);
            if (kind === 'set') damaged[where] = value;
            else if (kind === 'insert') damaged.splice(where, 0, value);
            else if (kind === 'remove') damaged.splice(where, length);
            else damaged.splice(where, 0, ...damaged.slice(where, where + length));
          }
          const answer = readUpload({ ...upload, files: withBytes(upload, Uint8Array.from(damaged)) });
          if (answer.points === null) assertRefused(answer, upload.name);
        }),
        { numRuns: 120, seed: 20_240_601 },
      );
    });
  });
}

describe('text of every format', () => {
  const texts = UPLOADS.filter((upload) => upload.number !== null);

  test('bad numbers: NaN, infinities, hexadecimal or nothing → refused with the line', () => {
    for (const upload of texts) {
      // X–Y text is a table of points that may lack some, so there it is a point left out.
      const missing = upload.name === 'curves.txt' ? [] : ['NaN'];
      for (const wrong of [...missing, 'Infinity', '-inf', '0x10', '1e999', '=1+1', '1 2']) {
        const content = getText(upload).replace(upload.number ?? '', wrong);
        const answer = readUpload({ ...upload, files: withText(upload, content) });
        assertRefused(answer, `${upload.name} with ${wrong}`, /line \d+/);
      }
    }
  });

  test('line ends: a byte-order mark, CR, CRLF, LF or a mixture → the same reading', () => {
    for (const upload of texts) {
      const whole = assertSound(upload);
      const lines = getText(upload).split(/\r\n|\n/);
      const variants = ['\r', '\r\n', '\n'].map((end) => lines.join(end));
      variants.push(
        lines.map((line, i) => (i === lines.length - 1 ? line : line + ['\r', '\r\n', '\n'][i % 3])).join(''),
      );
      for (const [k, content] of variants.entries()) {
        const answer = readUpload({ ...upload, files: withText(upload, `\uFEFF${content}`) });
        assert.equal(answer.points, whole, `${upload.name}, line ends ${k}: ${answer.error?.message}`);
      }
    }
  });

  test('encoding: UTF-16 or zero bytes → refused by name', () => {
    for (const upload of texts) {
      const utf16 = Buffer.from(`\uFEFF${getText(upload)}`, 'utf16le');
      assertRefused(readUpload({ ...upload, files: withBytes(upload, utf16) }), upload.name);
      const zero = Uint8Array.from(upload.files[0].bytes);
      zero[Math.floor(zero.length / 2)] = 0;
      assertRefused(readUpload({ ...upload, files: withBytes(upload, zero) }), upload.name, /zero byte/);
    }
  });

  test('encoding: Windows-1252 from an instrument → read', () => {
    const bytes = Buffer.from(XY_TEXT, 'latin1');
    const { points } = readUpload({ door: 'traces', files: [{ name: 'curves.txt', bytes }] });
    assert.equal(points, readUpload({ door: 'traces', files: [toFile('curves.txt', XY_TEXT)] }).points);
  });

  test('decimal commas: with semicolons → numbers; with commas as separators → refused', () => {
    const point = readUpload({ door: 'wells', files: [toFile('a.csv', createTemperatureTable())] });
    const comma = readUpload({ door: 'wells', files: [toFile('a.csv', createTemperatureTable(';', ','))] });
    assert.equal(comma.points, point.points);
    const mixed = readUpload({ door: 'wells', files: [toFile('a.csv', createTemperatureTable(',', ','))] });
    assertRefused(mixed, 'commas for both', /line 3: expected 4 fields/);
  });

  test('spreadsheet formulas: a cell that a spreadsheet would run → text', () => {
    const table = createTemperatureTable()
      .replace('A1', "=cmd|' /C calc'!A0")
      .replace('A2', '@SUM(1)')
      .replace('B1', '+1');
    const { points, notices } = readUpload({ door: 'wells', files: [toFile('a.csv', table)] });
    assert.equal(points, 72);
    assert.match(notices.join(), /=cmd\|/);
  });
});

describe('large claims', () => {
  const refuse = async (door: Door, files: InputFile[], message: RegExp): Promise<void> => {
    assertRefused(await parseInWorker({ door, files }), files[0].name, message);
  };

  test('zip archive: it claims 2 GB, 3 GB or less than it unpacks to → refused', async () => {
    for (const door of ['traces', 'wells'] as const) {
      const inside = [door === 'traces' ? toFile('a.frd', FRD) : toFile('a.csv', createTemperatureTable())];
      await refuse(door, [createZip(inside, 8, 2 ** 31)], /at most/);
      await refuse(door, [createZip(inside, 8, 3 * 2 ** 30)], /at most/);
      await refuse(door, [createZip(inside, 8, 10)], /as it was packed/);
    }
  });

  test('zip bomb: 20 kB that unpack to 20 MB, or 180 kB to 180 MB → refused', async () => {
    const zeros = { name: 'a.csv', bytes: new Uint8Array(20 * 1024 * 1024) };
    const many = Array.from({ length: 9 }, (_, i) => ({ ...zeros, name: `${i}.csv` }));
    const packed = createZip([zeros]);
    assert.ok(packed.bytes.length < 100_000 && deflateRawSync(zeros.bytes).length < 100_000);
    await refuse('wells', [createZip(many)], /at most \d+ bytes unpacked/);
    await refuse('wells', [packed], /zero byte/);
  });

  test('workbook: a sheet of 20 MB of nothing, or a row or cells beyond the limit → refused', async () => {
    const parts = createWorkbookParts({
      A: [
        ['Temperature', 'A1'],
        [25, 1],
      ],
    });
    const sheet = parts.findIndex(({ name }) => name.endsWith('sheet1.xml'));
    const blown = { ...parts[sheet], bytes: Buffer.alloc(20 * 1024 * 1024, ' ') };
    await refuse('wells', [{ ...createZip(parts.with(sheet, blown)), name: 'big.xlsx' }], /an XML element/);
    const beyond = toFile(
      parts[sheet].name,
      '<worksheet><sheetData><row r="2000000000"/></sheetData></worksheet>',
    );
    await refuse('wells', [{ ...createZip(parts.with(sheet, beyond)), name: 'rows.xlsx' }], /a row after 0/);
    const wide = Array.from(
      { length: 3_000 },
      (_, r) => `<row r="${r + 1}"><c r="DZZ${r + 1}"><v>1</v></c></row>`,
    );
    const filled = toFile(
      parts[sheet].name,
      `<worksheet><sheetData>${wide.join('')}</sheetData></worksheet>`,
    );
    await refuse(
      'wells',
      [{ ...createZip(parts.with(sheet, filled)), name: 'wide.xlsx' }],
      /at most \d+ cells/,
    );
  });

  test('XML: declared entities, endless nesting or two billion claimed points → refused', async () => {
    const file = (content: string): InputFile[] => [toFile('a.frd', content)];
    await refuse(
      'traces',
      file(FRD.replace('\n', '<!DOCTYPE x [<!ENTITY a "aaaa">]>')),
      /unknown format|document type/,
    );
    const inside = FRD.replace('<KineticsData>', '<!DOCTYPE x><KineticsData>');
    await refuse('traces', file(inside), /no document type/);
    await refuse('traces', file(FRD.replace('<KineticsData>', '<a>'.repeat(100_000))), /nested elements/);
    await refuse('traces', file(FRD.replace('Points="12"', 'Points="2000000000"')), /Points from 0/);
    await refuse('traces', file(FRD.replace('Points="12"', 'Points="13"')), /13 points/);
    await refuse('traces', file(FRD.replace('mAb', '&xxe;')), /predefined entity/);
  });

  test('table: more cells or fields than the limit → refused', async () => {
    const row = `${Array.from({ length: 4_000 }, () => '1').join(',')}\n`;
    const header = `Temperature,${Array.from({ length: 3_999 }, (_, i) => `w${i}`).join(',')}\n`;
    await refuse('wells', [toFile('a.csv', header + row.repeat(2_000))], /at most \d+ cells/);
    await refuse('wells', [toFile('a.csv', `Temperature${',x'.repeat(400_000)}\n`)], /at most \d+ fields/);
  });

  test('size limit: a file above it → refused before it is read', async () => {
    const bytes = Buffer.alloc(25 * 1024 * 1024, '1');
    bytes.write('Temperature,A1\n');
    await refuse('wells', [{ name: 'a.csv', bytes }], /at most \d+ bytes/);
  });
});

describe('workbooks', () => {
  test('Prometheus workbook: an overview, derivatives and refolding → names from the overview, the others stay out', () => {
    const answer = readUpload({ door: 'wells', files: [readSample('prometheus', 'prometheus.xlsx')] });
    assert.equal(answer.points, 4 * 24);
    assert.deepEqual(
      answer.notices,
      ['Ratio (1st deriv.)', '330nm (Refolding)'].map((name) => `Sheet ${name} is not read.`),
    );
  });

  test('workbook: a formula without result, a missing shared text or an error value → refused', () => {
    const parts = createWorkbookParts({
      A: [
        ['Temperature', 'A1'],
        [25, 1],
        [26, 2],
      ],
    });
    const sheet = parts.findIndex(({ name }) => name.endsWith('sheet1.xml'));
    const change = (from: string, to: string): ParseAnswer => {
      const text = new TextDecoder().decode(parts[sheet].bytes);
      assert.ok(text.includes(from));
      const changed = toFile(parts[sheet].name, text.replace(from, to));
      return readUpload({
        door: 'wells',
        files: [{ ...createZip(parts.with(sheet, changed)), name: 'a.xlsx' }],
      });
    };
    assertRefused(change('<v>25</v>', '<f>1+1</f>'), 'formula', /stored result of a formula/);
    assert.equal(change('<v>25</v>', '<f>1+1</f><v>25</v>').points, 2);
    assertRefused(change('t="s"><v>0', 't="s"><v>99'), 'shared text', /a shared text/);
    assertRefused(change('<v>25</v>', '<v>#DIV/0!</v>'), 'error value', /a finite number/);
    const without = parts.filter((_, i) => i !== sheet);
    const answer = readUpload({ door: 'wells', files: [{ ...createZip(without), name: 'a.xlsx' }] });
    assertRefused(answer, 'missing sheet', /sheet1\.xml/);
  });
});
