/** Types of updates in the feed: the coarse word of the contract. */
export const updateTypes = ['status_change', 'progress', 'error', 'quote', 'invoice', 'results'] as const;
export type UpdateType = (typeof updateTypes)[number];

interface EventKind {
  readonly type: UpdateType;
  /** What happened, as the guide says it. */
  readonly means: string;
}

/** The catalog of events. `docs/guide/updates.md` repeats it, and a test compares the two. */
export const eventKinds = {
  'experiment.created': { type: 'status_change', means: 'an experiment was created' },
  'experiment.status_changed': { type: 'status_change', means: 'an experiment moved to another status' },
  'experiment.deleted': { type: 'progress', means: 'a draft was deleted; its earlier updates stay' },
  'experiment.noted': {
    type: 'progress',
    means: 'an update that a version without this catalog wrote',
  },
  'quote.opened': { type: 'quote', means: 'a quote can be accepted' },
  'quote.rejected': { type: 'quote', means: 'the client rejected a quote' },
  'quote.expired': { type: 'quote', means: 'a quote passed its end date' },
  'quote.withdrawn': { type: 'quote', means: 'the lab withdrew a quote' },
  'quote.canceled': { type: 'quote', means: 'a quote ended with its experiment' },
  'invoice.opened': { type: 'invoice', means: 'an invoice is due' },
  'invoice.paid': { type: 'invoice', means: 'an invoice was paid' },
  'invoice.payment_failed': {
    type: 'invoice',
    means: 'a payment was refused; the invoice is still due',
  },
  'invoice.voided': { type: 'invoice', means: 'an invoice was voided; nothing is owed' },
  'invoice.written_off': { type: 'invoice', means: 'the lab no longer expects the payment' },
  'invoice.credited': { type: 'invoice', means: 'a credit note was issued' },
  'invoice.surplus_refunded': { type: 'invoice', means: 'a payment that was not owed goes back' },
  'refund.sent': { type: 'invoice', means: 'a refund was sent' },
  'target.approved': { type: 'progress', means: 'the lab approved a requested target' },
  'target.declined': { type: 'progress', means: 'the lab declined a requested target' },
  'message.sent': { type: 'progress', means: 'the client or the lab wrote a message' },
  'materials.delayed': { type: 'progress', means: 'the materials arrive later than planned' },
  'results.delayed': { type: 'progress', means: 'the results are expected later than told before' },
  'run.waiting_for_payment': { type: 'progress', means: 'the run starts when the invoice is paid' },
  'run.waiting_for_lab': { type: 'progress', means: 'people of the lab start the run' },
  'raw_file.recorded': { type: 'progress', means: 'a file of the instrument was recorded' },
  'analysis.progressed': { type: 'progress', means: 'some of the files are analyzed' },
  'analysis.completed': { type: 'progress', means: 'all data are analyzed; the lab reviews the results' },
  'analysis.repeated': { type: 'progress', means: 'the lab analyzes the data again' },
  'analysis.stopped': {
    type: 'error',
    means: 'for an hour the data could not be analyzed; the lab checks them',
  },
  'results.released': { type: 'results', means: 'all results are released' },
  'results.partly_released': { type: 'results', means: 'some results are released, others follow' },
  'results.amended': { type: 'results', means: 'released results were replaced by a new version' },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventType = keyof typeof eventKinds;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the catalog above
export const eventTypes = Object.keys(eventKinds) as readonly EventType[] as readonly [
  EventType,
  ...EventType[],
];

/** Version of the form of an item; a field that changes its meaning raises it. */
export const UPDATE_SCHEMA_VERSION = 1;

/** What an update is about. A field without a value is left out. */
export interface UpdateDetails {
  readonly quote_id?: string;
  readonly quote_number?: string | null;
  readonly invoice_id?: string;
  readonly invoice_number?: string | null;
  readonly credit_note_number?: string | null;
  /** At most `RESULT_IDS_MAX`. */
  readonly result_ids?: readonly string[];
  readonly result_count?: number;
  readonly results_version?: number;
  readonly amount_cents?: number;
  readonly currency?: string;
  /** Values that changed, before and after, by their names on the wire. */
  readonly previous?: Readonly<Record<string, string | null>>;
  readonly current?: Readonly<Record<string, string | null>>;
}

/** A release of thousands of results names the first ones and says how many there are. */
export const RESULT_IDS_MAX = 100;

export const actorKinds = ['client', 'lab', 'service'] as const;
export type ActorKind = (typeof actorKinds)[number];
