/** What an order can wait for that staff do, the most urgent first. */
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';
import type { Permission } from '#core/permissions.ts';

export const needKinds = [
  'analysis_stopped',
  'overdue_invoice',
  'refund_by_hand',
  'review',
  'amendment',
  'quote',
  'target_request',
  'ended_invoice',
  'draft_invoice',
  'run',
  'materials',
  'running',
  'analysis',
  'unpaid_invoice',
] as const;
export type NeedKind = (typeof needKinds)[number];

/** What else an order can be, beside its state and that of its invoice. */
export type OrderFact =
  /** Its payment was due before the present; without a date it is not overdue. */
  | 'overdue'
  /** The analysis of its latest run stopped with a problem. */
  | 'stopped'
  /** Money has to be sent back by hand. */
  | 'refund_by_hand'
  /** The lab has to judge the target that was requested with it. */
  | 'target_in_review'
  /** Another analysis after the release waits to be released as an amendment, or discarded. */
  | 'amendment_waits';

/** When an order waits for something; what is left out does not matter. */
export interface NeedCondition {
  readonly status?: readonly ExperimentStatus[];
  /** Of the current invoice; null where there is none. */
  readonly invoice?: readonly (InvoiceStatus | null)[];
  readonly is?: OrderFact;
  readonly isNot?: OrderFact;
}

interface Need {
  /** Of the operations that see to it; without it nobody is told. */
  readonly permission: Permission;
  readonly when: NeedCondition;
}

/** An order for which no payment is missing: it is paid, or has no invoice. */
const SETTLED = ['paid', null] as const;

const NEEDS: Readonly<Record<NeedKind, Need>> = {
  analysis_stopped: { permission: 'lab:review', when: { status: ['data_analysis'], is: 'stopped' } },
  overdue_invoice: { permission: 'lab:bill', when: { invoice: ['open'], is: 'overdue' } },
  refund_by_hand: { permission: 'lab:bill', when: { is: 'refund_by_hand' } },
  review: { permission: 'lab:review', when: { status: ['in_review'] } },
  amendment: { permission: 'lab:review', when: { status: ['done'], is: 'amendment_waits' } },
  quote: { permission: 'lab:price', when: { status: ['waiting_for_confirmation'] } },
  target_request: { permission: 'lab:price', when: { is: 'target_in_review' } },
  ended_invoice: {
    permission: 'lab:bill',
    when: { status: ['waiting_for_materials', 'in_queue'], invoice: ['void', 'uncollectible'] },
  },
  draft_invoice: { permission: 'lab:bill', when: { invoice: ['draft'] } },
  run: { permission: 'lab:run', when: { status: ['in_queue'], invoice: SETTLED } },
  materials: {
    permission: 'lab:run',
    when: { status: ['waiting_for_materials'], invoice: [...SETTLED, 'draft', 'open'] },
  },
  running: { permission: 'lab:run', when: { status: ['in_production'] } },
  analysis: { permission: 'lab:review', when: { status: ['data_analysis'], isNot: 'stopped' } },
  unpaid_invoice: { permission: 'lab:bill', when: { invoice: ['open'], isNot: 'overdue' } },
};

/** Lists what somebody with these permissions sees to, the most urgent first. */
export function listNeedKinds(permissions: ReadonlySet<Permission>): NeedKind[] {
  return needKinds.filter((kind) => permissions.has(NEEDS[kind].permission));
}

/** Returns when an order waits for this. */
export function getNeedCondition(kind: NeedKind): NeedCondition {
  return NEEDS[kind].when;
}
