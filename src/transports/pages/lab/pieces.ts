/** Small pieces that several screens of the lab share. */
import type { Actor } from '#core/lifecycle.ts';
import { computeWait, countWorkdays, type Waiting } from '#domain/queue/lateness.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import { formatCount, renderDay } from '../words.ts';

const ACTORS: Readonly<Record<Actor, string>> = { lab: 'Lab', client: 'Client', service: 'Assayer' };

interface Awaited {
  readonly waiting_actor: Actor | null;
  readonly awaiting: string;
}

/** Renders who is awaited, and for what. */
export function renderAwaited({ waiting_actor: actor, awaiting }: Awaited): Markup {
  if (actor === null) return markup`<span class="muted">${awaiting}</span>`;
  const what = awaiting.replace(/^the (?:client has to|lab|service) /, '');
  return markup`<span><strong>${ACTORS[actor]}:</strong> <span class="muted">${what}</span></span>`;
}

/** Renders since when an order has waited, and how late the lab is; of one that waits for nobody, how long it took. */
export function renderWait(
  waiting: Waiting & { readonly submitted_at?: string | null },
  now: Date,
): Markup {
  const { status_since: since, submitted_at: submitted = null } = waiting;
  if (waiting.waiting_actor === null) {
    const took =
      submitted !== null &&
      markup`<span class="nowrap">in ${formatCount(countWorkdays(new Date(submitted), new Date(since)), 'workday')}</span>`;
    return markup`${took}<span class="sub">on ${renderDay(since)}</span>`;
  }
  const { workdays, lateWorkdays } = computeWait(waiting, now);
  const late =
    lateWorkdays > 0 &&
    markup`<span class="chip attention">${formatCount(lateWorkdays, 'workday')} late</span>`;
  return markup`<span class="nowrap">${formatCount(workdays, 'workday')}</span><span class="sub">since ${renderDay(since)}</span>${late}`;
}

/** Renders the head of a page of the lab, with its place below another page. */
export function renderLabHead(
  title: Part,
  {
    over,
    above,
    side,
  }: {
    readonly over?: Part;
    readonly above?: readonly [path: string, label: string];
    readonly side?: Part;
  } = {},
): Markup {
  return markup`${above !== undefined && markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${above[0]}">${above[1]}</a></nav>`}
<div class="page-head"><div>${Boolean(over) && markup`<p class="over">${over}</p>`}<h1>${title}</h1></div>${side}</div>`;
}

/** Renders facts in two columns; those without a value are left out. */
export function renderFacts(facts: readonly (readonly [name: string, value: Part])[]): Markup {
  const known = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  );
  return markup`<dl class="facts">${known.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
