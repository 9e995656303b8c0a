/** FASTA as it comes out of design tools: any line ends, wrapped lines, any case. Problems name the file and line. */

export interface FastaRecord {
  readonly name: string;
  /** Upper case; chains separated by ":". */
  readonly sequence: string;
  /** Where its header stands. */
  readonly line: number;
}

export interface FastaProblem {
  readonly line: number;
  readonly message: string;
}

/** Everything that is wrong with a file, in the order of its lines. */
export class FastaError extends Error {
  override readonly name = 'FastaError';
  readonly problems: readonly FastaProblem[];

  constructor(file: string, problems: readonly FastaProblem[]) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map(({ line, message }) => `${file}:${line}: ${message}`);
    const more = problems.length - shown.length;
    super([...shown, ...(more > 0 ? [`… and ${more} more in ${file}.`] : [])].join('\n'));
    this.problems = problems;
  }
}

const PROBLEMS_SHOWN = 10;
const BYTE_ORDER_MARK = '\uFEFF';

interface OpenRecord {
  readonly name: string;
  readonly line: number;
  readonly parts: string[];
}

/** Reads every record of a file, or throws a `FastaError` that lists all its problems. */
export function parseFasta(text: string, file: string): FastaRecord[] {
  const reader = new Reader();
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  for (const [index, line] of plain.split(/\r\n|\n|\r/).entries()) reader.take(line, index + 1);
  reader.finish();
  if (reader.problems.length > 0) {
    throw new FastaError(
      file,
      reader.problems.toSorted((a, b) => a.line - b.line),
    );
  }
  return reader.records;
}

class Reader {
  readonly records: FastaRecord[] = [];
  readonly problems: FastaProblem[] = [];
  readonly #linesOfNames = new Map<string, number>();
  #open: OpenRecord | undefined;
  #isHeadless = false;

  take(line: string, number: number): void {
    if (line.trim() === '') return;
    if (line.startsWith('>')) this.#header(line, number);
    else this.#residues(line, number);
  }

  finish(): void {
    this.#close();
    if (this.records.length === 0 && this.problems.length === 0) {
      this.#problem(1, 'there is no sequence in this file; a sequence begins with a line ">name".');
    }
  }

  #header(line: string, number: number): void {
    this.#close();
    const name = line.slice(1).trim().split(/\s+/, 1)[0] ?? '';
    if (name === '') this.#problem(number, 'the header has no name; write ">name" in front of the sequence.');
    const earlier = this.#linesOfNames.get(name);
    if (name !== '' && earlier !== undefined)
      this.#problem(number, `the name "${name}" is already used in line ${earlier}; names must differ.`);
    else this.#linesOfNames.set(name, number);
    this.#open = { name, line: number, parts: [] };
  }

  #residues(line: string, number: number): void {
    if (this.#open === undefined) {
      if (!this.#isHeadless)
        this.#problem(number, 'a sequence stands before the first header line (">name").');
      this.#isHeadless = true;
      return;
    }
    const wrong = /[^A-Za-z:*\s]/.exec(line);
    if (wrong !== null) {
      this.#problem(
        number,
        `"${wrong[0]}" in column ${wrong.index + 1} is not an amino acid; use one-letter codes, with ":" between chains.`,
      );
    }
    this.#open.parts.push(line.replaceAll(/\s/g, ''));
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    // A closing "*" is how FASTA writes the stop codon; it is no residue.
    const sequence = open.parts.join('').replace(/\*$/, '').toUpperCase();
    if (sequence === '') this.#problem(open.line, `no sequence follows the header of "${open.name}".`);
    const stop = sequence.indexOf('*');
    if (stop !== -1)
      this.#problem(
        open.line,
        `"${open.name}" has a stop ("*") at position ${stop + 1}, inside the sequence.`,
      );
    this.records.push({ name: open.name, sequence, line: open.line });
  }

  #problem(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}
