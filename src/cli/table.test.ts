import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layTable, type Column } from './table.ts';

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
      '    remark: lon',
      '    g enough',
      'µ      1000',
    ]);
    assert.deepEqual(table.wrapped, ['REMARK']);
  });

  it('layTable: a column with a unit stands below its row → the unit keeps its case', () => {
    const rate: Column<Row> = { title: 'KON', unit: '1/(M·s)', rank: 1, getCell: ({ value }) => value };
    const table = layTable([nameColumn, rate], [{ name: 'antibody-1', value: '1', remark: '' }], {
      width: 20,
    });
    assert.deepEqual(table.lines, ['NAME', 'antibody-1', '    kon 1/(M·s): 1']);
  });

  it('layTable: a very narrow terminal → unranked columns stay, and empty ranked ones go', () => {
    assert.deepEqual(layTable(columns, [{ name: 'a', value: '1', remark: '' }], { width: 3 }).lines, [
      'NAME  VALUE',
      'a         1',
    ]);
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
