/** `assayer lab review`: what waits for its release, and decisions on replicates or single curves of them. */
import { formatCount, joinWords } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { Static } from '#core/schema.ts';
import type { decideReplicates, getLabReview } from '#features/review/contract.ts';
import { decisions, type DecisionName } from '#features/review/rules.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { printTable } from './lab-list.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import type { Column } from './table.ts';
import { print, printNote, toPlainText } from './terminal.ts';
import { formatStatus } from './words.ts';

type Review = Static<(typeof getLabReview)['output']>;
type Decided = Static<(typeof decideReplicates)['output']>;
type Decision = Review['decisions'][number];

const HELP = `Usage: assayer lab review CODE [--json]
       assayer lab review CODE --exclude SEQUENCE --plate NAME --replicate N --reason TEXT
                          [--well WELL] [--concentration-nm NM]
       assayer lab review CODE --repeat SEQUENCE …
       assayer lab review CODE --accept SEQUENCE …

Shows what waits for its release and what was decided, or decides about one replicate. What counts changes with another
analysis, which starts by itself; a repeat begins another run.

  --exclude SEQUENCE       leave the replicate of this sequence out
  --repeat SEQUENCE        leave it out and measure it again; only before the release
  --accept SEQUENCE        count it again
  --plate NAME             plate, as the results name it
  --replicate N            number of the replicate
  --well WELL              needed where the plate has the replicate in several wells
  --concentration-nm NM    only the curve of this concentration, such as one dose of a titration
  --reason TEXT            needed to exclude or repeat; clients read it after the release
  --json                   print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer lab review DEMO-001-004
  assayer lab review DEMO-001-004 --exclude design-1 --plate P1 --replicate 2 --concentration-nm 31.6 --reason "An air bubble."`;

const guide = { name: 'lab review', help: HELP, operands: ['CODE'] };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  accept: { type: 'string' },
  exclude: { type: 'string' },
  repeat: { type: 'string' },
  plate: { type: 'string' },
  replicate: { type: 'string' },
  well: { type: 'string' },
  'concentration-nm': { type: 'string' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
} as const;

interface Given extends Readonly<Partial<Record<DecisionName, string | undefined>>> {
  readonly plate?: string | undefined;
  readonly replicate?: string | undefined;
  readonly well?: string | undefined;
  readonly 'concentration-nm'?: string | undefined;
  readonly reason?: string | undefined;
}

const columns: readonly Column<Decision>[] = [
  { title: 'SEQUENCE', getCell: ({ sequence }) => toPlainText(sequence) },
  { title: 'PLATE', getCell: ({ plate, well }) => toPlainText([plate, well ?? ''].join(' ').trim()) },
  { title: 'REPLICATE', align: 'right', getCell: ({ replicate }) => String(replicate) },
  {
    title: 'NM',
    align: 'right',
    getCell: ({ concentration_m: dose }) =>
      dose === null ? '' : String(Number((dose * 1e9).toPrecision(6))),
  },
  { title: 'DECISION', getCell: ({ decision }) => decision },
  { title: 'REASON', rank: 2, getCell: ({ reason }) => toPlainText(reason ?? '') },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [code = ''] = positionals;
  const api = createApi(requireConnection(values));
  const path = `/lab/experiments/${encodeURIComponent(code)}`;
  const decision = readDecision(values);
  if (decision === undefined) {
    const review = await api.get<Review>(`${path}/review`);
    if (values.json === true) return print(JSON.stringify(review, null, 2));
    return printReview(review);
  }
  const decided = await api.post<Decided>(`${path}/decisions`, { decisions: [decision] });
  if (values.json === true) return print(JSON.stringify(decided, null, 2));
  const next = decided.analysis_id === null ? '' : '; the files are analyzed again';
  print(`${decided.experiment_code}: ${formatStatus(decided.status)}${next}`);
}

/** Undefined where nothing is decided. */
function readDecision(values: Given): Readonly<Record<string, unknown>> | undefined {
  const chosen = decisions.filter((each) => values[each] !== undefined);
  const [decision] = chosen;
  if (decision === undefined) return undefined;
  if (chosen.length > 1) throw createUsageError(guide, `choose one of --${chosen.join(' and --')}`);
  if (values.plate === undefined) throw createUsageError(guide, '--plate is missing');
  const { reason, well, 'concentration-nm': dose } = values;
  if (decision !== 'accept' && reason === undefined) throw createUsageError(guide, '--reason is missing');
  return {
    sequence: values[decision],
    plate: values.plate,
    replicate: readNumber('--replicate', values.replicate, Number.isSafeInteger),
    decision,
    ...(well === undefined ? {} : { well }),
    ...(dose === undefined
      ? {}
      : { concentration_m: readNumber('--concentration-nm', dose, Number.isFinite) * 1e-9 }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function readNumber(name: string, text: string | undefined, isFitting: (value: number) => boolean): number {
  const value = Number(text);
  if (text === undefined || text.trim() === '' || !isFitting(value) || value <= 0)
    throw createUsageError(guide, `${name} needs a number, such as ${name} 1`);
  return value;
}

function printReview(review: Review): void {
  const { experiment_code: code, version, awaits, second_person: second } = review;
  const waiting = review.sequences.filter((each) => !each.is_released).length;
  const state =
    awaits === 'release'
      ? `version ${version} waits for its release, ${formatCount(waiting, 'sequence')}`
      : awaits === 'amendment'
        ? `version ${version} waits as an amendment`
        : 'nothing waits for a release';
  print(`${code}: ${formatStatus(review.status)}; ${state}`);
  if (review.is_analysis_open) printNote('The files are being analyzed again.');
  if (awaits !== null && second.is_needed && second.not_by !== null)
    printNote(`A second person has to release it: ${toPlainText(second.not_by)} decided last.`);
  if (review.shortfall !== null) print(formatShortfall(review.shortfall));
  if (review.decisions.length > 0) printTable(columns, review.decisions);
}

/** What a release needs a reason for, and what was paid for it. */
function formatShortfall({
  missing,
  credit_cents: cents,
  credit_notes: notes,
}: NonNullable<Review['shortfall']>): string {
  const paid =
    cents !== null && cents > 0
      ? ` ${formatUsd(cents)} with tax were paid for what was not measured.`
      : notes.length > 0
        ? ` What was paid for the rest is credited by ${joinWords(notes, 'and')}.`
        : '';
  return `Less than ordered: ${toPlainText(missing)}. A release needs --reason.${paid}`;
}
