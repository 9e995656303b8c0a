import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layTable, type Column } from './table.ts';
import { breakText, measureWidth, shortenText } from './terminal.ts';

interface Row {
  readonly name: string;
  readonly value: string;
  readonly remark: string;
}

const nameColumn: Column<Row> = { title: 'NAME', getCell: ({ name }) => name };
const columns: readonly Column<Row>[] = [
  nameColumn,
  { title: 'VALUE', align: 'right', getCell: ({ value }) => value },
  { title: 'REMARK', rank: 1, getCell: ({ remark }) => remark },
];
const rows: readonly Row[] = [
  { name: 'a', value: '1', remark: 'long enough' },
  { name: 'µ', value: '1000', remark: '' },
];

describe('tables', () => {
  it('layTable: rows → columns as narrow as possible, numbers to the right, no trailing spaces', () => {
    assert.deepEqual(layTable(columns, rows).lines, [
      'NAME  VALUE  REMARK',
      'a         1  long enough',
      'µ      1000',
    ]);
  });

  it('layTable: a narrow terminal → ranked columns stand below their row, broken at its width', () => {
    const table = layTable(columns, rows, { width: 15 });
    assert.deepEqual(table.lines, [
      'NAME  VALUE',
      'a         1',
      '    remark:',
      '    long enough',
      'µ      1000',
    ]);
    assert.deepEqual(table.wrapped, ['REMARK']);
  });

  it('layTable: a column with a unit stands below its row → the unit keeps its case', () => {
    const rate: Column<Row> = { title: 'KON', unit: '1/(M·s)', rank: 1, getCell: ({ value }) => value };
    const table = layTable([nameColumn, rate], [{ name: 'antibody-1', value: '1', remark: '' }], {
      width: 20,
    });
    assert.deepEqual(table.lines, ['NAME', 'antibody-1', '    kon: 1 1/(M·s)']);
  });

  it('layTable: unranked columns do not fit → long texts are shortened, and ids stay whole', () => {
    const wide: Row = { name: 'a long name of a design', value: '1', remark: '' };
    assert.deepEqual(layTable(columns, [wide], { width: 23 }).lines, [
      'NAME              VALUE',
      'a long name of …      1',
    ]);
    const id = { name: '01980000-0000-7000-8000-0000000000c1', value: '1', remark: '' };
    assert.deepEqual(layTable(columns, [id], { width: 40 }).lines, [
      'name:',
      '  01980000-0000-7000-8000-0000000000c1',
      'value: 1',
    ]);
  });

  it('layTable: no columns fit → each row is lines of label and value below an empty line, without empty values', () => {
    const table = layTable(columns, rows, { width: 10 });
    assert.deepEqual(table.lines, [
      'name: a',
      'value: 1',
      'remark:',
      '  long',
      '  enough',
      '',
      'name: µ',
      'value:',
      '  1000',
    ]);
    assert.deepEqual(table.rows, ['', ...table.lines]);
    assert.ok(table.lines.every((line) => line.length <= 10));
  });

  it('layTable: a column of numbers alone → to the right, unless it says otherwise; with one word → to the left', () => {
    const numbers: readonly Column<Row>[] = [
      { title: 'PRICE', getCell: ({ value }) => `$${value}.00` },
      { title: 'LEFT', align: 'left', getCell: ({ value }) => value },
      { title: 'MIXED', getCell: ({ value, name }) => (name === 'a' ? value : 'none') },
    ];
    assert.deepEqual(layTable(numbers, rows, { width: 80 }).lines, [
      '   PRICE  LEFT  MIXED',
      '   $1.00  1     1',
      '$1000.00  1000  none',
    ]);
  });

  it('layTable: wide characters, marks and emoji → columns in line by the cells that they take', () => {
    const scripts: readonly Row[] = ['ab', '東京', 'a\u0301b', '👩🏽‍🔬', '한국'].map((name) => ({
      name,
      value: '1',
      remark: '',
    }));
    const [head = '', ...lines] = layTable(columns, scripts, { width: 80 }).lines;
    assert.deepEqual(
      lines.map((line) => measureWidth(line)),
      scripts.map(() => measureWidth(head)),
    );
    assert.equal(shortenText('東京研究所', 5), '東京…');
    assert.deepEqual(breakText('東京研', 3), ['東', '京', '研']);
  });

  it('layTable: control characters in a cell → replaced; colors → added after padding', () => {
    const colored: readonly Column<Row>[] = [
      { title: 'NAME', getCell: ({ name }) => name, getStyle: () => (text) => `<${text}>` },
    ];
    const wild = { name: 'a\u001B[2J\nb', value: '', remark: '' };
    assert.deepEqual(layTable(colored, [wild]).lines.at(1), '<a [2J b>');
    assert.deepEqual(layTable(colored, rows).lines.at(1), '<a   >');
  });
});
