import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFasta } from './fasta.ts';

test('FASTA upload: headers of several words, wrapped lines, chains → names and whole sequences', () => {
  const { records, problems } = readFasta('>one a comment\nQVQL\nVESG:\nDIQM\n\n>two\tmore\nEVQL');
  assert.deepEqual(problems, []);
  assert.deepEqual(records, [
    { name: 'one', sequence: 'QVQLVESG:DIQM', line: 1 },
    { name: 'two', sequence: 'EVQL', line: 6 },
  ]);
});

test('FASTA upload: Windows or old line ends, a byte-order mark, tabs, numbered blocks → read', () => {
  const { records, problems } = readFasta('\uFEFF>one\r\n  1 QVQL\tVESG 8\r\n  9 GGLV\r>two\rEVQL\r\n');
  assert.deepEqual(problems, []);
  assert.deepEqual(
    records.map(({ sequence }) => sequence),
    ['QVQLVESGGGLV', 'EVQL'],
  );
});

test('FASTA upload: no header, no name, no sequence, a name used twice → a problem with the line', () => {
  const { problems } = readFasta('QVQL\nVESG\n>\nEVQL\n>empty\n>one\nQVQL\n>one\nEVQL');
  assert.deepEqual(
    problems.map(({ line }) => line),
    [1, 3, 5, 8],
  );
  assert.match(problems[3]?.message ?? '', /"one" is already used in line 6/);
});

test('FASTA upload: an empty text → no records and no problems', () => {
  assert.deepEqual(readFasta(' \n\n'), { records: [], problems: [] });
});
