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
  /** Name of the record in which it is; absent where the header itself is meant. */
  readonly record?: string;
}

export interface FastaReading {
  /** Those without a problem. */
  readonly records: readonly FastaRecord[];
  /** Those with letters that are no amino acids, so that what else is wrong with them is named as well. */
  readonly broken: readonly FastaRecord[];
  /** In the order of the lines. */
  readonly problems: readonly FastaProblem[];
}

/** Wrong letters that are named of one line. */
const LETTERS_NAMED_MAX = 5;

/** Reads every record and finds every problem; an empty text has neither. */
export function readFasta(text: string): FastaReading {
  const reader = new Reader();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries())
    reader.take(line, index + 1);
  reader.finish();
  return {
    records: reader.records,
    broken: reader.broken,
    problems: reader.problems.toSorted((a, b) => a.line - b.line),
  };
}

interface OpenRecord {
  readonly name: string;
  readonly line: number;
  readonly residues: string[];
  /** Whether a design tool wrote it, which separates chains by "/". */
  readonly isFromTool: boolean;
  /** Whether it is left out: its name is missing or taken. */
  readonly isNameless: boolean;
  isBroken: boolean;
}

class Reader {
  readonly records: FastaRecord[] = [];
  readonly broken: FastaRecord[] = [];
  readonly problems: FastaProblem[] = [];
  readonly #lineOfName = new Map<string, number>();
  #open: OpenRecord | undefined;
  #isHeadless = false;
  /** Name of the structure that a design tool began with. */
  #input = '';

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
    else if (!open.isNameless)
      (open.isBroken ? this.broken : this.records).push({ name: open.name, sequence, line: open.line });
  }

  #readHeader(line: string, number: number): void {
    this.finish();
    const tool = readToolHeader(line.slice(1), this.#input);
    this.#input = tool?.input ?? this.#input;
    const name = tool?.name ?? line.slice(1).trim().split(/\s+/, 1)[0] ?? '';
    const earlier = this.#lineOfName.get(name);
    if (name === '')
      this.#addProblem(number, 'the header has no name; write ">name" in front of the sequence.');
    else if (earlier !== undefined)
      this.#addProblem(number, `the name "${name}" is already used in line ${earlier}; names must differ.`);
    this.#lineOfName.set(name, earlier ?? number);
    const isNameless = name === '' || earlier !== undefined;
    this.#open = {
      name,
      line: number,
      residues: [],
      isFromTool: tool !== undefined,
      isNameless,
      isBroken: false,
    };
  }

  #readResidues(line: string, number: number): void {
    if (this.#open === undefined) {
      if (!this.#isHeadless)
        this.#addProblem(number, 'a sequence stands before the first header line (">name").');
      this.#isHeadless = true;
      return;
    }
    // Numbers between spaces count the residues of a block; a digit among letters is an error.
    const counted = line.replaceAll(/(?<!\S)\d+(?!\S)/g, (count) => ' '.repeat(count.length));
    const residues = this.#open.isFromTool ? counted.replaceAll('/', ':') : counted;
    for (const { 0: letter, index } of [...residues.matchAll(/[^A-Za-z:*\s]/gu)].slice(
      0,
      LETTERS_NAMED_MAX,
    )) {
      this.#open.isBroken = true;
      this.#addProblem(
        number,
        `"${letter}" in column ${index + 1} is not an amino acid; use one-letter codes, with ":" between chains.`,
        this.#open.name,
      );
    }
    this.#open.residues.push(residues.replaceAll(/\s/g, ''));
  }

  #addProblem(line: number, message: string, record?: string): void {
    this.problems.push({ line, message, ...(record !== undefined && record !== '' && { record }) });
  }
}

/**
 * The name that a header of ProteinMPNN or LigandMPNN stands for: that of the structure for the first record
 * (`>3HTN, score=1.17, …`), with the number of the sample for each design (`>T=0.1, sample=1, score=0.73, …`).
 */
function readToolHeader(header: string, input: string): { name: string; input: string } | undefined {
  const [first = '', ...others] = header.split(',').map((part) => part.trim());
  const fields = new Map(
    [first, ...others].flatMap((part) => {
      const at = part.indexOf('=');
      return at === -1 ? [] : [[part.slice(0, at), part.slice(at + 1)] as const];
    }),
  );
  const isFromTool = ['score', 'overall_confidence', 'num_res', 'seq_recovery'].some((key) =>
    fields.has(key),
  );
  if (!isFromTool) return undefined;
  const structure = first.includes('=') ? input : first.replaceAll(/\s+/g, '_');
  const [sample, temperature] = [fields.get('sample') ?? fields.get('id'), fields.get('T')];
  if (sample === undefined) return { name: structure === '' ? 'input' : structure, input: structure };
  const parts = [structure, temperature === undefined ? '' : `T${temperature}`, `sample${sample}`];
  return { name: parts.filter((part) => part !== '').join('_'), input: structure };
}
