/** `assayer tax`: shows and sets tax rates by country, for staff. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  parseOptions,
  createUsageError,
  type CommandGuide,
} from './options.ts';
import { layTable, type Column } from './table.ts';
import { print } from './terminal.ts';

const guide: CommandGuide = {
  name: 'tax',
  operands: ['list, or the two letters of a country'],
  help: `Usage: assayer tax list [--json]
       assayer tax COUNTRY --percent RATE [--name NAME] [--reverse-charge | --none] [--note TEXT] [--json]

Shows or sets the tax on estimates and quotes of organizations in a country (ISO 3166-1, such as DE). Quotes that were
opened and invoices keep their rate. Needs an admin token of the lab's staff.

  --percent RATE    such as 19 or 7.7; 0 with --none
  --name NAME       name on documents, default VAT
  --reverse-charge  zero for a buyer with a tax id, the rate for all others
  --none            no tax is charged
  --note TEXT       printed under the sums, such as why no tax is charged
  --json            print the answer of the API as JSON

${CONNECTION_HELP}`,
};

interface Rate {
  readonly country: string;
  readonly name: string;
  readonly treatment: string;
  readonly rate_basis_points: number;
  readonly note: string;
}

const columns: readonly Column<Rate>[] = [
  { title: 'Country', getCell: ({ country }) => country },
  { title: 'Tax', getCell: ({ name }) => name },
  { title: 'Rate', align: 'right', getCell: (rate) => `${rate.rate_basis_points / 100} %` },
  { title: 'Treatment', getCell: ({ treatment }) => treatment.replaceAll('_', ' ') },
  { title: 'Note', getCell: ({ note }) => note },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    percent: { type: 'string' },
    name: { type: 'string', default: 'VAT' },
    'reverse-charge': { type: 'boolean' },
    none: { type: 'boolean' },
    note: { type: 'string', default: '' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [what = ''] = positionals;
  const api = createApi(requireConnection(values));
  const rates =
    what === 'list'
      ? (await api.get<{ readonly items: readonly Rate[] }>('/lab/tax-rates')).items
      : [await api.post<Rate>('/lab/tax-rates', parseRate(what, values))];
  if (values.json === true) print(JSON.stringify(what === 'list' ? rates : rates[0], null, 2));
  else if (rates.length === 0) print('No country has a tax rate, so no tax is charged.');
  else for (const line of layTable(columns, rates).lines) print(line);
}

interface Given {
  readonly percent?: string | undefined;
  readonly name: string;
  readonly note: string;
  readonly 'reverse-charge'?: boolean | undefined;
  readonly none?: boolean | undefined;
}

function parseRate(country: string, { percent = '', name, note, ...flags }: Given): Rate {
  if (!/^[A-Z]{2}$/.test(country)) throw createUsageError(guide, `"${country}" is not a country such as DE`);
  if (flags.none === true && flags['reverse-charge'] === true)
    throw createUsageError(guide, '--none and --reverse-charge exclude one another');
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(flags.none === true && percent === '' ? '0' : percent);
  if (match === null) throw createUsageError(guide, '--percent must be a number such as 19 or 7.7');
  const basisPoints = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  const treatment =
    flags.none === true ? 'none' : flags['reverse-charge'] === true ? 'reverse_charge' : 'taxed';
  return { country, name, treatment, rate_basis_points: basisPoints, note };
}
