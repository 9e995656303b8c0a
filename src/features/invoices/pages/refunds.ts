/** `/lab/refunds`: money that goes back, and what waits for a transfer by hand. */
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { listRefunds, recordRefund, retryRefund } from '../refunds/contract.ts';
import { isSentByHand } from '../rules.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import type { FormsView } from '#ui/form.ts';
import type { Column } from '#ui/list.ts';
import { CLIENT_COLUMN, renderAwaitedSince, type Turn } from '#ui/lab-pieces.ts';
import { BANK_RAIL, BUILTIN_RAIL, STRIPE } from '../../payments/rules.ts';

/** The state of a refund in words, and the way by which its money goes back. */
type RefundStatus = 'pending' | 'refunded' | 'action_required';
type StateWords = readonly [tone: string, words: string];

const REFUND_STATES: Readonly<Record<RefundStatus, StateWords>> = {
  pending: ['moving', 'On its way'],
  refunded: ['good', 'Sent back'],
  action_required: ['attention', 'Send by hand'],
};

/** Nothing sends a bank transfer back but people. */
export function findRefundState(status: RefundStatus, isTransfer: boolean): StateWords {
  return REFUND_STATES[isTransfer && status === 'pending' ? 'action_required' : status];
}

const RAIL_WORDS: Readonly<Record<string, string>> = {
  [BANK_RAIL]: 'bank transfer',
  [BUILTIN_RAIL]: 'payment page',
  [STRIPE]: 'Stripe',
};

function formatRail(rail: string): string {
  return RAIL_WORDS[rail] ?? rail;
}

const PATH = '/lab/refunds';

type Refund = Output<typeof listRefunds>['items'][number];

const retry = defineAction(retryRefund, {
  path: `${PATH}/:refund_id/retry`,
  page: PATH,
  button: 'Try again',
  done: 'The refund is tried again.',
});
const record = defineAction(recordRefund, {
  path: `${PATH}/:refund_id/record`,
  page: PATH,
  button: 'Record',
  fields: { reference: { label: 'Reference of your transfer' } },
  done: 'The refund is recorded as sent back.',
});

export const refundsScreen = defineListScreen(listRefunds, {
  path: PATH,
  label: 'Refunds',
  group: 'Money',
  letter: 'f',
  noun: 'refund',
  filters: [
    { name: 'search', label: 'Credit note or client' },
    {
      name: 'status',
      label: 'State',
      options: Object.entries(REFUND_STATES).map(([status, [, words]]) => [status, words] as const),
    },
  ],
  buildColumns: ({ forms, now }) => buildColumns(forms, now),
  empty: markup`<h2>No refunds</h2><p class="muted">A paid invoice is refunded on its own page, and when its order is canceled.</p>`,
  actions: [retry, record],
});

function buildColumns(forms: FormsView, now: Date): readonly Column<Refund>[] {
  return [
    {
      head: 'Credit note',
      render: (refund) =>
        markup`<a class="nowrap" href="/lab/invoices/${refund.invoice_id}">${refund.credit_note_number}</a><span class="sub">${renderDay(refund.created_at)}</span>`,
    },
    {
      head: 'State',
      render: ({ status, rail }) => {
        const [tone, words] = findRefundState(status, isSentByHand(rail));
        return markup`<span class="chip ${tone}">${words}</span>`;
      },
    },
    CLIENT_COLUMN,
    { head: 'Waiting on', render: (refund) => renderAwaitedSince(findTurn(refund), now) },
    {
      head: 'Reason',
      render: ({ reason, problem }) =>
        markup`<bdi>${reason}</bdi>${problem !== null && markup`<span class="sub">${problem}</span>`}`,
    },
    {
      head: 'Amount',
      isNumber: true,
      render: ({ amount_cents: cents, rail }) =>
        markup`${formatUsd(cents)}<span class="sub">${formatRail(rail)}</span>`,
    },
    { head: 'What to do', render: (refund) => renderDeeds(forms, refund) },
  ];
}

function findTurn({ status, rail, created_at: since }: Refund): Turn | null {
  if (status === 'refunded') return null;
  return status === 'pending' && !isSentByHand(rail)
    ? { actor: 'service', awaiting: 'sends it back', since }
    : { actor: 'lab', awaiting: 'send it by hand', since };
}

function renderDeeds(forms: FormsView, refund: Refund): Markup {
  const { id, status, reference, send_to: to, refunded_at: at } = refund;
  if (status === 'refunded')
    return markup`<span class="muted">${renderDay(at)}${reference !== null && markup`<span class="sub"><bdi>${reference}</bdi></span>`}</span>`;
  if (status === 'pending' || !canCall(forms.session, recordRefund))
    return markup`<span class="muted">–</span>`;
  const params = { refund_id: id };
  const named = markup`<span class="visually-hidden"> ${refund.credit_note_number}</span>`;
  return markup`${to !== null && markup`<p class="hint">Send ${to.base_units} base units of ${to.token} on ${to.network} to <code>${to.address}</code></p>`}
${renderAction(forms, record, {
  params,
  summary: markup`Record the transfer${named}`,
  fields: {
    reference: { hint: to === null ? 'As the bank statement shows it.' : 'The hash of the transaction.' },
  },
})}${
    !isSentByHand(refund.rail) &&
    renderAction(forms, retry, { params, summary: markup`Let the service try again${named}` })
  }`;
}
