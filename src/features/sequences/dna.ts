import type { FastaReading, FastaProblem } from './fasta.ts';
import type { ReadSequence, SequenceReading } from './csv.ts';

/** Recognizes DNA that was sent in place of protein, and translates it by the standard genetic code. */

const DNA_LETTERS_MIN = 30;
/** Each of the four bases makes up at least this share of DNA; proteins of these five letters alone are repeats. */
const BASE_SHARE_MIN = 0.05;
/** Among the 20 amino acids these letters make up about a quarter of a protein. */
const DNA_SHARE_OF_TYPOS = 0.9;

const BASES = 'TCAG';
/** The standard code (NCBI translation table 1); first, second and third base each in the order of `BASES`. */
const STANDARD_CODE = 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG';
const STOP = '*';
const CODON_LENGTH = 3;
const FRAMES = [1, 2, 3] as const;
type Frame = (typeof FRAMES)[number];

/** Whether one chain looks like DNA: 30 letters or more, A, C, G, T and N only, and 5 % or more of each base. */
export function looksLikeDna(chain: string): boolean {
  const text = chain.toUpperCase();
  if (text.length < DNA_LETTERS_MIN || !isDna(text)) return false;
  return Array.from(BASES).every((base) => countLetter(text, base) >= BASE_SHARE_MIN * text.length);
}

interface Translation {
  /** Amino acids, chains separated by ":"; the text itself where no chain is DNA. */
  readonly aaString: string;
  /** Whether a chain was translated. */
  readonly isTranslated: boolean;
  /** What is worth knowing of the translation, in words. */
  readonly notes: readonly string[];
  /** Why a chain cannot be translated, in words. */
  readonly problems: readonly string[];
}

/**
 * Translates each chain that is DNA. Frame 1 is read, or another one where that alone has no stop inside; the other
 * strand is not. A chain with letters of other amino acids is left alone.
 */
export function translateDna(text: string): Translation {
  const chains = text.replaceAll(/\s+/g, '').toUpperCase().split(':');
  const notes: string[] = [];
  const problems: string[] = [];
  let isTranslated = false;
  const translated = chains.map((chain, index) => {
    const place = chains.length === 1 ? '' : `chain ${index + 1}: `;
    const reading = translateChain(chain);
    if (reading === null) return chain;
    isTranslated = true;
    notes.push(...reading.notes.map((note) => place + note));
    problems.push(...reading.problems.map((problem) => place + problem));
    return reading.residues;
  });
  return { aaString: isTranslated ? translated.join(':') : text, isTranslated, notes, problems };
}

interface ChainReading {
  readonly residues: string;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

function translateChain(chain: string): ChainReading | null {
  if (!isDna(chain)) return findTypo(chain);
  const refuse = (problem: string): ChainReading => ({ residues: chain, notes: [], problems: [problem] });
  if (chain.length < CODON_LENGTH) return refuse('the DNA is shorter than one codon');
  const frame = chooseFrame(chain);
  if (frame === null) return refuse(describeStops(chain));
  const residues = readFrame(chain, frame).replace(/\*$/, '');
  if (residues === '') return refuse('the DNA holds nothing but a stop codon');
  const unclear = residues.indexOf('X');
  if (unclear !== -1) {
    const start = frame - 1 + unclear * CODON_LENGTH;
    const codon = chain.slice(start, start + CODON_LENGTH);
    return refuse(`the codon ${codon} at position ${start + 1} could be several amino acids; replace its N`);
  }
  return { residues, notes: listNotes(chain, frame), problems: [] };
}

/** DNA with a few other letters is a mistake: as protein it would be accepted, and made. */
function findTypo(chain: string): ChainReading | null {
  const dnaLetters = chain.replaceAll(/[^ACGTN]/g, '').length;
  if (chain.length < DNA_LETTERS_MIN || dnaLetters < DNA_SHARE_OF_TYPOS * chain.length) return null;
  const at = chain.search(/[^ACGTN]/);
  const problem = `the DNA has the letter ${chain.charAt(at)} at position ${at + 1}; only A, C, G, T and N can be translated`;
  return { residues: chain, notes: [], problems: [problem] };
}

/** Frame 1, or the only other frame without a stop inside; null where neither is. */
function chooseFrame(chain: string): Frame | null {
  const [first, ...others] = FRAMES;
  if (!hasInnerStop(chain, first)) return first;
  const open = others.filter((frame) => chain.length >= frame + 2 && !hasInnerStop(chain, frame));
  return open.length === 1 ? (open[0] ?? null) : null;
}

function describeStops(chain: string): string {
  const at = readFrame(chain, 1).indexOf(STOP) * CODON_LENGTH + 1;
  const open = FRAMES.filter((frame) => chain.length >= frame + 2 && !hasInnerStop(chain, frame));
  const others =
    open.length === 0
      ? 'no other frame is free of stops'
      : `frames ${open.join(' and ')} are both free of stops`;
  return `reading frame 1 has a stop codon at position ${at}, and ${others}; send the coding sequence from its first codon on`;
}

function listNotes(chain: string, frame: Frame): string[] {
  const notes: string[] = [];
  if (frame !== 1)
    notes.push(`translated in reading frame ${frame}, the only one without a stop codon inside`);
  const left = (chain.length - frame + 1) % CODON_LENGTH;
  if (left > 0)
    notes.push(`the last ${left === 1 ? 'letter is' : `${left} letters are`} no whole codon and left out`);
  return notes;
}

function hasInnerStop(chain: string, frame: Frame): boolean {
  return readFrame(chain, frame).slice(0, -1).includes(STOP);
}

function readFrame(chain: string, frame: Frame): string {
  let residues = '';
  for (let at = frame - 1; at + CODON_LENGTH <= chain.length; at += CODON_LENGTH)
    residues += readCodon(chain.slice(at, at + CODON_LENGTH));
  return residues;
}

/** The amino acid of a codon; X where its N leaves several. */
function readCodon(codon: string): string {
  const unknown = codon.indexOf('N');
  if (unknown === -1) {
    const [first = 0, second = 0, third = 0] = Array.from(codon, (base) => BASES.indexOf(base));
    return STANDARD_CODE.charAt(first * 16 + second * 4 + third);
  }
  const meanings = Array.from(BASES, (base) =>
    readCodon(codon.slice(0, unknown) + base + codon.slice(unknown + 1)),
  );
  const [meaning = 'X', ...others] = new Set(meanings);
  return others.length === 0 ? meaning : 'X';
}

function isDna(text: string): boolean {
  return /^[ACGTN]+$/.test(text);
}

function countLetter(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

export interface TranslatedReading extends Omit<FastaReading, 'broken'> {
  /** What is worth knowing of the translation, in words. */
  readonly notes: readonly string[];
  readonly translatedCount: number;
}

/** Translates the records that are DNA; those of protein stay as they are. */
function translateRecords({ records, problems }: Omit<FastaReading, 'broken'>): TranslatedReading {
  const translated = records.map((record) => ({ record, reading: translateDna(record.sequence) }));
  return {
    records: translated.map(({ record, reading }) => ({ ...record, sequence: reading.aaString })),
    problems: [
      ...problems,
      ...translated.flatMap(({ record: { name, line }, reading }) =>
        reading.problems.map((problem) => ({ line, message: `"${name}" cannot be translated: ${problem}.` })),
      ),
    ],
    notes: translated.flatMap(({ record: { name }, reading }) =>
      reading.notes.map((note) => `${name}: ${note}.`),
    ),
    translatedCount: translated.filter(({ reading }) => reading.isTranslated).length,
  };
}

interface TranslatedSequences {
  readonly records: readonly ReadSequence[];
  readonly problems: readonly FastaProblem[];
  /** What is worth knowing of the translation, in words. */
  readonly notes: readonly string[];
  readonly translatedCount: number;
}

/** Translates what is DNA in FASTA or a table. Only residues change: a control stays one. */
export function translateReading({ records, problems }: SequenceReading): TranslatedSequences {
  const plain = records.map(({ name, value, line }) => ({
    name,
    line,
    sequence: typeof value === 'string' ? value : value.aa_string,
  }));
  const reading = translateRecords({ records: plain, problems });
  const translated = records.map((record, index) => {
    const { value } = record;
    const sequence = reading.records[index]?.sequence ?? '';
    return { ...record, value: typeof value === 'object' ? { ...value, aa_string: sequence } : sequence };
  });
  return { ...reading, records: translated };
}
