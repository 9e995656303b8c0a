/**
 * The life of an experiment in one table, read by the API, the lab, the sandbox and the pages. A move that is not in
 * the table does not exist.
 */
export const experimentStatuses = [
  'draft',
  'waiting_for_confirmation',
  'quote_sent',
  'waiting_for_materials',
  'in_queue',
  'in_production',
  'data_analysis',
  'in_review',
  'done',
  'canceled',
] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

export type Actor = 'client' | 'lab' | 'service';

export const triggers = [
  'submit',
  'open_quote',
  'confirm_quote',
  'reject_quote',
  'expire_quote',
  'withdraw_quote',
  'receive_materials',
  'start_run',
  'complete_raw_data',
  'complete_analysis',
  'release',
  'send_back',
  'repeat_run',
  'cancel',
] as const;
export type Trigger = (typeof triggers)[number];

export interface Move {
  readonly from: ExperimentStatus;
  readonly trigger: Trigger;
  readonly to: ExperimentStatus;
  readonly actors: readonly Actor[];
  /** The title in the update feed when this move happens. */
  readonly title: string;
}

const move = (
  from: ExperimentStatus,
  trigger: Trigger,
  to: ExperimentStatus,
  actors: readonly Actor[],
  title: string,
): Move => ({ from, trigger, to, actors, title });

const CANCELED = 'Experiment canceled';

/**
 * Who moves an experiment from which state to which. `workflows/order/cancel-order.ts` says what a cancellation
 * does to the money.
 */
export const moves: readonly Move[] = [
  move('draft', 'submit', 'waiting_for_confirmation', ['client'], 'Submitted for review'),
  move('waiting_for_confirmation', 'open_quote', 'quote_sent', ['service', 'lab'], 'Quote ready'),
  move('waiting_for_confirmation', 'confirm_quote', 'waiting_for_materials', ['client'], 'Quote accepted'),
  move('quote_sent', 'confirm_quote', 'waiting_for_materials', ['client'], 'Quote accepted'),
  move('quote_sent', 'reject_quote', 'draft', ['client'], 'Quote rejected'),
  move('quote_sent', 'expire_quote', 'draft', ['service'], 'Quote expired'),
  move('quote_sent', 'withdraw_quote', 'waiting_for_confirmation', ['lab'], 'Quote withdrawn'),
  move('waiting_for_materials', 'receive_materials', 'in_queue', ['lab'], 'Materials arrived'),
  move('in_queue', 'start_run', 'in_production', ['lab'], 'Run started'),
  move('in_production', 'complete_raw_data', 'data_analysis', ['lab'], 'Raw data complete'),
  move('data_analysis', 'complete_analysis', 'in_review', ['lab'], 'Analysis complete'),
  move('in_review', 'release', 'done', ['lab'], 'Results released'),
  move('in_review', 'send_back', 'data_analysis', ['lab'], 'Sent back to analysis'),
  move('in_review', 'repeat_run', 'in_production', ['lab'], 'Run repeated'),
  move('draft', 'cancel', 'canceled', ['client', 'lab'], CANCELED),
  move('waiting_for_confirmation', 'cancel', 'canceled', ['client', 'lab'], CANCELED),
  move('quote_sent', 'cancel', 'canceled', ['client', 'lab'], CANCELED),
  move('waiting_for_materials', 'cancel', 'canceled', ['lab'], CANCELED),
  move('in_queue', 'cancel', 'canceled', ['lab'], CANCELED),
];

/** The statuses that a new experiment may have: by default, with `skip_draft` and with `auto_accept_quote`. */
export const initialStatuses: readonly ExperimentStatus[] = [
  'draft',
  'waiting_for_confirmation',
  'waiting_for_materials',
];

export function findMove(from: ExperimentStatus, trigger: Trigger, actor: Actor): Move | undefined {
  return moves.find((row) => row.from === from && row.trigger === trigger && row.actors.includes(actor));
}

export function getMovesFrom(from: ExperimentStatus): readonly Move[] {
  return moves.filter((row) => row.from === from);
}

export function isTerminal(status: ExperimentStatus): boolean {
  return getMovesFrom(status).length === 0;
}

/** Whose turn it is: what this actor does, or which event is awaited. Without an actor, the event ended the experiment. */
export type Turn =
  { readonly actor: Actor; readonly does: string } | { readonly actor: Actor | null; readonly event: string };

const turns: Readonly<Record<ExperimentStatus, Turn>> = {
  draft: { actor: 'client', does: 'submit the experiment' },
  waiting_for_confirmation: { actor: 'lab', does: 'prepares a quote' },
  quote_sent: { actor: 'client', does: 'accept or reject the quote' },
  waiting_for_materials: { actor: 'lab', event: 'gene fragments and target arrive' },
  in_queue: { actor: 'lab', event: 'an instrument is free and the invoice is paid' },
  in_production: { actor: 'lab', event: 'the assay runs' },
  data_analysis: { actor: 'lab', event: 'raw data are analyzed' },
  in_review: { actor: 'lab', event: 'results are validated for release' },
  done: { actor: null, event: 'results are released' },
  canceled: { actor: null, event: 'the experiment was canceled' },
};

export const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Whose turn an invoice makes it that ended unpaid; until the run starts, nothing else counts. */
const endedInvoiceTurns: Readonly<Partial<Record<InvoiceStatus, Turn>>> = {
  void: { actor: 'lab', does: 'issues the invoice again or cancels the order' },
  uncollectible: {
    actor: 'lab',
    does: 'decides about the order, because its invoice was closed unpaid',
  },
};

/** Whose turn an invoice makes it; nobody's once it is paid. */
const invoiceTurns: Readonly<Partial<Record<InvoiceStatus, Turn>>> = {
  ...endedInvoiceTurns,
  draft: { actor: 'lab', does: 'sends the invoice' },
  open: { actor: 'client', does: 'pay the invoice' },
};

/** An order in the queue has its materials, so that only the payment may be missing. */
const paidQueueTurn: Turn = { actor: 'lab', event: 'an instrument is free' };

const targetTurn: Turn = { actor: 'lab', does: 'reviews the requested target' };

/** Whether the payment may still keep the run from starting. */
export function isBeforeRun(status: ExperimentStatus): boolean {
  return status === 'waiting_for_materials' || status === 'in_queue';
}

/**
 * Returns whose turn it is and what is awaited: the experiment states this, so no page has to guess. Until the run
 * starts, the current invoice decides as well.
 */
export function getTurn(status: ExperimentStatus, invoiceStatus: InvoiceStatus | null): Turn {
  if (invoiceStatus === null || !isBeforeRun(status)) return turns[status];
  if (status === 'in_queue') return invoiceTurns[invoiceStatus] ?? paidQueueTurn;
  return endedInvoiceTurns[invoiceStatus] ?? turns[status];
}

/** The steps that are open besides the one that decides whose turn it is. */
export function listOtherTurns(
  status: ExperimentStatus,
  open: { readonly invoiceStatus: InvoiceStatus | null; readonly isTargetInReview: boolean },
): Turn[] {
  if (status === 'canceled') return [];
  const { invoiceStatus, isTargetInReview } = open;
  const first = getTurn(status, invoiceStatus);
  const ofStatus = status === 'in_queue' && invoiceStatus !== null ? paidQueueTurn : turns[status];
  const ofInvoice = invoiceStatus === null ? undefined : invoiceTurns[invoiceStatus];
  const isBeforeQuote = status === 'draft' || status === 'waiting_for_confirmation';
  const ofTarget = isTargetInReview && isBeforeQuote ? targetTurn : undefined;
  return [ofStatus, ofInvoice, ofTarget]
    .filter((turn) => turn !== undefined)
    .filter((turn) => turn !== first && turn.actor !== null);
}

/** How the record of an experiment names the actor to the client. */
const SUBJECTS: Readonly<Record<Actor, string>> = { client: 'you', lab: 'the lab', service: 'the service' };

/** Returns the turn as the record of an experiment states it. */
export function describeTurn(turn: Turn): { actor: Actor | null; awaiting: string } {
  if ('does' in turn) return { actor: turn.actor, awaiting: `${SUBJECTS[turn.actor]} ${turn.does}` };
  return { actor: turn.actor, awaiting: turn.actor === null ? `nothing: ${turn.event}` : turn.event };
}

interface Awaited {
  readonly status: ExperimentStatus;
  readonly invoiceStatus: InvoiceStatus | null;
  readonly actor: Actor | null;
  readonly awaiting: string;
}

/** Lists whose turn it is in every state of experiment and invoice, with what is awaited as staff read it. */
export function listAwaited(): Awaited[] {
  return experimentStatuses.flatMap((status) =>
    [null, ...invoiceStatuses].map((invoiceStatus) => {
      const turn = getTurn(status, invoiceStatus);
      const awaiting =
        'does' in turn
          ? `${turn.actor === 'client' ? 'the client has to' : `the ${turn.actor}`} ${turn.does}`
          : turn.event;
      return { status, invoiceStatus, actor: turn.actor, awaiting };
    }),
  );
}
