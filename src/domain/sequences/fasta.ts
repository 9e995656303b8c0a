/** FASTA as people paste it: any line ends, wrapped lines, tabs, numbered blocks. Problems name their line. */

export interface FastaRecord {
  /** The first word after `>`. */
  readonly name: string;
  readonly sequence: string;
  /** Where its header stands, counted from 1. */
  readonly line: number;
}

export interface FastaProblem {
  readonly line: number;
  readonly message: string;
}

export interface FastaReading {
  readonly records: readonly FastaRecord[];
  readonly problems: readonly FastaProblem[];
}

interface OpenRecord {
  readonly name: string;
  readonly line: number;
  readonly residues: string[];
}

export function readFasta(text: string): FastaReading {
  const records: FastaRecord[] = [];
  const problems: FastaProblem[] = [];
  const lineOfName = new Map<string, number>();
  let open: OpenRecord | undefined;
  let isHeadless = false;

  const close = (): void => {
    if (open === undefined) return;
    const sequence = open.residues.join('');
    if (sequence === '') problems.push({ line: open.line, message: `no sequence follows ">${open.name}"` });
    else records.push({ name: open.name, sequence, line: open.line });
    open = undefined;
  };

  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = raw.trim();
    const at = index + 1;
    if (line === '' || line.startsWith(';')) continue;
    if (line.startsWith('>')) {
      close();
      const name = line.slice(1).trim().split(/\s+/, 1)[0] ?? '';
      const earlier = lineOfName.get(name);
      if (name === '') problems.push({ line: at, message: 'a name is needed after ">"' });
      else if (earlier !== undefined)
        problems.push({ line: at, message: `the name ${name} is already used in line ${earlier}` });
      lineOfName.set(name, earlier ?? at);
      open = { name, line: at, residues: [] };
    } else if (open === undefined) {
      if (!isHeadless) problems.push({ line: at, message: 'a sequence needs a line ">name" before it' });
      isHeadless = true;
    } else {
      // Numbers stand at the ends of lines in numbered blocks; they are never residues.
      open.residues.push(line.replaceAll(/[\s\d]/g, ''));
    }
  }
  close();
  return { records, problems: problems.toSorted((a, b) => a.line - b.line) };
}
