/** `assayer lab charts`: the control charts, one line each. */
import type { Static } from '#core/schema.ts';
import type { listControlCharts } from '#features/controls/contract.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { printTable } from './lab-list.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import type { Column } from './table.ts';
import { print, printNote, shortenText, toPlainText } from './terminal.ts';

type Charts = Static<(typeof listControlCharts)['output']>;
type Chart = Charts['charts'][number];

const HELP = `Usage: assayer lab charts [--control NAME] [--quantity kd|tm|signal] [--instrument NAME] [--lot LOT] [--json]

The control charts: the mean and scatter of each control, its newest value, and the rules of Westgard that this value
breaks. A control has a chart for each target, lot and instrument.

  --control NAME     only of this control
  --quantity WHAT    kd, tm or signal
  --instrument NAME  only of this instrument
  --lot LOT          only of this lot
  --json             the charts of the API, with every value

${CONNECTION_HELP}

Examples:
  assayer lab charts --quantity kd
  assayer lab charts --json | jq -r '.charts[] | select(.n_out_of_control > 0) | .control'`;

const WIDTH = 24;
const round = (value: number): string => String(Number(value.toPrecision(4))).replace('-', '−');

const columns: readonly Column<Chart>[] = [
  { title: 'CONTROL', getCell: ({ control }) => shortenText(control, WIDTH) },
  { title: 'SHOWS', getCell: ({ quantity, unit }) => `${quantity} (${unit})` },
  { title: 'TARGET', rank: 3, getCell: ({ target_name: target }) => shortenText(target ?? '', WIDTH) },
  { title: 'LOT', rank: 4, getCell: ({ lot }) => lot ?? '' },
  { title: 'INSTRUMENT', rank: 2, getCell: ({ instrument }) => shortenText(instrument ?? '', WIDTH) },
  { title: 'VALUES', align: 'right', getCell: ({ n_values: count }) => String(count) },
  { title: 'MEAN', align: 'right', getCell: ({ mean }) => round(mean) },
  { title: 'SD', align: 'right', getCell: ({ sd }) => (sd === null ? '' : round(sd)) },
  { title: 'NEWEST', align: 'right', getCell: ({ points }) => formatNewest(points) },
  { title: 'RULES', getCell: ({ points }) => points.at(-1)?.rules.join(', ') ?? '' },
  { title: 'LIMITS', getCell: ({ is_provisional: isProvisional }) => (isProvisional ? 'provisional' : '') },
];

function formatNewest(points: Chart['points']): string {
  const newest = points.at(-1);
  return newest === undefined ? '' : round(newest.value);
}

export async function run(args: readonly string[]): Promise<void> {
  const guide = { name: 'lab charts', help: HELP, operands: [] };
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    control: { type: 'string' },
    quantity: { type: 'string' },
    instrument: { type: 'string' },
    lot: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values } = parsed;
  const query = new URLSearchParams();
  for (const key of ['control', 'quantity', 'instrument', 'lot'] as const) {
    const value = values[key];
    if (value !== undefined) query.set(key, value);
  }
  const charts = await createApi(requireConnection(values)).get<Charts>(
    `/lab/control-charts?${query.toString()}`,
  );
  if (values.json === true) return print(JSON.stringify(charts, null, 2));
  if (charts.charts.length === 0) return printNote('No control was charted yet.');
  printTable(columns, charts.charts);
  const hidden = charts.n_charts - charts.charts.length;
  if (hidden > 0)
    printNote(toPlainText(`${hidden} more charts; narrow them with --control or --instrument.`));
}
