/** Reads FASTA as people and design tools write it: any line ends, wrapped lines, any case, tabs, numbered blocks. */

export interface FastaRecord {
  /** The first word after `>`. */
  readonly name: string;
  /** Upper case; chains separated by ":". */
  readonly sequence: string;
  /** Line of its header, from 1. */
  readonly line: number;
}

export interface FastaProblem {
  readonly line: number;
  readonly message: string;
}

export interface FastaReading {
  /** Those without a problem. */
  readonly records: readonly FastaRecord[];
  /** In the order of the lines. */
  readonly problems: readonly FastaProblem[];
}

/** Reads every record and finds every problem; an empty text has neither. */
export function readFasta(text: string): FastaReading {
  const reader = new Reader();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries())
    reader.take(line, index + 1);
  reader.finish();
  return { records: reader.records, problems: reader.problems.toSorted((a, b) => a.line - b.line) };
}

interface OpenRecord {
  readonly name: string;
  readonly line: number;
  readonly residues: string[];
  isBroken: boolean;
}

class Reader {
  readonly records: FastaRecord[] = [];
  readonly problems: FastaProblem[] = [];
  readonly #lineOfName = new Map<string, number>();
  #open: OpenRecord | undefined;
  #isHeadless = false;

  take(line: string, number: number): void {
    if (line.trim() === '' || line.startsWith(';')) return;
    if (line.trimStart().startsWith('>')) this.#readHeader(line.trim(), number);
    else this.#readResidues(line, number);
  }

  finish(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    // FASTA writes the stop codon as a final "*", which is not a residue.
    const sequence = open.residues.join('').replace(/\*$/, '').toUpperCase();
    const stop = sequence.indexOf('*');
    if (sequence === '') this.#addProblem(open.line, `no sequence follows the header of "${open.name}".`);
    else if (stop !== -1)
      this.#addProblem(
        open.line,
        `"${open.name}" has a stop ("*") at position ${stop + 1}, inside the sequence.`,
      );
    else if (!open.isBroken) this.records.push({ name: open.name, sequence, line: open.line });
  }

  #readHeader(line: string, number: number): void {
    this.finish();
    const name = line.slice(1).trim().split(/\s+/, 1)[0] ?? '';
    const earlier = this.#lineOfName.get(name);
    if (name === '')
      this.#addProblem(number, 'the header has no name; write ">name" in front of the sequence.');
    else if (earlier !== undefined)
      this.#addProblem(number, `the name "${name}" is already used in line ${earlier}; names must differ.`);
    this.#lineOfName.set(name, earlier ?? number);
    this.#open = { name, line: number, residues: [], isBroken: name === '' || earlier !== undefined };
  }

  #readResidues(line: string, number: number): void {
    if (this.#open === undefined) {
      if (!this.#isHeadless)
        this.#addProblem(number, 'a sequence stands before the first header line (">name").');
      this.#isHeadless = true;
      return;
    }
    // Numbers between spaces count the residues of a block; a digit among letters is an error.
    const residues = line.replaceAll(/(?<!\S)\d+(?!\S)/g, (count) => ' '.repeat(count.length));
    const wrong = /[^A-Za-z:*\s]/.exec(residues);
    if (wrong !== null) {
      this.#open.isBroken = true;
      this.#addProblem(
        number,
        `"${wrong[0]}" in column ${wrong.index + 1} is not an amino acid; use one-letter codes, with ":" between chains.`,
      );
    }
    this.#open.residues.push(residues.replaceAll(/\s/g, ''));
  }

  #addProblem(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}
