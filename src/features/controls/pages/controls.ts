/** `/lab/control-charts`: the value of each control over plates and lots, and the rules of Westgard that it breaks. */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { getControlChartPlot, listControlCharts } from '../contract.ts';
import { controlQuantities, type WestgardRule } from '../rules.ts';
import { experimentTypes } from '../../experiments/types.ts';
import { formatConcentrationBriefly } from '../../results/words/results.ts';
import { writeBody } from '#core/reply.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderWideFigure } from '#ui/pieces.ts';
import { PICTURE_HEADERS } from '../../results/pages/thumbnail.ts';
import { renderTime, toSentenceCase } from '#ui/words.ts';
import {
  LIST_SIZE,
  readFilters,
  readOffset,
  renderListPage,
  type Column,
  type ListFilter,
} from '#ui/list.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { LabScreen } from '#ui/screen.ts';

const PATH = '/lab/control-charts';

type Chart = Output<typeof listControlCharts>['charts'][number];
type Point = Chart['points'][number];

const QUANTITIES: Readonly<Record<Chart['quantity'], string>> = { kd: 'KD', tm: 'Tm', signal: 'Signal' };

/** What each rule says of a value; s is the standard deviation. */
const RULES: Readonly<Record<WestgardRule, string>> = {
  '1_2s': 'beyond 2 s: a warning',
  '1_3s': 'beyond 3 s: a random error',
  '2_2s': 'two values beyond the same 2 s: a systematic error',
  R_4s: 'two controls of a run beyond 2 s on opposite sides: a random error',
  '4_1s': 'four values beyond the same 1 s: a systematic error',
  '8_x': 'eight values on one side of the mean: a systematic error',
  '10_x': 'ten values on one side of the mean: a systematic error',
  '12_x': 'twelve values on one side of the mean: a systematic error',
  '2of3_2s': 'two of three controls of a run beyond the same 2 s: a systematic error',
};

const FILTERS: readonly ListFilter[] = [
  { name: 'control', label: 'Control' },
  {
    name: 'quantity',
    label: 'Quantity',
    options: controlQuantities.map((quantity) => [quantity, QUANTITIES[quantity]] as const),
  },
  {
    name: 'experiment_type',
    label: 'Assay',
    options: experimentTypes.map((type) => [type, toSentenceCase(type)] as const),
  },
  { name: 'instrument', label: 'Instrument' },
  { name: 'lot', label: 'Lot' },
];

export const controlsScreen: LabScreen = {
  path: PATH,
  label: 'Control charts',
  group: 'Lab',
  letter: 'w',
  reads: listControlCharts,
  add(routes) {
    routes.addPage(PATH, loadCharts);
    routes.addPage(`${PATH}/:id`, loadChart);
    routes.addPage(`${PATH}/:id/plot.svg`, sendPlot, getControlChartPlot);
  },
};

async function loadCharts({ api, request }: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const offset = readOffset(request);
  const query = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const { charts } = await api.call(listControlCharts, { query });
  const items = charts.slice(offset, offset + LIST_SIZE);
  const page = { items, count: items.length, offset, total: charts.length };
  const body = renderListPage({
    title: 'Control charts',
    path: PATH,
    label: 'Control charts',
    noun: 'chart',
    filters: FILTERS,
    values,
    page,
    columns: COLUMNS,
    empty: EMPTY,
  });
  return { title: 'Control charts', body };
}

const EMPTY = markup`<h2>No control values yet</h2><p class="muted">Each analysis of a plate with controls adds their values here. Plan a run with a positive control in the <a href="/lab/plans">run planner</a>.</p>`;

const COLUMNS: readonly Column<Chart>[] = [
  {
    head: 'Control',
    render: (chart) =>
      markup`<a href="${PATH}/${chart.chart_id}"><bdi>${chart.control}</bdi></a><span class="sub">${QUANTITIES[chart.quantity]}, ${toSentenceCase(chart.experiment_type).toLowerCase()}</span>`,
  },
  {
    head: 'Target',
    render: ({ target_name: target, lot }) =>
      markup`<bdi>${target ?? '–'}</bdi>${lot !== null && markup`<span class="sub">lot <bdi>${lot}</bdi></span>`}`,
  },
  { head: 'Instrument', render: ({ instrument }) => markup`<bdi>${instrument ?? '–'}</bdi>` },
  { head: 'Values', isNumber: true, render: ({ n_values: count }) => count.toLocaleString('en-US') },
  { head: 'Mean', render: (chart) => markup`<span class="nowrap">${formatValue(chart, chart.mean)}</span>` },
  { head: 'State', render: renderState },
];

function renderState(chart: Chart): Part {
  const last = chart.points.at(-1);
  if (last?.is_out_of_control === true)
    return markup`<span class="chip attention">Out of control</span><span class="sub">${last.rules.join(', ')}</span>`;
  const before = chart.n_out_of_control;
  const state = chart.is_provisional
    ? markup`<span class="chip plain">Provisional</span>`
    : markup`<span class="chip good">In control</span>`;
  return markup`${state}${before > 0 && markup`<span class="sub">${formatCount(before, 'value')} out of control before</span>`}`;
}

/** KD stands in the chart as its logarithm, and people read it as a concentration. */
function formatValue({ quantity, unit }: Chart, value: number): string {
  if (quantity === 'kd') return formatConcentrationBriefly(10 ** value);
  return `${String(Number(value.toPrecision(4))).replace('-', '−')} ${unit}`.trim();
}

async function loadChart({ api, request }: PortalContext): Promise<PageContent> {
  const id = getPathParameter(request, 'id');
  const { charts } = await api.call(listControlCharts, {});
  const chart = charts.find(({ chart_id: each }) => each === id);
  if (chart === undefined) throw fail('control_chart_not_found');
  const others = charts.filter(
    (each) => each !== chart && each.control === chart.control && each.quantity === chart.quantity,
  );
  const title = `${chart.control}, ${QUANTITIES[chart.quantity]}`;
  const body = markup`${renderLabHead(markup`<bdi>${chart.control}</bdi>`, {
    above: [PATH, 'Control charts'],
    over: `${QUANTITIES[chart.quantity]} · ${toSentenceCase(chart.experiment_type)}`,
    side: markup`<span>${renderState(chart)}</span>`,
  })}
<div class="stack">
${renderWideFigure({
  name: 'Control chart',
  source: `${PATH}/${id}/plot.svg`,
  alt: `Control chart of ${title}: ${formatCount(chart.n_values, 'value')}, ${chart.n_out_of_control} out of control`,
  caption: markup`The table below has every value. <a href="${PATH}/${id}/plot.svg" download="control-${id}.svg">SVG</a>`,
})}
<div class="columns equal">${renderChartFacts(chart)}${renderOthers(others)}</div>
${renderPoints(chart)}
</div>`;
  return { title, body };
}

function renderChartFacts(chart: Chart): Markup {
  const { sd } = chart;
  const facts: readonly (readonly [string, Part])[] = [
    ['Target', chart.target_name !== null && markup`<bdi>${chart.target_name}</bdi>`],
    ['Lot', chart.lot !== null && markup`<bdi>${chart.lot}</bdi>`],
    ['Instrument', chart.instrument !== null && markup`<bdi>${chart.instrument}</bdi>`],
    ['Role', toSentenceCase(chart.role)],
    ['Mean', formatValue(chart, chart.mean)],
    ['SD', sd === null ? 'no scatter yet' : `${Number(sd.toPrecision(3))} ${chart.unit}`],
    [
      'Limits',
      chart.is_provisional
        ? `provisional, from ${formatCount(chart.n_baseline, 'value')} of 20`
        : `from the first ${formatCount(chart.n_baseline, 'value')}`,
    ],
  ];
  const broken = [...new Set(chart.points.flatMap(({ rules }) => rules))];
  return markup`<section class="card" aria-labelledby="facts"><h2 id="facts">Series</h2>${renderFacts(facts)}
${broken.length > 0 && markup`<h3>Rules that were broken</h3><dl class="rules">${broken.map((rule) => markup`<div><dt class="mono">${rule}</dt><dd>${toSentenceCase(RULES[rule])}</dd></div>`)}</dl>`}</section>`;
}

/** The same control with other lots, targets and instruments, each a series of its own. */
function renderOthers(others: readonly Chart[]): Markup {
  const items = others.map(
    (chart) =>
      markup`<li><div><a href="${PATH}/${chart.chart_id}"><bdi>${[chart.target_name, chart.instrument].filter((part) => part !== null).join(', ') || chart.control}</bdi></a>${chart.lot !== null && markup`<span class="sub">lot <bdi>${chart.lot}</bdi></span>`}</div><div class="since">${formatValue(chart, chart.mean)}<span class="sub">${formatCount(chart.n_values, 'value')}</span></div></li>`,
  );
  return markup`<section class="card" aria-labelledby="others"><div class="card-head"><h2 id="others">Other lots and instruments</h2></div>${items.length === 0 ? markup`<p class="muted">This control has no other series.</p>` : markup`<ul class="rows">${items}</ul>`}</section>`;
}

const POINTS_SHOWN = 100;

function renderPoints(chart: Chart): Markup {
  const points = chart.points.slice(-POINTS_SHOWN);
  const first = chart.n_values - points.length + 1;
  const rows = points.map((point, index) => renderPoint(chart, point, first + index)).toReversed();
  const more = chart.n_values > points.length && ` · the newest ${points.length} of ${chart.n_values}`;
  return markup`<section class="card flush" aria-labelledby="values"><div class="card-head"><h2 id="values">Values</h2><p class="hint">Newest first${more}</p></div>
<div class="scroll" role="region" aria-label="Table of values" tabindex="0"><table class="folding"><thead><tr><th scope="col" class="number">No.</th><th scope="col">Measured</th><th scope="col">Order and plate</th><th scope="col" class="number">Value</th><th scope="col" class="number">Distance (SD)</th><th scope="col">Rules</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function renderPoint(chart: Chart, point: Point, number: number): Markup {
  const { z, rules, is_out_of_control: isOut } = point;
  const rulesChip =
    rules.length === 0
      ? markup`<span class="muted">none</span>`
      : markup`<span class="chip ${isOut ? 'attention' : 'warn'}">${rules.join(', ')}</span>`;
  return markup`<tr><th scope="row" class="number">${number}</th><td data-label="Measured"><span>${renderTime(point.measured_at)}</span></td>
<td data-label="Order and plate"><span><a href="/lab/experiments/${point.experiment_code}">${point.experiment_code}</a> <span class="muted"><bdi>${point.plate}</bdi></span></span></td>
<td data-label="Value" class="number"><span class="nowrap">${formatValue(chart, point.value)}</span></td><td data-label="Distance (SD)" class="number"><span>${z === null ? '–' : z.toFixed(2).replace('-', '−')}</span></td><td data-label="Rules"><span>${rulesChip}</span></td></tr>`;
}

async function sendPlot({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { chart_id: getPathParameter(request, 'id') };
  const { headers, body } = await api.reply(getControlChartPlot, { params });
  const text = typeof body === 'string' ? body : writeBody(body);
  return reply.headers({ ...headers, ...PICTURE_HEADERS }).send(text);
}
