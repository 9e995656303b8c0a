import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CommandError } from './command-error.ts';
import { parseSequences } from './sequence-file.ts';
import { toText } from './words.ts';

const read = (text: string): string[] =>
  Object.entries(parseSequences(text, 'x.fasta')).map(([name, value]) => `${name}=${toText(value)}`);

function getComplaints(text: string): string[] {
  try {
    parseSequences(text, 'x.fasta');
  } catch (error) {
    assert.ok(error instanceof CommandError);
    return error.message.split('\n');
  }
  throw new Error('nothing was wrong');
}

describe('FASTA', () => {
  it('FASTA: a header of several words → the first word is the name', () => {
    assert.deepEqual(read('>one | target=EGFR\nACD\n> two\tmore\nEFG\n'), ['one=ACD', 'two=EFG']);
  });

  it('FASTA: wrapped lines, any line end, blank lines → the joined sequences', () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.deepEqual(read(['', '>a', 'ACD', '', 'EFG', '>b', 'HIK'].join(end)), ['a=ACDEFG', 'b=HIK']);
  });

  it('FASTA: lower case, spaces, a byte-order mark or a closing stop → accepted', () => {
    assert.deepEqual(read('\uFEFF>a\nacd efg\thik*\n'), ['a=ACDEFGHIK']);
  });

  it('FASTA: a colon between chains → kept', () => {
    assert.deepEqual(read('>fv\nEVQL:\nDIQM\n'), ['fv=EVQL:DIQM']);
  });

  it('FASTA: the example file of the product → all sequences are valid', () => {
    const file = new URL('../../examples/antibodies.fasta', import.meta.url);
    const sequences = Object.values(parseSequences(readFileSync(file, 'utf8'), 'antibodies.fasta'));
    assert.ok(sequences.length >= 24);
    assert.ok(sequences.every((sequence) => /^[ACDEFGHIKLMNPQRSTVWY:]+$/.test(toText(sequence))));
  });
});

describe('problems of a FASTA file', () => {
  it('FASTA: a sequence before the first header → one problem', () => {
    assert.deepEqual(getComplaints('\nACD\nEFG\n>a\nACD\n'), [
      'x.fasta:2: a sequence stands before the first header line (">name").',
    ]);
  });

  it('FASTA: a header without a name → a problem', () => {
    assert.deepEqual(getComplaints('>a\nACD\n>  \nACD\n'), [
      'x.fasta:3: the header has no name; write ">name" in front of the sequence.',
    ]);
  });

  it('FASTA: a name used twice → a problem that names the first line', () => {
    assert.deepEqual(getComplaints('>a\nACD\n>a 2\nEFG\n'), [
      'x.fasta:3: the name "a" is already used in line 1; names must differ.',
    ]);
  });

  it('FASTA: a header without a sequence → a problem', () => {
    assert.deepEqual(getComplaints('>a\n>b\nACD\n>c\n*\n'), [
      'x.fasta:1: no sequence follows the header of "a".',
      'x.fasta:4: no sequence follows the header of "c".',
    ]);
  });

  it('FASTA: characters that are no letters → a problem with the column', () => {
    assert.deepEqual(getComplaints('>a\nACD\nAC-D\n'), [
      'x.fasta:3: "-" in column 3 is not an amino acid; use one-letter codes, with ":" between chains.',
    ]);
  });

  it('FASTA: a stop inside the sequence → a problem with the position', () => {
    assert.deepEqual(getComplaints('>a\nAC*D\n'), [
      'x.fasta:1: "a" has a stop ("*") at position 3, inside the sequence.',
    ]);
  });

  it('FASTA: no sequence → a problem', () => {
    for (const text of ['', '\n\n', '\uFEFF'])
      assert.match(getComplaints(text).join(), /^x\.fasta:1: there is no sequence; FASTA begins/);
  });

  it('FASTA: 14 problems → the first ten in the order of lines, and the number of the rest', () => {
    const text = Array.from({ length: 14 }, (_, index) => `>${index}\n-\n`).join('');
    const lines = getComplaints(text);
    assert.equal(lines.length, 11);
    assert.equal(
      lines.at(0),
      'x.fasta:2: "-" in column 1 is not an amino acid; use one-letter codes, with ":" between chains.',
    );
    assert.equal(lines.at(-1), '… and 4 more in x.fasta.');
  });
});
