/** `/compare`: experiments beside each other; the address holds which, and what joins their designs. */
import type { Output } from '#core/operation.ts';
import { writeMinusSigns } from '#core/number-words.ts';
import { formatCount } from '#core/words.ts';
import { requireShownAssay } from '#assays/shown.ts';
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { sendCsv, type ExportRecord } from '#ui/csv-export.ts';
import { queryList, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderWideFigure } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import { listExperiments } from '../../experiments/contract.ts';
import { COMPARED_MAX, compareExperiments, getComparisonPlot, type Comparison } from '../designs/contract.ts';
import { SHORT_GRADE_WORDS } from '../words/outcomes.ts';
import { outcomeWords } from './readings.ts';
import { toText } from './result.ts';
import { PICTURE_HEADERS } from './thumbnail.ts';

const PATH = '/compare';
const CHOICES_MAX = 100;
/** More rows than this are in the CSV alone. */
const ROWS_MAX = 500;

type Item = Comparison['items'][number];
type Value = Item['values'][number];
type Difference = Item['differences'][number];

interface Choice {
  readonly named: readonly string[];
  readonly join: 'sequence' | 'name';
}

function readChoice({ request }: Pick<PortalContext, 'request'>): Choice {
  const named = [...new Set(queryList(request, 'experiments').map((name) => name.trim()))];
  return {
    named: named.filter((name) => name !== '' && name.length <= 64),
    join: queryParameter(request, 'join') === 'name' ? 'name' : 'sequence',
  };
}

function writeAddress(path: string, { named, join }: Choice): string {
  const query = new URLSearchParams({ experiments: named.join(','), ...(join === 'name' && { join }) });
  return `${path}?${query.toString()}`;
}

function buildInput({ named: [first = '', ...others], join }: Choice) {
  return { params: { experiment_id: first }, query: { with: others.join(','), join } };
}

export async function loadComparePage(context: PortalContext): Promise<PageContent> {
  const choice = readChoice(context);
  if (choice.named.length < 2 || choice.named.length > COMPARED_MAX) return loadChoicePage(context, choice);
  const comparison = await context.api.call(compareExperiments, buildInput(choice));
  const body = markup`${renderHead(choice, comparison)}
<div class="stack">
${renderDrifts(comparison)}
${renderTable(comparison)}
${comparison.experiments.slice(1).map(({ experiment_code: code }) => renderScatter(choice, comparison, code))}
</div>`;
  return { title: `Compare ${choice.named.join(' and ')}`, body, section: 'experiments' };
}

/** What can be compared: experiments with results, of the assay of the first one that is chosen. */
async function loadChoicePage({ api }: PortalContext, { named }: Choice): Promise<PageContent> {
  const query = { filter: 'neq(results_status,none)', limit: CHOICES_MAX, sort: 'desc(created_at)' };
  const { items } = await api.call(listExperiments, { query });
  const first = items.find(({ code, id }) => named.includes(code) || named.includes(id));
  const fitting = items.filter(
    ({ experiment_type: type }) => first === undefined || type === first.experiment_type,
  );
  const isTooMany = named.length > COMPARED_MAX;
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><h1>Compare experiments</h1></div>
${isTooMany && markup`<p class="note warn">At most ${COMPARED_MAX} experiments stand beside each other.</p>`}
<section class="card" aria-labelledby="choose"><h2 id="choose">Choose two or more${first !== undefined && ` of ${first.experiment_type ?? 'one assay'}`}</h2>
${
  fitting.length < 2
    ? markup`<p class="muted">There is nothing to compare with yet: another experiment of the same assay needs released results.</p>`
    : markup`<form class="fields" method="get" action="${PATH}"><fieldset class="choices"><legend class="visually-hidden">Experiments</legend>${fitting.map((item) => renderBox(item, named))}</fieldset><div><button class="primary">Compare</button></div></form>`
}</section>`;
  return { title: 'Compare experiments', body, section: 'experiments' };
}

type Listed = Output<typeof listExperiments>['items'][number];

function renderBox(item: Listed, named: readonly string[]): Markup {
  const { code, id, name, experiment_type: type, target_name: target } = item;
  const isChosen = named.includes(code) || named.includes(id);
  return markup`<label class="check"><input type="checkbox" name="experiments" value="${code}"${isChosen && markup` checked`}> <span><bdi>${name ?? code}</bdi> <span class="muted"><span class="mono">${code}</span>, ${type}${typeof target === 'string' && markup` against <bdi>${target}</bdi>`}</span></span></label>`;
}

function renderHead(choice: Choice, { experiments, quantity, items }: Comparison): Markup {
  const names = experiments.map(
    ({ experiment_code: code, name }, index) =>
      markup`${index > 0 && ' and '}<a href="/experiments/${code}"><bdi>${name}</bdi></a> <span class="over mono">${code}</span>`,
  );
  const common = items.filter(({ values }) => values.filter((value) => value !== null).length > 1).length;
  const joins = (['sequence', 'name'] as const).map(
    (join) =>
      markup`<a href="${writeAddress(PATH, { ...choice, join })}"${join === choice.join && markup` aria-current="page"`}>By ${join}</a>`,
  );
  const targets = new Set(experiments.map(({ target_id: target }) => target));
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><div><p class="over">Compare ${quantity}</p><h1>${names}</h1><p class="hint">${formatCount(common, 'design')} in common, joined by ${choice.join} · <a href="${writeAddress(`${PATH}.csv`, choice)}" download>CSV</a> · <a href="${writeAddress(PATH, { ...choice, named: choice.named.slice(0, 1) })}">choose others</a></p></div></div>
<nav class="states" aria-label="What joins designs">${joins}</nav>
${targets.size > 1 && markup`<p class="note warn">The targets differ: a difference says how selective a design is, not how much it improved.</p>`}`;
}

function formatDelta(value: number): string {
  const text = value.toFixed(2);
  return Number(text) === 0 ? '0.00' : writeMinusSigns(`${value > 0 ? '+' : ''}${text}`);
}

const nameDelta = ({ scale, quantity }: Comparison): string =>
  scale === 'log10' ? `Δlog ${quantity}` : `Δ${quantity}`;

function formatInterval({ ci95_low: low, ci95_high: high }: NonNullable<Difference>): string | null {
  return low === null || high === null ? null : `${formatDelta(low)} to ${formatDelta(high)}`;
}

/** Whether the runs themselves differ, which every difference would contain. */
function renderDrifts(comparison: Comparison): Markup {
  const [first, ...others] = comparison.experiments;
  const items = others.map(({ experiment_code: code, drift }) => {
    const from = markup`<strong>${code} against ${first?.experiment_code}:</strong>`;
    if (drift?.mean_delta === null || drift === null)
      return markup`<li>${from} no control has a value in both, so nothing says whether the runs agree.</li>`;
    const { n_controls: count, mean_delta: mean, ci95_low: low, ci95_high: high } = drift;
    const interval =
      low === null || high === null ? '' : ` (95% CI ${formatDelta(low)} to ${formatDelta(high)})`;
    const isShifted = low !== null && high !== null && (low > 0 || high < 0);
    const verdict = isShifted
      ? 'The runs differ as a whole: subtract this shift in thought from every difference.'
      : low === null
        ? 'Without an interval it cannot be told from none.'
        : 'No shift between the runs is seen.';
    return markup`<li>${from} ${nameDelta(comparison)} ${formatDelta(mean)}${interval} over ${formatCount(count, 'control')} in common. ${verdict}</li>`;
  });
  return markup`<section class="card" aria-labelledby="drift"><h2 id="drift">Controls in common</h2><ul class="measured">${items}</ul></section>`;
}

function renderTable(comparison: Comparison): Markup {
  const { experiments, items } = comparison;
  const shown = items.slice(0, ROWS_MAX);
  const heads = experiments.map(
    ({ experiment_code: code }, at) =>
      markup`<th scope="col"><span class="mono">${code}</span></th>${at > 0 && markup`<th scope="col">${nameDelta(comparison)}</th><th scope="col" class="number">Rank</th>`}`,
  );
  const rows = shown.map((item) => {
    const cells = item.values.map(
      (value, at) =>
        markup`<td>${renderValue(value, comparison, at)}</td>${at > 0 && markup`<td class="nowrap">${renderDifference(item, at)}</td><td class="number">${renderRank(item.differences[at] ?? null)}</td>`}`,
    );
    return markup`<tr><th scope="row"><bdi>${item.name}</bdi>${item.is_control && markup`<span class="sub">control</span>`}</th>${cells}</tr>`;
  });
  const rest = items.length - shown.length;
  return markup`<section class="card flush" aria-labelledby="designs"><div class="card-head"><h2 id="designs">Designs</h2><p class="hint">${nameDelta(comparison)} is from ${experiments[0]?.experiment_code}; a minus is a smaller value. Limits are not subtracted.</p></div>
<div class="scroll" role="region" aria-label="Table of designs" tabindex="0"><table class="ranked"><thead><tr><th scope="col">Design</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>
${rest > 0 && markup`<p class="hint pager">${formatCount(rest, 'further design')} in the CSV.</p>`}</section>`;
}

function renderValue(value: Value, { experiments, unit }: Comparison, at: number): Part {
  if (value === null) return markup`<span class="muted">not in it</span>`;
  const type = experiments[at]?.experiment_type ?? '';
  const quantity =
    value.value === null
      ? undefined
      : {
          value: value.value,
          relation: value.relation ?? '=',
          ci95_low: value.ci95_low,
          ci95_high: value.ci95_high,
        };
  const { formatQuantity } = requireShownAssay(type).measure;
  const text = quantity && formatQuantity(unit === null ? quantity : { ...quantity, unit });
  const words = text ?? outcomeWords[value.outcome].toLowerCase();
  const grade = value.grade !== null && markup`<span class="sub">${SHORT_GRADE_WORDS[value.grade]}</span>`;
  return markup`<a href="/results/${value.result_id}" class="nowrap">${words}</a>${grade}`;
}

function renderDifference({ values, differences }: Item, at: number): Part {
  const difference = differences[at] ?? null;
  if (difference !== null) {
    const interval = formatInterval(difference);
    return markup`<strong>${formatDelta(difference.delta)}</strong>${interval !== null && markup`<span class="sub">${interval}</span>`}`;
  }
  const pair = [values[0] ?? null, values[at] ?? null];
  const isLimited = pair.every((value) => value?.value !== null && value?.value !== undefined);
  return markup`<span class="muted">${isLimited ? 'a limit' : '–'}</span>`;
}

function renderRank(difference: Difference): Part {
  const change = difference?.rank_change ?? null;
  if (change === null) return markup`<span class="muted">–</span>`;
  if (change === 0) return '=';
  return `${change < 0 ? '▲' : '▼'} ${Math.abs(change)}`;
}

function renderScatter({ named, join }: Choice, comparison: Comparison, code: string): Markup {
  const [first = ''] = named;
  const source = writeAddress(`${PATH}/plot.svg`, { named: [first, code], join });
  const name = `${toSentenceCase(comparison.quantity)} of ${first} and ${code}`;
  return renderWideFigure({
    name,
    source,
    alt: name,
    caption: markup`On the dashed line both are equal. <a href="${source}" download="${first}-${code}.svg">SVG</a>`,
    isLazy: true,
  });
}

export async function sendComparePlot(context: PortalContext): Promise<FastifyReply> {
  const plot = await context.api.reply(getComparisonPlot, buildInput(readChoice(context)));
  return context.reply.headers({ ...plot.headers, ...PICTURE_HEADERS }).send(toText(plot.body));
}

export async function sendCompareCsv(context: PortalContext): Promise<FastifyReply> {
  const comparison = await context.api.call(compareExperiments, buildInput(readChoice(context)));
  const records = comparison.items.map(({ name, is_control: isControl, values, differences }) => {
    const own: Record<string, string | number | null> = { name, is_control: isControl ? 'yes' : 'no' };
    for (const [at, { experiment_code: code }] of comparison.experiments.entries()) {
      const [value, difference] = [values[at] ?? null, differences[at] ?? null];
      const {
        result_id: id,
        outcome,
        grade,
        place,
        value: number,
        relation,
        ci95_low,
        ci95_high,
      } = value ?? {};
      const cells = { outcome, value: number, relation, ci95_low, ci95_high, grade, place, result_id: id };
      for (const [key, cell] of Object.entries(cells)) own[`${code} ${key}`] = cell ?? null;
      if (at === 0) continue;
      for (const key of ['delta', 'ci95_low', 'ci95_high', 'rank_change'] as const)
        own[`${code} ${key === 'delta' || key === 'rank_change' ? key : `delta_${key}`}`] =
          difference?.[key] ?? null;
    }
    return own satisfies ExportRecord;
  });
  return sendCsv(context.reply, 'comparison.csv', records);
}
