/** Small pieces that several screens of the lab share. */
import { formatCount } from '#core/words.ts';
import { listOtherTurns, type Actor, type ExperimentStatus, type InvoiceStatus } from '#core/lifecycle.ts';
import { computeWait, countWorkdays, type Waiting } from '#core/lateness.ts';
import { markup, type Markup, type Part } from './markup.ts';
import { renderDay, toSentenceCase } from './words.ts';

const ACTORS: Readonly<Record<Actor, string>> = { lab: 'Lab', client: 'Client', service: 'Assayer' };

interface Awaited {
  readonly waiting_actor: Actor | null;
  readonly awaiting: string;
}

/** Renders who is awaited, and for what. */
export function renderAwaited({ waiting_actor: actor, awaiting }: Awaited): Markup {
  if (actor === null) return markup`<span class="muted">${toSentenceCase(awaiting)}</span>`;
  const task = awaiting.replace(/^the (?:client has to|lab|service) /, '');
  return markup`<span><strong>${ACTORS[actor]}:</strong> <span class="muted">${task}</span></span>`;
}

interface Order {
  readonly status: ExperimentStatus;
  readonly invoice_status: InvoiceStatus | null;
}

/** Renders what else an order waits for, such as a payment while its materials are on the way. */
export function renderAlsoAwaited({ status, invoice_status: invoiceStatus }: Order): Part {
  const others = listOtherTurns(status, { invoiceStatus, isTargetInReview: false });
  return others.map((turn) => {
    const waiting = { waiting_actor: turn.actor, awaiting: 'does' in turn ? turn.does : turn.event };
    return markup`<span class="sub">Also ${renderAwaited(waiting)}</span>`;
  });
}

/** Renders since when an order has waited, and how late the lab is; of one that waits for nobody, how long it took. */
export function renderWait(waiting: Waiting & { readonly submitted_at?: string | null }, now: Date): Markup {
  const { status_since: since, submitted_at: submitted = null } = waiting;
  if (waiting.waiting_actor === null) {
    const workdays = submitted === null ? 0 : countWorkdays(new Date(submitted), new Date(since));
    return markup`${workdays > 0 && markup`<span class="nowrap">in ${formatCount(workdays, 'workday')}</span>`}<span class="sub">on ${renderDay(since)}</span>`;
  }
  const { workdays, lateWorkdays } = computeWait(waiting, now);
  const late =
    lateWorkdays > 0 &&
    markup`<span class="chip attention">${formatCount(lateWorkdays, 'workday')} late</span>`;
  return markup`<span class="nowrap">${formatWorkdays(workdays)}</span><span class="sub">since ${renderDay(since)}</span>${late}`;
}

function formatWorkdays(workdays: number): string {
  return workdays === 0 ? 'Less than a workday' : formatCount(workdays, 'workday');
}

interface Promised {
  readonly eta?: string | null;
  readonly promised_at?: string | null;
}

/** Renders when the results of an order are expected, and whether that is later than its client was told first. */
export function renderPromise(
  { eta = null, promised_at: promised = null }: Promised,
  now: Date,
): Markup | null {
  if (eta === null) return null;
  const isLate = promised !== null && (promised < eta || Date.parse(promised) < now.getTime());
  const late = isLate && markup`<span class="chip attention">Promised ${renderDay(promised)}</span>`;
  return markup`<span class="sub nowrap">results by ${renderDay(eta)}</span>${late}`;
}

/** Renders the client of something, with a link to the page of its organization. */
export function renderClient(organizationId: string, name: string): Markup {
  return markup`<a href="/lab/clients/${organizationId}"><bdi>${name}</bdi></a>`;
}

/** Who is awaited for something that is no order, and since when. */
/** A column of lists over several organizations. */
export const CLIENT_COLUMN = {
  head: 'Client',
  render: (item: { readonly organization_id: string; readonly organization_name: string }) =>
    renderClient(item.organization_id, item.organization_name),
} as const;

export interface Turn {
  readonly actor: Actor;
  /** Such as `an answer`. */
  readonly awaiting: string;
  readonly since: string;
}

/** Renders who is awaited, for what and since when; a dash where nobody is. */
export function renderAwaitedSince(turn: Turn | null, now: Date): Markup {
  if (turn === null) return markup`<span class="muted">–</span>`;
  const { actor, awaiting, since } = turn;
  const workdays = countWorkdays(new Date(since), now);
  return markup`<span><strong>${ACTORS[actor]}:</strong> <span class="muted">${awaiting}</span></span><span class="sub">${formatWorkdays(workdays)}, since ${renderDay(since)}</span>`;
}

/** Renders the head of a page of the lab, with its place below another page. */
export function renderLabHead(
  title: Part,
  {
    over,
    above,
    side,
    count,
  }: {
    readonly over?: Part;
    readonly above?: readonly [path: string, label: string];
    readonly side?: Part;
    /** How many there are, in words. */
    readonly count?: Part;
  } = {},
): Markup {
  return markup`${above !== undefined && markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${above[0]}">${above[1]}</a></nav>`}
<div class="page-head"><div>${Boolean(over) && markup`<p class="over">${over}</p>`}<h1>${title}</h1>${Boolean(count) && markup`<p class="hint list-count">${count}</p>`}</div>${side}</div>`;
}

/** Renders facts in two columns; those without a value are left out. */
export function renderFacts(facts: readonly (readonly [name: string, value: Part])[]): Markup {
  const knownFacts = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  );
  return markup`<dl class="facts">${knownFacts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
