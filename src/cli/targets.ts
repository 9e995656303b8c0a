/** `assayer targets`: prints the catalog as a table. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import { formatUsd } from '#core/money.ts';
import type { TargetInfo, TargetPricing } from '#features/targets/contract.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { layTable, type Column } from './table.ts';
import { printNote, getPalette, print, shortenText, getTableWidth, getTerminal } from './terminal.ts';

type Target = Static<typeof TargetInfo>;

const HELP = `Usage: assayer targets [--search TEXT] [--self-service] [--json]

Lists the targets that designs can be measured against.

  --search TEXT    only those whose name, gene, accession or organism contains the text
  --self-service   only those with an immediate price
  --json           the records of the API

${CONNECTION_HELP}

Examples:
  assayer targets --search EGFR
  assayer targets --self-service --json | jq -r '.items[].name'`;

const NAME_WIDTH = 32;

const columns: readonly Column<Target>[] = [
  { title: 'NAME', getCell: ({ name }) => shortenText(name, NAME_WIDTH) },
  { title: 'UNIPROT', getCell: ({ uniprot_id: accession }) => accession ?? '' },
  { title: 'GENE', getCell: ({ gene_names: genes }) => genes[0] ?? '' },
  { title: 'ORGANISM', rank: 2, getCell: ({ organism }) => shortenText(organism ?? '', NAME_WIDTH) },
  { title: 'TARGET PRICE', align: 'right', getCell: ({ pricing }) => formatPrice(pricing) },
  { title: 'CATALOG', rank: 3, getCell: ({ catalog_number: number }) => number },
  { title: 'ID', rank: 4, getCell: ({ id }) => id },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions({ name: 'targets', help: HELP, operands: [] }, args, {
    ...CONNECTION_OPTIONS,
    search: { type: 'string' },
    'self-service': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values } = parsed;
  const query = new URLSearchParams({ sort: 'asc(name)' });
  if (values.search !== undefined) query.set('search', values.search);
  if (values['self-service'] === true) query.set('selfservice_only', 'true');
  const targets = await createApi(requireConnection(values)).list<Target>(`/targets?${query.toString()}`);
  if (values.json === true) {
    print(JSON.stringify(targets, null, 2));
    return;
  }
  if (targets.items.length === 0) {
    printNote('No target matches.');
    return;
  }
  const table = layTable(columns, targets.items, {
    width: getTableWidth(),
    styleTitle: getPalette(getTerminal().stdout).bold,
  });
  print(table.lines.join('\n'));
  printNote(`${formatCount(targets.items.length, 'target')}; the price is for the target material only.`);
}

function formatPrice(pricing: TargetPricing | null | undefined): string {
  if (pricing === null || pricing === undefined) return 'on request';
  if (pricing.type === 'per_sequence') return `${formatUsd(pricing.price_per_sequence_cents)} / sequence`;
  const [smallest] = pricing.lot_prices;
  return smallest === undefined
    ? 'on request'
    : `${formatUsd(smallest.price_usdcent)} / ${formatCount(smallest.num_sequences, 'sequence')}`;
}
