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
  assert.deepEqual(readFasta(' \n\n'), { records: [], broken: [], problems: [] });
});

test('FASTA upload: headers of ProteinMPNN and LigandMPNN, chains by "/" → names by structure and sample', () => {
  const { records, problems } = readFasta(
    [
      ">3HTN, score=1.1705, global_score=1.2045, fixed_chains=['B'], designed_chains=['A', 'C'], seed=37",
      'NMYS/QVQL',
      '>T=0.1, sample=1, score=0.7291, global_score=0.9330, seq_recovery=0.5736',
      'NMYA/QVQA',
      '>T=0.1, sample=2, score=0.7414, global_score=0.9355, seq_recovery=0.6075',
      'NMYC/QVQC',
      '>1BC8, T=0.1, seed=111, num_res=93, batch_size=1',
      'MDSA',
      '>1BC8, T=0.1, seed=111, id=1, overall_confidence=0.4, seq_rec=0.5',
      'MDSC',
    ].join('\n'),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(
    records.map(({ name, sequence }) => [name, sequence]),
    [
      ['3HTN', 'NMYS:QVQL'],
      ['3HTN_T0.1_sample1', 'NMYA:QVQA'],
      ['3HTN_T0.1_sample2', 'NMYC:QVQC'],
      ['1BC8', 'MDSA'],
      ['1BC8_T0.1_sample1', 'MDSC'],
    ],
  );
});

test('FASTA upload: several wrong characters → each is named with its column, and the record is kept apart', () => {
  const { records, broken, problems } = readFasta('>one\nQ1VZ-L\n>two\nEVQL');
  assert.deepEqual(
    problems.map(({ line, message }) => [line, message.slice(0, 15)]),
    [
      [2, '"1" in column 2'],
      [2, '"-" in column 5'],
    ],
  );
  assert.deepEqual([records.length, broken], [1, [{ name: 'one', sequence: 'Q1VZ-L', line: 1 }]]);
});
