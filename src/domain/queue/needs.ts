/** What an order can wait for that staff do, the most urgent first. */
import type { Permission } from '#core/permissions.ts';

export const needKinds = [
  'analysis_stopped',
  'overdue_invoice',
  'refund_by_hand',
  'review',
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

/** The permission of the operations that see to it; without it nobody is told. */
const PERMISSIONS: Readonly<Record<NeedKind, Permission>> = {
  analysis_stopped: 'lab:review',
  overdue_invoice: 'lab:bill',
  refund_by_hand: 'lab:bill',
  review: 'lab:review',
  quote: 'lab:price',
  target_request: 'lab:price',
  ended_invoice: 'lab:bill',
  draft_invoice: 'lab:bill',
  run: 'lab:run',
  materials: 'lab:run',
  running: 'lab:run',
  analysis: 'lab:review',
  unpaid_invoice: 'lab:bill',
};

/** Lists what somebody with these permissions sees to, the most urgent first. */
export function listNeedKinds(permissions: ReadonlySet<Permission>): NeedKind[] {
  return needKinds.filter((kind) => permissions.has(PERMISSIONS[kind]));
}
