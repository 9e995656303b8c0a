import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeDna, translateDna } from './dna.ts';

/** Ten codons of GFP, from its first on. */
const CODING = 'ATGAGCAAAGGCGAAGAACTGTTTACCGGC';
const PROTEIN = 'MSKGEELFTG';

const translate = (text: string): string => {
  const { aaString, problems } = translateDna(text);
  assert.deepEqual(problems, []);
  return aaString;
};

test('looks_like_dna: 30 letters of A, C, G, T and N, each base 5 % or more → DNA; anything less → protein', () => {
  assert.equal(looksLikeDna(CODING), true);
  assert.equal(looksLikeDna(CODING.toLowerCase()), true);
  assert.equal(looksLikeDna(CODING.replace('AGC', 'NNN')), true);
  assert.equal(looksLikeDna(CODING.slice(1)), false, '29 letters');
  assert.equal(looksLikeDna(`${CODING}M`), false, 'another letter');
  assert.equal(looksLikeDna(`${'ACG'.repeat(19)}TTT`), true, '5 % of T');
  assert.equal(looksLikeDna(`${'ACG'.repeat(20)}TTT`), false, 'less than 5 % of T');
  assert.equal(looksLikeDna('GGGGGTGGGGGTGGGGGTGGGGGTGGGGGT'), false, 'a repeat of two amino acids');
});

test('dna: a coding sequence in any case → protein, without its last stop', () => {
  assert.equal(translate(CODING), PROTEIN);
  assert.equal(translate(CODING.toLowerCase()), PROTEIN);
  assert.equal(translate(`${CODING}TAA`), PROTEIN);
  assert.equal(translate(`${CODING}TGA`), PROTEIN);
});

test('dna: every codon → the amino acid of the standard code', () => {
  const bases = Array.from('TCAG');
  const codons = bases.flatMap((a) => bases.flatMap((b) => bases.map((c) => a + b + c)));
  const sense = codons.filter((codon) => !['TAA', 'TAG', 'TGA'].includes(codon));
  assert.equal(translate(sense.join('')), 'FFLLSSSSYYCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG');
});

test('dna: chains joined by ":", one of them protein → that one stays, the others are translated', () => {
  assert.equal(translate(`${CODING}:MKWVTF:${CODING}TAG`), `${PROTEIN}:MKWVTF:${PROTEIN}`);
  const untouched = translateDna('MKWVTF:EVQL');
  assert.deepEqual(untouched, { aaString: 'MKWVTF:EVQL', isTranslated: false, notes: [], problems: [] });
});

test('dna: a stop inside frame 1, and one other frame without → that frame, and a note', () => {
  const shifted = `T${`AACATGACG`.repeat(4)}`;
  assert.match(shifted, /^TAA/);
  const { aaString, notes } = translateDna(shifted);
  assert.equal(aaString, 'NMT'.repeat(4));
  assert.deepEqual(notes, ['translated in reading frame 2, the only one without a stop codon inside']);
});

test('dna: stops inside every frame, or two others without → refused with the place of the stop', () => {
  const closed = translateDna('ATGTAACTAACTAACTAACTAACTAACTAACC').problems;
  assert.deepEqual(closed, [
    'reading frame 1 has a stop codon at position 4, and no other frame is free of stops; send the coding sequence from its first codon on',
  ]);
  const open = translateDna('ATGTAAGCCGCCGCCGCCGCCGCCGCCGCC').problems;
  assert.match(open.join(), /frames 2 and 3 are both free of stops/);
});

test('dna: N in a codon → the amino acid where all four mean it, else refused with codon and position', () => {
  assert.equal(translate('ATGGGNACN'), 'MGT');
  assert.deepEqual(translateDna('ATGGANACC').problems, [
    'the codon GAN at position 4 could be several amino acids; replace its N',
  ]);
});

test('dna: letters after the last codon, a letter that is no base, less than a codon → a note, or refused', () => {
  assert.deepEqual(translateDna(`${CODING}GC`).notes, ['the last 2 letters are no whole codon and left out']);
  assert.match(translateDna(`${CODING}R`).problems.join(), /the letter R at position 31/);
  assert.match(translateDna('AC').problems.join(), /shorter than one codon/);
  assert.match(translateDna('TAA').problems.join(), /nothing but a stop codon/);
});
