/** What waits for the person who looks at home: each matter with its page, and until when. */
import { addMs, DAY_MS } from '#core/clock.ts';
import { formatUsd } from '#core/money.ts';
import { listInvoices } from '../../invoices/contract.ts';
import { renderInvoiceChip } from '../../invoices/pages/invoice-chip.ts';
import { listQuotes } from '../../quotes/contract.ts';
import { REQUESTS_PATH, renderRequestChip } from '../../targets/pages/target-request-pieces.ts';
import { listCustomTargetRequests } from '../../targets/request-contract.ts';
import { listUpdates } from '../../updates/contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';

const ROWS = 5;
/** News is shown for so long. */
const NEW_MS = 14 * DAY_MS;
const RESULT_EVENTS = ['results.released', 'results.partly_released', 'results.amended'] as const;
const UPDATES_READ = 50;

/** Renders nothing where nothing waits. */
export async function loadNeedsYou(context: PortalContext): Promise<Markup | null> {
  const rows = (
    await Promise.all([
      listOpenQuotes(context),
      listOpenInvoices(context),
      listAnswers(context),
      listNews(context),
    ])
  ).flat();
  if (rows.length === 0) return null;
  return markup`<section class="card needs-you" aria-labelledby="needs-you"><h2 id="needs-you">Needs you</h2><ul class="rows">${rows}</ul></section>`;
}

interface Matter {
  readonly path: string;
  readonly words: string;
  readonly hint: Markup;
  /** Until when, how much. */
  readonly side: Markup;
}

function renderMatter({ path, words, hint, side }: Matter): Markup {
  return markup`<li><div><strong><a href="${path}">${words}</a></strong><p class="hint">${hint}</p></div><div class="since">${side}</div></li>`;
}

async function listOpenQuotes({ api, session, parts }: PortalContext): Promise<Markup[]> {
  if (!canCall(session, listQuotes)) return [];
  const now = parts.work.clock.now().toISOString();
  const query = {
    filter: `and(eq(status,open),gt(valid_until,${now}))`,
    sort: 'asc(valid_until)',
    limit: ROWS,
  };
  const { items } = await api.call(listQuotes, { query });
  return items.map((quote) =>
    renderMatter({
      path: `/quotes/${quote.id}`,
      words: `Accept or reject quote ${quote.quote_number}`,
      hint: markup`<span class="mono">${quote.experiment_code}</span>${typeof quote.eta === 'string' && markup` · results by ${renderDay(quote.eta)} if you accept today`}`,
      side: markup`<strong class="number">${formatUsd(quote.amount_cents)}</strong><span class="sub">until ${renderDay(quote.valid_until)}</span>`,
    }),
  );
}

async function listOpenInvoices({ api, session, parts }: PortalContext): Promise<Markup[]> {
  if (!canCall(session, listInvoices)) return [];
  const query = { filter: 'eq(status,open)', sort: 'asc(due_date)', limit: ROWS };
  const { items } = await api.call(listInvoices, { query });
  const now = parts.work.clock.now();
  return items.map((invoice) => {
    const page = invoice.hosted_invoice_url;
    const isOverdue = invoice.due_date !== null && new Date(invoice.due_date) < now;
    return renderMatter({
      path: typeof page === 'string' ? new URL(page).pathname : '/invoices',
      words: `Pay invoice ${invoice.invoice_number ?? ''}`,
      hint: markup`<span class="mono">${invoice.experiment_code}</span>${isOverdue && markup` ${renderInvoiceChip(invoice, now)}`}`,
      side: markup`<strong class="number">${formatUsd(invoice.amount_cents)}</strong><span class="sub">due ${renderDay(invoice.due_date)}</span>`,
    });
  });
}

async function listAnswers({ api, session, parts }: PortalContext): Promise<Markup[]> {
  if (!canCall(session, listCustomTargetRequests)) return [];
  const query = { filter: 'in(status,approved,rejected)', sort: 'desc(created_at)', limit: ROWS };
  const { items } = await api.call(listCustomTargetRequests, { query });
  const since = addMs(parts.work.clock.now(), -NEW_MS).toISOString();
  return items
    .filter(({ answered_at: at }) => at !== null && at > since)
    .map((item) =>
      renderMatter({
        path: `${REQUESTS_PATH}/${item.id}`,
        words: `Read the answer about ${item.name}`,
        hint: renderRequestChip(item.status),
        side: markup`<span class="sub">answered ${renderDay(item.answered_at)}</span>`,
      }),
    );
}

/** The latest release or amendment of each experiment. */
async function listNews({ api, session, parts }: PortalContext): Promise<Markup[]> {
  if (!canCall(session, listUpdates)) return [];
  const since = addMs(parts.work.clock.now(), -NEW_MS).toISOString();
  const filter = `and(in(event_type,${RESULT_EVENTS.join(',')}),gt(timestamp,${since}))`;
  const { items } = await api.call(listUpdates, { query: { filter, limit: UPDATES_READ } });
  const newest = new Map(items.toReversed().map((item) => [item.experiment_id, item] as const));
  return [...newest.values()]
    .toSorted((a, b) => b.sequence - a.sequence)
    .slice(0, ROWS)
    .map((item) =>
      renderMatter({
        path: `/experiments/${item.experiment_code}`,
        words: item.event_type === 'results.amended' ? 'Read the amended results' : 'Look at new results',
        hint: markup`<span class="mono">${item.experiment_code}</span>${typeof item.description === 'string' && markup` · <bdi>${item.description}</bdi>`}`,
        side: markup`<span class="sub">${renderDay(item.timestamp)}</span>`,
      }),
    );
}
