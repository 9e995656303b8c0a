import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWorkbook } from '#analysis/formats/reading/xlsx.ts';
import { writeWorkbook } from '#documents/workbook.ts';

test('workbook: texts, numbers and gaps → read back as they were, a formula as a text', () => {
  const rows = [
    ['name', 'kd', 'flags'],
    ['=HYPERLINK("x")', 9.3e-9, null],
    ['<b>&"é\u0001', -1.5, 'A B'],
  ];
  const bytes = writeWorkbook('DEMO-001-001/[x]', rows);
  const [sheet] = readWorkbook({ name: 'results.xlsx', bytes: Buffer.from(bytes) });
  const cells = sheet?.rows.map(({ cells: row }) => row.map(({ text }) => text));
  assert.deepEqual(cells?.[0], ['name', 'kd', 'flags']);
  assert.equal(cells?.[1]?.[0], '=HYPERLINK("x")');
  assert.equal(Number(cells?.[1]?.[1]), 9.3e-9);
  assert.equal(cells?.[2]?.[0], '<b>&"é\ufffd');
  assert.equal(cells?.[2]?.at(-1), 'A B');
});
