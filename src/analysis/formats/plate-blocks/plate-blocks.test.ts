/** Labels and rows of plate-reader blocks: no value is read under a name that the file does not give. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSampleText } from '#testing/analysis/uploads.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import type { PlateSet } from '../../curves/trace.ts';
import { FormatError } from '../../failures/errors.ts';
import { parsePlates, parseWellFiles } from '../parse-wells.ts';
import { isCalculated } from './plate-blocks.ts';

const GEN5 = readSampleText('plate-blocks', 'gen5-48-wells.txt');

function read(text: string): PlateSet {
  const [set] = parsePlates([toFile('export.txt', text)]);
  return set;
}

function getRefusal(text: string): string {
  try {
    parseWellFiles([toFile('export.txt', text)]);
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return error.message;
  }
  return assert.fail('the file was read');
}

/** A plate whose values are 1000 × row + 10 × column, and its name in the line above. */
function createPlate(name: string, rows: number, columns: number, label = ''): string {
  const numbers = Array.from({ length: columns }, (_, i) => i + 1);
  const lines = Array.from({ length: rows }, (_, r) =>
    [
      'ABCDEFGHIJKLMNOP'[r],
      ...numbers.map((c) => 1000 * (r + 1) + 10 * c),
      ...(label === '' ? [] : [label]),
    ].join('\t'),
  );
  return [name, ['', ...numbers].join('\t'), ...lines, ''].join('\n');
}

function pick({ readings }: PlateSet, exNm: number, well: string): number | null | undefined {
  return readings.find((each) => each.exNm === exNm && each.well === well)?.value;
}

describe('plate-reader blocks', () => {
  test('plate-blocks: 48 wells with two reads a row → both reads of all wells', () => {
    const set = read(GEN5);
    assert.equal(set.readings.length, 96);
    assert.deepEqual(
      [pick(set, 485, 'A1'), pick(set, 485, 'F8'), pick(set, 579, 'A1'), pick(set, 579, 'F8')],
      [1010, 6080, 51, 308],
    );
  });

  test('plate-blocks: 96 wells with one label right of each row → the read is named by the label', () => {
    const set = read(createPlate('Results', 8, 12, 'GFP:485,528'));
    assert.equal(set.readings.length, 96);
    assert.deepEqual(
      [set.readings[95].well, set.readings[95].channel, set.readings[95].exNm, set.readings[95].emNm],
      ['H12', 'fluorescence', 485, 528],
    );
    assert.equal(read(createPlate('Results', 8, 12, 'Read 1:600')).readings[0].channel, 'A600');
  });

  test('plate-blocks: two labels of the same wavelengths → two reads of these names', () => {
    const set = read(GEN5.replaceAll('RFP:579,616', 'GFP 61:485,528'));
    assert.deepEqual(
      [...new Set(set.readings.map(({ channel }) => channel))],
      ['GFP:485,528', 'GFP 61:485,528'],
    );
  });

  test('plate-blocks: each label of values that were calculated → refused by this name, with what to export', () => {
    for (const label of [
      'Time to Half Max [485,528]',
      'Max V [485,528]',
      'Mean V [485,528]',
      'R-Squared [485,528]',
      'Lagtime [485,528]',
      't at Max V [485,528]',
      'Blank 485,528',
      'Delta OD [600]',
      'GFP:485,528 [1] [2]',
    ]) {
      const refusal = getRefusal(createPlate('Results', 8, 12, label));
      assert.ok(refusal.includes(`"${label}"`), refusal);
      assert.match(refusal, /export the raw data of the read/);
    }
  });

  test('plate-blocks: calculated values beside a read → left out with a notice that names them', () => {
    const set = read(GEN5.replaceAll('RFP:579,616', 'Max V [485,528]'));
    assert.equal(set.readings.length, 48);
    assert.ok(
      set.notices.some((notice) => notice.includes('"Max V [485,528]"')),
      set.notices.join(),
    );
  });

  test('plate-blocks: a difference or a ratio of absorbances → refused by its name, never a pair of filters', () => {
    for (const name of ['Delta OD (450-570)', '260/280', 'A260/A280', 'OD 450-570', '450-570', '350/330'])
      assert.ok(getRefusal(createPlate(name, 8, 12)).includes(`"${name}"`), name);
  });

  test('plate-blocks: names of reads as instruments write them → are no calculated values', () => {
    for (const name of [
      'Fluorescence 485/520 gain 80',
      'A280',
      'Raw Data (280)',
      'GFP:485,528',
      'ex 485 em 520',
      '485/528',
      'Fluorescence 485-520',
      'Read 1:600',
      'mOD 600',
      'value',
      'Absorbance 280 nm',
      'Maxima kit 485/520',
    ])
      assert.equal(isCalculated(name), false, name);
  });

  test('plate-blocks: a row of separators between title and block → the block has its title', () => {
    const plate = createPlate('Raw Data (280)', 8, 12)
      .replace('\n', `\n${'\t'.repeat(12)}x\n`)
      .replace('\tx', '\t""');
    assert.equal(read(plate).readings[0].channel, 'Raw Data (280)');
  });

  test('plate-blocks: a block that is there in part → refused with the row that is missing', () => {
    const lines = createPlate('Fluorescence 485/520', 6, 8).split('\n');
    assert.match(
      getRefusal(lines.toSpliced(5, 3, '').join('\n')),
      /rows A to F or A to H .* 8 columns, found 3 rows/,
    );
    assert.match(getRefusal(lines.toSpliced(3, 1).join('\n')), /found row C after 1 row/);
    const broken = GEN5.split('\r\n').filter((line) => !line.startsWith('\t151\t'));
    assert.match(getRefusal(broken.join('\r\n')), /2 lines in row C, as in row A, found 1/);
    assert.match(getRefusal(GEN5.replace('C\t3010', 'X\t3010')), /found row X after 2 rows/);
  });

  test('plate-blocks: rows of one read under several labels, or several reads without a label → refused', () => {
    assert.match(
      getRefusal(GEN5.replace('GFP:485,528', 'mScarlet:569,593')),
      /as in row A, found "GFP:485,528"/,
    );
    assert.match(
      getRefusal(GEN5.replaceAll('\tRFP:579,616', '\t')),
      /the name of the read right of each line/,
    );
  });

  test('plate-blocks: a plate of 12 or 24 wells, or half a plate → all wells', () => {
    for (const [rows, columns] of [
      [2, 3],
      [3, 4],
      [4, 6],
      [8, 6],
      [6, 8],
      [16, 24],
    ] as const)
      assert.equal(read(createPlate('Fluorescence 485/520', rows, columns)).readings.length, rows * columns);
  });
});
