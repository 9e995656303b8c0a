/** `assayer lab queue`: the experiments of all organizations, and whom they wait for. */
import type { Static } from '#core/schema.ts';
import type { listLabExperiments } from '#features/queue/contract.ts';
import { LIST_HELP, LIST_OPTIONS, printList } from './lab-list.ts';
import { formatTime, formatStatus } from './words.ts';
import { CONNECTION_HELP, parseOptions } from './options.ts';
import type { Column } from './table.ts';
import { shortenText } from './terminal.ts';

type Item = Static<(typeof listLabExperiments)['output']>['items'][number];

const HELP = `Usage: assayer lab queue [--filter FILTER] [--sort SORT] [--search TEXT] [--json]

The experiments of all organizations with their state, whom they wait for and since when, the longest wait first.

${LIST_HELP}

${CONNECTION_HELP}

Examples:
  assayer lab queue --filter 'eq(waiting_actor,lab)'
  assayer lab queue --filter 'eq(status,in_review)' --json | jq -r '.items[].code'`;

const WIDTH = 28;

const columns: readonly Column<Item>[] = [
  { title: 'CODE', getCell: ({ code }) => code },
  { title: 'STATUS', getCell: ({ status }) => formatStatus(status) },
  { title: 'SINCE', getCell: ({ status_since: since }) => formatTime(since) },
  { title: 'WAITS FOR', getCell: ({ waiting_actor: actor }) => actor ?? '' },
  { title: 'ORGANIZATION', rank: 2, getCell: ({ organization_name: name }) => shortenText(name, WIDTH) },
  { title: 'TYPE', rank: 3, getCell: ({ experiment_type: type }) => type },
  { title: 'SEQUENCES', align: 'right', rank: 4, getCell: ({ sequence_count: count }) => String(count) },
  { title: 'INVOICE', rank: 5, getCell: ({ invoice_status: status }) => status ?? '' },
  { title: 'PROBLEM', rank: 6, getCell: ({ problem }) => shortenText(problem ?? '', WIDTH) },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions({ name: 'lab queue', help: HELP, operands: [] }, args, LIST_OPTIONS);
  if (parsed === undefined) return;
  const nothing = 'No experiment matches.';
  await printList<Item>('/lab/experiments', parsed.values, { columns, nothing, sort: 'asc(status_since)' });
}
