/** `assayer <noun> <verb>`: finds the operation that the words name, and says what a noun can do. */
import { findNearest } from '#core/nearest.ts';
import { CommandError } from './command-error.ts';
import { layRows, printHelp, wrapHelp } from './help-layout.ts';
import { runOperation } from './kit.ts';
import { listCollections } from './kit-values.ts';
import { operationsByWords } from './siblings.ts';
import { getTableWidth } from './terminal.ts';

/** Words of earlier versions, each with those that do the same now; the first that fits counts. */
export const MOVED: readonly (readonly [earlier: string, now: string])[] = [
  ['import', 'experiments import'],
  ['clone', 'experiments clone'],
  ['edit', 'experiments edit'],
  ['show', 'experiments show'],
  ['cancel', 'experiments cancel'],
  ['reject', 'quotes reject'],
  ['request-target --list', 'target-requests list'],
  ['request-target', 'target-requests create'],
  ['targets', 'targets list'],
  ['lab receive', 'lab experiments receive'],
  ['lab start', 'lab experiments start-run'],
  ['lab upload --run', 'lab runs upload'],
  ['lab upload', 'lab experiments upload'],
  ['lab files', 'lab experiments files'],
  ['lab complete --run', 'lab runs complete'],
  ['lab complete', 'lab experiments complete'],
  ['lab send-back', 'lab experiments send-back'],
  ['lab release', 'lab experiments release'],
  ['lab review', 'lab experiments review'],
  ['lab map --run', 'lab runs map'],
  ['lab map', 'lab experiments map'],
  ['lab plan', 'lab run-plans create'],
  ['lab targets', 'lab targets list'],
  ['lab prices', 'lab price-lists list'],
  ['lab charts', 'lab control-charts list'],
  ['webhooks roll', 'webhooks roll-secret'],
  ['webhooks trigger', 'sandbox trigger-event'],
  ['partners mint', 'partner-tokens mint'],
  ['partners tokens', 'partner-tokens list'],
  ['partners renew', 'partner-tokens renew'],
  ['partners revoke', 'partner-tokens revoke'],
  ['partners', 'partner-tokens list'],
  ['lab queue', 'lab experiments list'],
  ['lab staff --appoint', 'lab staff appoint'],
  ['lab staff --dismiss', 'lab staff dismiss'],
  ['lab staff', 'lab staff list'],
  ['tax list', 'lab tax-rates list'],
  ['tax', 'lab tax-rates set'],
  ...['experiments', 'sequences', 'targets', 'quotes', 'invoices', 'results', 'updates', 'tokens'].map(
    (noun) => [`list ${noun}`, `${noun} list`] as const,
  ),
  ['list', 'experiments list'],
];

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
  refuseMoved(args, count);
  if (count === 0) return false;
  const known = args.slice(0, count).join(' ');
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

/** Words that begin commands of today, too, have moved only where no verb follows. */
function refuseMoved(args: readonly string[], known: number): void {
  const moved = MOVED.find(([earlier]) => {
    const words = earlier.split(' ');
    if (words.some((word, index) => args[index] !== word)) return false;
    const next = args[known] ?? '-';
    return known < words.length || (next.startsWith('-') && !['-h', '--help'].includes(next));
  });
  if (moved === undefined) return;
  const [earlier, now] = moved;
  throw new CommandError(`"assayer ${earlier}" is now "assayer ${now}"; see "assayer ${now} --help".`, 2);
}

function writeNounHelp(noun: string, rows: readonly Summary[]): string {
  const form = `assayer ${noun} ${noun === 'lab' ? '<noun> <verb>' : '<verb>'}`;
  return `Usage: ${form} [options]\n\n${layRows(rows)}\n\n"${form} --help" explains one.`;
}
