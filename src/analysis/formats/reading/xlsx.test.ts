import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkbookParts, createZip } from '#testing/analysis/archive.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import { readWorkbook } from './xlsx.ts';

const WITH_SHARED = createWorkbookParts({ Data: [['shared']] });

function createBook(shared: string, cells: string) {
  const parts = WITH_SHARED.map((part) => {
    if (part.name.endsWith('sharedStrings.xml'))
      return toFile(part.name, `<sst><si><t>${shared}</t></si></sst>`);
    if (!part.name.endsWith('sheet1.xml')) return part;
    return toFile(part.name, `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`);
  });
  return { ...createZip(parts), name: 'book.xlsx' };
}

const CELL = '<c t="s"><v>0</v></c>';

test('workbook: cells repeat one long shared text → refused by the characters of all cells', () => {
  const long = 'x'.repeat(1_000_000);
  assert.equal(readWorkbook(createBook(long, CELL.repeat(20)))[0].rows[0].cells.length, 20);
  assert.throws(
    () => readWorkbook(createBook(long, CELL.repeat(30))),
    /expected at most 25165824 characters/,
  );
});

test('XML: a reference to half of a surrogate pair or to a control character → refused; to a letter → read', () => {
  for (const code of ['&#xD800;', '&#xDFFF;', '&#1;', '&#0;', '&#xFFFF;', '&#x110000;'])
    assert.throws(() => readWorkbook(createBook(`a${code}`, CELL)), /expected a predefined entity/, code);
  assert.equal(readWorkbook(createBook('a&#xE4;&#x1F600;', CELL))[0].rows[0].cells[0].text, 'aä😀');
});
