/**
 * `/lab/plans`: the experiments that can be planned, what staff choose for their run, and the request that it makes.
 */
import { toMolar, toNanomolar } from '#core/number-words.ts';
import type { Problem } from '#core/failures.ts';
import type { RunRequestInput } from '../../plan-schemas.ts';
import { layoutNames, type LayoutName } from '../../layouts.ts';
import { getField, type Form } from '#ui/http.ts';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import type { listLabExperiments } from '../../../queue/contract.ts';
import { findAssay } from '#assays/registry.ts';
import { renderField, type LabField } from '#ui/form.ts';
import { renderFormToken } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Session } from '#ui/session.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { INSTRUMENTS } from './words.ts';

const EXPERIMENT_FIELD = /^experiment:(.{1,100})$/;

const PATH = '/lab/plans';
const LENGTH_MAX = 2_000;

const FIELDS: readonly LabField[] = [
  {
    name: 'others',
    label: 'Further experiments',
    hint: 'Codes, separated by commas; for those that the list does not show.',
  },
  {
    name: 'size',
    label: 'Plate',
    options: [
      ['96', '96 wells'],
      ['384', '384 wells'],
    ],
  },
  { name: 'seed', label: 'Seed', kind: 'number', hint: 'The same seed gives the same plan; empty: drawn.' },
  { name: 'instrument', label: 'Instrument', options: INSTRUMENTS },
  { name: 'positive', label: 'Positive control', hint: 'Name of the protein on each plate.' },
  { name: 'negatives', label: 'Negative controls', hint: 'Names, separated by “;”.' },
  {
    name: 'concentrations',
    label: 'Concentrations in nM',
    hint: 'For screenings, whose order has none; without buffer.',
  },
  { name: 'standard', label: 'Standard', hint: 'Only for a standard curve.' },
  {
    name: 'standard_levels',
    label: 'Levels of the standard in nM',
    hint: 'At least four, one of them 0.',
  },
];

export interface Settings {
  /** Codes or ids that were chosen from the queue. */
  readonly chosen: readonly string[];
  /** The fields, as they were typed. */
  readonly typed: Form;
}

export const EMPTY_SETTINGS: Settings = { chosen: [], typed: { size: '96' } };

export function parseSettings(form: Form): Settings {
  const chosen = Object.keys(form).flatMap((name) => EXPERIMENT_FIELD.exec(name)?.[1] ?? []);
  return { chosen, typed: form };
}

/** Builds the body of the operation, and finds what is no number before there is one. */
export function buildRunRequest({ chosen, typed }: Settings): { body: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const read = (name: string): string => getField(typed, name);
  const readLevels = (name: string): number[] =>
    splitItems(read(name)).flatMap((item) => {
      const valueNm = Number(item);
      if (Number.isFinite(valueNm)) return toMolar(valueNm);
      problems.push({ path: name, message: `“${item}” is no number: give concentrations in nM.` });
      return [];
    });
  const [layout = '', capillaries] = read('instrument').split('-');
  const concentrations = readLevels('concentrations');
  const levels = readLevels('standard_levels');
  const [positive, standard, seedText] = [read('positive'), read('standard'), read('seed')];
  const seed = seedText === '' ? undefined : Number(seedText);
  if (Number.isNaN(seed)) problems.push({ path: 'seed', message: 'is no number.' });
  const body = {
    experiment_ids: [...new Set([...chosen, ...splitItems(read('others'))])],
    size: Number(read('size')),
    ...(layout === '' ? {} : { layout }),
    ...(capillaries === undefined ? {} : { capillaries: Number(capillaries) }),
    ...(concentrations.length === 0 ? {} : { concentrations_m: concentrations }),
    controls: {
      positive: positive === '' ? null : positive,
      negatives: splitNames(read('negatives')),
      standard: standard === '' ? null : { sample: standard, concentrations_m: levels },
    },
    ...(seed === undefined ? {} : { seed }),
  };
  return { body, problems };
}

function splitItems(text: string): string[] {
  return text.split(/[\s,;]+/).filter((item) => item !== '');
}

function splitNames(text: string): string[] {
  return text
    .split(/[;\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Returns the values of the form from which a request was made. */
export function describeSettings(request: RunRequestInput): Settings {
  const { layout, capillaries, controls } = request;
  return {
    chosen: request.experiment_ids,
    typed: {
      size: String(request.size),
      instrument: describeInstrument(layout, capillaries),
      concentrations: formatLevels(request.concentrations_m ?? []),
      positive: controls.positive ?? '',
      negatives: controls.negatives.join('; '),
      standard: controls.standard?.sample ?? '',
      standard_levels: formatLevels(controls.standard?.concentrations_m ?? []),
      seed: String(request.seed),
    },
  };
}

function describeInstrument(layout: LayoutName | undefined, capillaries: 24 | 48 | undefined): string {
  const layoutName = layoutNames.find((name) => name === layout);
  if (layoutName === undefined) return '';
  return layoutName === 'capillaries' ? `capillaries-${capillaries ?? 48}` : layoutName;
}

function formatLevels(levelsM: readonly number[]): string {
  return levelsM.map((levelM) => String(toNanomolar(levelM))).join(', ');
}

/** Fields beside which the problems of the planner are shown; all others stand above the form. */
export const FIELDS_OF_PROBLEMS: Readonly<Record<string, string>> = {
  no_experiments: 'others',
  layout_not_offered: 'instrument',
  assay_not_planned: 'instrument',
  concentrations_invalid: 'concentrations',
  series_too_long: 'concentrations',
  control_missing: 'positive',
  standard_missing: 'standard',
  seed_invalid: 'seed',
};

type Queue = Output<typeof listLabExperiments>;
type Queued = Queue['items'][number];

interface SettingsView {
  readonly session: Session;
  readonly queue: Queue;
  readonly settings: Settings;
  readonly search: string;
  readonly problems: readonly Problem[];
}

export function renderSettingsBody(view: SettingsView): Markup {
  const { session, queue, search } = view;
  return markup`<div class="page-head"><div><h1>Plan a run</h1><p class="hint">Sequences, replicates, concentrations, assay and method are those of the orders.</p></div></div>
${renderGeneralProblems(view.problems)}
<form class="filters" method="get" action="${PATH}" role="search" aria-label="Queue">
<div class="field"><label for="search">Code, name, client or target</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div><button>Filter</button></form>
<form method="post" action="${PATH}" class="stack">${renderFormToken(session.visitor)}
<section class="card flush" aria-labelledby="queue"><div class="card-head"><h2 id="queue">In the queue</h2><p class="hint">${formatCount(queue.total, 'experiment')}</p></div>${renderQueue(view)}</section>
<section class="card" aria-labelledby="run"><h2 id="run">The run</h2><div class="group-fields">${renderFields(view)}</div>
<div class="actions apart"><button class="primary">Plan the plates</button></div><p class="hint">Nothing is stored and nothing starts.</p></section>
</form>`;
}

function renderGeneralProblems(problems: readonly Problem[]): Markup | null {
  if (problems.length === 0) return null;
  const general = problems.filter(({ path }) => !FIELDS.some(({ name }) => name === path));
  return markup`<div class="note attention form-note" role="alert">The run cannot be planned yet: ${formatCount(problems.length, 'problem')} to solve.
${general.length > 0 && markup`<ul>${general.map(({ message }) => markup`<li>${message}</li>`)}</ul>`}</div>`;
}

function renderQueue({ queue, settings, search }: SettingsView): Markup {
  const { items, total } = queue;
  if (items.length === 0)
    return markup`<div class="empty"><p>${search === '' ? 'No experiment is in the queue: an experiment comes here when its materials are in the lab.' : markup`No experiment of the queue matches. <a href="/lab/plans">Show all</a>`}</p></div>`;
  const chosen = new Set(settings.chosen);
  const rows = items.map((item) => renderQueued(item, chosen.has(item.code) || chosen.has(item.id)));
  const rest =
    total > items.length &&
    markup`<p class="pager">The first ${items.length} of ${total.toLocaleString('en-US')}: filter them, or type further codes.</p>`;
  return markup`<table class="folding queue-choices"><thead><tr><th scope="col">Experiment</th><th scope="col">Assay</th><th scope="col">Target</th><th scope="col" class="number">Sequences</th><th scope="col" class="number">Replicates</th><th scope="col">Since</th></tr></thead><tbody>${rows}</tbody></table>${rest}`;
}

function renderQueued(item: Queued, isChosen: boolean): Markup {
  const assay = findAssay(item.experiment_type)?.label ?? toSentenceCase(item.experiment_type);
  return markup`<tr><th scope="row"><label class="check"><input type="checkbox" name="experiment:${item.code}" value="yes"${isChosen && markup` checked`}> <span><span class="nowrap">${item.code}</span>${item.invoice_status !== null && item.invoice_status !== 'paid' && markup` <span class="chip warn">not paid</span>`}<span class="sub"><bdi>${item.name}</bdi> · <bdi>${item.organization_name}</bdi></span></span></label></th>
<td data-label="Assay">${assay}${item.method !== null && ` by ${item.method.toUpperCase()}`}</td>
<td data-label="Target"><bdi>${item.target_name ?? '–'}</bdi></td>
<td data-label="Sequences" class="number">${item.sequence_count}</td>
<td data-label="Replicates" class="number">${item.n_replicates}</td>
<td data-label="Since" class="nowrap">${renderDay(item.status_since)}</td></tr>`;
}

function renderFields({ settings: { typed }, problems }: SettingsView): Markup[] {
  return FIELDS.map((field) => renderField(PATH, { ...field, lengthMax: LENGTH_MAX }, { problems, typed }));
}
