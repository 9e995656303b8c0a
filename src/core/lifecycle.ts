/**
 * The life of an experiment: one table, read by the API, the lab, the sandbox and the screens. A move that is not
 * in the table does not exist.
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
  /** What a person reads in the feed when this move happens. */
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

/** Where an experiment may begin: plain, `skip_draft`, `auto_accept_quote`. */
export const initialStatuses: readonly ExperimentStatus[] = [
  'draft',
  'waiting_for_confirmation',
  'waiting_for_materials',
];

export function findMove(from: ExperimentStatus, trigger: Trigger, actor: Actor): Move | undefined {
  return moves.find((row) => row.from === from && row.trigger === trigger && row.actors.includes(actor));
}

export function movesFrom(from: ExperimentStatus): readonly Move[] {
  return moves.filter((row) => row.from === from);
}

export function isTerminal(status: ExperimentStatus): boolean {
  return movesFrom(status).length === 0;
}

export interface Turn {
  readonly actor: Actor | null;
  readonly awaiting: string;
}

const turns: Readonly<Record<ExperimentStatus, Turn>> = {
  draft: { actor: 'client', awaiting: 'you submit the experiment' },
  waiting_for_confirmation: { actor: 'lab', awaiting: 'the lab prepares a quote' },
  quote_sent: { actor: 'client', awaiting: 'you accept or reject the quote' },
  waiting_for_materials: { actor: 'lab', awaiting: 'gene fragments and target arrive' },
  in_queue: { actor: 'lab', awaiting: 'an instrument is free and the invoice is paid' },
  in_production: { actor: 'lab', awaiting: 'the assay runs' },
  data_analysis: { actor: 'lab', awaiting: 'raw data are analyzed' },
  in_review: { actor: 'lab', awaiting: 'results are validated for release' },
  done: { actor: null, awaiting: 'nothing: results are released' },
  canceled: { actor: null, awaiting: 'nothing: the experiment was canceled' },
};

type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

const invoiceEnded: Readonly<Partial<Record<InvoiceStatus, Turn>>> = {
  void: { actor: 'lab', awaiting: 'the lab issues the invoice again or cancels the order' },
  uncollectible: {
    actor: 'lab',
    awaiting: 'the lab decides about the order, whose invoice was closed unpaid',
  },
};

/** An order in the queue has its materials; from there on it may wait for its money alone. */
const queued: Readonly<Partial<Record<InvoiceStatus, Turn>>> = {
  draft: { actor: 'lab', awaiting: 'the lab sends the invoice' },
  open: { actor: 'client', awaiting: 'you pay the invoice' },
  paid: { actor: 'lab', awaiting: 'an instrument is free' },
};

/**
 * Whose turn it is, and what is awaited: a field of the experiment, never a guess of a screen. Until its run starts the
 * present invoice decides as well.
 */
export function turnOf(status: ExperimentStatus, invoiceStatus: InvoiceStatus | null): Turn {
  const isBeforeRun = status === 'waiting_for_materials' || status === 'in_queue';
  const byInvoice =
    !isBeforeRun || invoiceStatus === null
      ? undefined
      : (invoiceEnded[invoiceStatus] ?? (status === 'in_queue' ? queued[invoiceStatus] : undefined));
  return byInvoice ?? turns[status];
}
