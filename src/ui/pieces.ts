/** Small pieces that several portal pages share. */
import { capitalizeSentence, formatCount } from '#core/words.ts';
import {
  listOtherTurns,
  type Actor,
  type ExperimentStatus,
  type InvoiceStatus,
  type Turn,
} from '#core/lifecycle.ts';
import { markup, type Markup, type Part } from './markup.ts';
import { renderDay, statusWords, type Reading } from './words.ts';

const STATUS_TONES: Readonly<Record<ExperimentStatus, string>> = {
  draft: 'idle',
  waiting_for_confirmation: 'moving',
  quote_sent: 'yours',
  waiting_for_materials: 'moving',
  in_queue: 'moving',
  in_production: 'moving',
  data_analysis: 'moving',
  in_review: 'moving',
  done: 'good',
  canceled: 'idle',
};

export function renderStatusChip(status: ExperimentStatus): Markup {
  return markup`<span class="chip ${STATUS_TONES[status]}">${statusWords[status]}</span>`;
}

const TURNS: Readonly<Record<Actor, string>> = { client: 'You', lab: 'Lab', service: 'Assayer' };

export function renderTurn(turn: Turn): Markup {
  const task = 'does' in turn ? turn.does : turn.event;
  if (turn.actor === null) return markup`<span class="muted">${capitalizeSentence(task)}</span>`;
  const actorName = TURNS[turn.actor];
  return turn.actor === 'client'
    ? markup`<span><strong>${actorName}</strong> ${task}</span>`
    : markup`<span class="muted">${actorName}: ${task}</span>`;
}

/** Renders the client's part of what else is open, such as an invoice to pay while the lab works. */
export function renderOwnOtherTurns(
  status: ExperimentStatus,
  invoiceStatus: InvoiceStatus | null,
): Markup | null {
  const own = listOtherTurns(status, { invoiceStatus, isTargetInReview: false }).filter(
    ({ actor }) => actor === 'client',
  );
  return own.length === 0 ? null : markup`<span class="sub">Also: ${own.map(renderTurn)}</span>`;
}

/** Renders when results are expected; before the acceptance of the quote the date holds only if it comes today. */
export function renderEta(status: ExperimentStatus, eta: string | null | undefined): Markup | null {
  if (typeof eta !== 'string') return null;
  const condition: Readonly<Partial<Record<ExperimentStatus, string>>> = {
    draft: ' if you order today',
    waiting_for_confirmation: ' if you accept today',
    quote_sent: ' if you accept today',
  };
  return markup`by <strong class="nowrap">${renderDay(eta)}</strong>${condition[status] ?? ''}`;
}

interface PageOfItems {
  readonly offset: number;
  readonly count: number;
  readonly total: number;
}

/** `26–50 of 230` with links to the previous and next page; nothing when one page is enough. */
export function renderPager(
  path: string,
  parameters: Readonly<Record<string, string>>,
  page: PageOfItems,
  size: number,
  noun: string,
): Markup {
  const { offset, count, total } = page;
  if (offset === 0 && count === total) return markup`<p class="pager">${formatCount(total, noun)}</p>`;
  const to = (at: number): string => {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
    if (at > 0) query.set('offset', String(at));
    const text = query.toString();
    return text === '' ? path : `${path}?${text}`;
  };
  const place = `${(offset + 1).toLocaleString('en-US')}–${(offset + count).toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
  const back: Part =
    offset > 0 &&
    markup`<a class="button quiet" href="${to(Math.max(0, offset - size))}" rel="prev">Previous</a>`;
  const on: Part =
    offset + count < total && markup`<a class="button quiet" href="${to(offset + size)}" rel="next">Next</a>`;
  return markup`<nav class="pager" aria-label="Pages"><span>${place}</span><span class="actions">${back}${on}</span></nav>`;
}

/** Renders a measured number with its interval below it. */
export function renderReading(value: Reading | null): Markup {
  if (value === null) return markup`<span class="muted">–</span>`;
  return markup`<span class="nowrap">${value.value}</span>${value.interval !== null && markup`<span class="sub nowrap">${value.interval}</span>`}${value.isOfOne === true && markup`<span class="sub nowrap" title="The interval is of its fit alone.">one replicate</span>`}`;
}

const OUTCOME_TONES: Readonly<Record<string, string>> = {
  measured: 'good',
  non_binder: 'idle',
  inconclusive: 'warn',
  not_expressed: 'warn',
  failed_qc: 'attention',
  not_tested: 'idle',
};

export function renderOutcomeChip(outcome: string, words: string): Markup {
  return renderChip(OUTCOME_TONES[outcome] ?? 'idle', words);
}

export function renderChip(tone: string, words: string): Markup {
  return markup`<span class="chip ${tone}">${words}</span>`;
}

interface WideFigure {
  readonly name: string;
  readonly source: string;
  readonly alt: string;
  readonly caption: Markup;
  /** Whether it is loaded when it comes into sight. */
  readonly isLazy?: boolean;
  /** Whether a script draws the same above it, so that it is for print and for browsers without scripts. */
  readonly isBehind?: boolean;
}

/** Renders a figure with its caption; on a narrow screen it keeps its width, and slides sideways. */
export function renderWideFigure(figure: WideFigure): Markup {
  const { name, source, alt, caption, isLazy = false, isBehind = false } = figure;
  return markup`<figure class="card plot${isBehind && ' behind'}"><p class="hint narrow-only">The figure is wider than the screen: slide it sideways.</p>
<div class="scroll" role="region" aria-label="${name}" tabindex="0"><img src="${source}" alt="${alt}"${isLazy && markup` loading="lazy"`}></div><figcaption class="hint">${caption}</figcaption></figure>`;
}
