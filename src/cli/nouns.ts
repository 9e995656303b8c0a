/** `assayer <noun> <verb>`: finds the operation that the words name, and says what a noun can do. */
import { findNearest } from '#core/nearest.ts';
import { CommandError } from './command-error.ts';
import { layRows, printHelp, wrapHelp } from './help-layout.ts';
import { runOperation } from './kit.ts';
import { listCollections } from './kit-values.ts';
import { operationsByWords } from './siblings.ts';
import { getTableWidth } from './terminal.ts';

/** A verb with what it does; a noun with what it holds. */
type Summary = readonly [words: string, summary: string];

/**
 * Runs the operation that the first words name, or says what may follow them; false where they begin nothing. `others`
 * are commands beside the operations.
 */
export async function runNoun(args: readonly string[], others: readonly Summary[] = []): Promise<boolean> {
  const depth = args[0] === 'lab' ? 3 : 2;
  const words = args.slice(0, depth).join(' ');
  const operation = operationsByWords.get(words);
  if (operation !== undefined) {
    await runOperation(words, operation, args.slice(depth), listCollections(operationsByWords));
    return true;
  }
  const isKnown = (count: number): boolean =>
    [...operationsByWords.keys()].some((name) => name.startsWith(`${args.slice(0, count).join(' ')} `));
  const count = args.slice(0, depth - 1).findLastIndex((_, index) => isKnown(index + 1)) + 1;
  const word = args[count] ?? '';
  const known = args.slice(0, count).join(' ');
  const nouns = [...groupVerbs().keys()].map((noun) => noun.split(' ')[count] ?? '');
  // The noun is easily forgotten, or put last: `lab receive` for `lab experiments receive`, `list quotes`.
  const likely = nouns.find((noun) => noun === args[count + 1]) ?? 'experiments';
  const [meant] = [...operationsByWords.keys()]
    .filter((name) => name.startsWith(count === 0 ? '' : `${known} `) && name.endsWith(` ${word}`))
    .toSorted((a, b) => Number(b.split(' ').includes(likely)) - Number(a.split(' ').includes(likely)));
  if (meant !== undefined && (count === 0 || known === 'lab') && findNearest(word, nouns) === undefined)
    throw new CommandError(
      `There is no command "${[known, word].join(' ').trim()}". Did you mean "${meant}"?`,
      2,
    );
  if (count === 0) return false;
  const following = args[count];
  const rows = [...[...operationsByWords].map(([name, { summary }]): Summary => [name, summary]), ...others]
    .filter(([name]) => name.startsWith(`${known} `))
    .map(([name, summary]): Summary => [name.slice(known.length + 1), summary]);
  if (following === '--help' || following === '-h') printHelp(writeNounHelp(known, rows));
  else if (following === undefined || following.startsWith('-'))
    // A person sees what may follow, and a script that it has said too little.
    throw new CommandError(
      `Something is missing behind "${known}".\n\n${wrapHelp(writeNounHelp(known, rows), getTableWidth())}`,
      2,
    );
  else {
    const near = findNearest(following, new Set(rows.map(([name]) => name.split(' ')[0] ?? '')));
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
    throw new CommandError(
      `"assayer ${known}" has no "${following}"${hint}; see "assayer ${known} --help".`,
      2,
    );
  }
  return true;
}

/** Every noun with its verbs, those of the lab apart. */
export function writeNouns(): string {
  const [ofLab, others] = [true, false]
    .map((isOfLab) => [...groupVerbs()].filter(([noun]) => noun.startsWith('lab ') === isOfLab))
    .map((nouns) => layRows(nouns.map(([noun, verbs]) => [noun, verbs.join(' ')])));
  return `Nouns with their verbs, one for every operation of the API:\n${others}\n\nThe same for the staff of the lab:\n${ofLab}`;
}

/** The verbs of each noun, such as `quotes` or `lab quotes`, all in the order of the alphabet. */
export function groupVerbs(): ReadonlyMap<string, readonly string[]> {
  const verbs = new Map<string, string[]>();
  for (const words of [...operationsByWords.keys()].sort()) {
    const end = words.lastIndexOf(' ');
    const noun = words.slice(0, end);
    verbs.set(noun, [...(verbs.get(noun) ?? []), words.slice(end + 1)]);
  }
  return verbs;
}

function writeNounHelp(noun: string, rows: readonly Summary[]): string {
  const form = `assayer ${noun} ${noun === 'lab' ? '<noun> <verb>' : '<verb>'}`;
  const nouns = [...groupVerbs()].flatMap(([name, verbs]) =>
    name.startsWith('lab ') ? [[name.slice(4), verbs.join(' ')] as const] : [],
  );
  const ofLab = [...nouns, ...rows.filter(([name]) => !name.includes(' '))];
  return `Usage: ${form} [options]\n\n${layRows((noun === 'lab' ? ofLab : rows).toSorted(([a], [b]) => (a < b ? -1 : 1)))}\n\n"${form} --help" explains one.`;
}
