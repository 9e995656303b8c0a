/** How a sandbox brings an event about: the order that leads to it, or why there is none. */
import type { SandboxFault } from '../experiments/sandbox-options.ts';
import type { EventType } from '../updates/types.ts';

/** How far the client's side of an order goes. */
export type TriggerEnd = 'draft' | 'deleted' | 'quoted' | 'rejected' | 'canceled' | 'accepted' | 'paid';

export interface TriggerPlan {
  readonly end: TriggerEnd;
  /** What the simulated lab is asked to do with the order. */
  readonly faults: readonly SandboxFault[];
  /** Whether the event is there at once; otherwise the payment or the simulated lab brings it. */
  readonly isAtOnce: boolean;
}

const planNow = (end: TriggerEnd): TriggerPlan => ({ end, faults: [], isAtOnce: true });
const planLater = (end: TriggerEnd, ...faults: readonly SandboxFault[]): TriggerPlan => ({
  end,
  faults,
  isAtOnce: false,
});

/** A plan, or the sentence that says why no order of a sandbox leads to the event. */
export const triggers: Readonly<Record<EventType, TriggerPlan | string>> = {
  'experiment.created': planNow('draft'),
  'experiment.status_changed': planNow('rejected'),
  'experiment.deleted': planNow('deleted'),
  'experiment.noted': 'only updates that a version without this catalog wrote have this type',
  'quote.opened': planNow('quoted'),
  'quote.rejected': planNow('rejected'),
  'quote.expired': 'a quote expires at its end date, and nothing moves the clock of a sandbox',
  'quote.withdrawn': 'only staff withdraw a quote; do it in the lab of this sandbox',
  'quote.canceled': planNow('canceled'),
  'invoice.opened': planNow('accepted'),
  'invoice.paid': planLater('paid'),
  'invoice.payment_failed':
    'only a payment rail that refuses a payment brings it about; pay with a card or wallet that fails',
  'invoice.voided': planLater('accepted', 'cancellation'),
  'invoice.written_off': 'only staff write an invoice off; do it in the lab of this sandbox',
  'invoice.credited': planLater('paid', 'cancellation'),
  'invoice.surplus_refunded': 'it needs a second payment of an invoice, which a sandbox does not accept',
  'refund.sent': planLater('paid', 'cancellation'),
  'target.approved': 'only staff approve a target; request one, and approve it in the lab of this sandbox',
  'target.declined': 'only staff decline a target; request one, and decline it in the lab of this sandbox',
  'message.sent': 'only people write messages; send one to the lab, or answer in the lab of this sandbox',
  'materials.delayed': planLater('paid', 'late_material'),
  'results.delayed':
    'the results come late only where nothing moves for days, and nothing moves the clock of a sandbox',
  'run.waiting_for_payment': planLater('accepted'),
  'run.waiting_for_lab': 'the simulated lab measures every assay that is ordered here',
  'raw_file.recorded': 'only files that staff upload are announced; upload one in the lab of this sandbox',
  'analysis.progressed': 'only an analysis that takes longer than 15 s announces its progress',
  'analysis.completed': planLater('paid'),
  'analysis.repeated':
    'only staff ask for another analysis after the review began; do it in the lab of this sandbox',
  'analysis.stopped': 'the data of the simulated lab can always be analyzed; upload others in its lab',
  'results.released': planLater('paid'),
  'results.partly_released': planLater('paid', 'partial_release'),
  'results.amended': planLater('paid', 'amendment'),
};
