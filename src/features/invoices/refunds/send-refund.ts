/** Sends refunds: an attempt is recorded, its rail is asked outside any transaction, and the answer is recorded. */
import { getErrorMessage } from '#core/records.ts';
import { SEND_REFUND } from '../../jobs/rules.ts';
import { toCents } from '#core/money.ts';
import { fail } from '#core/failures.ts';
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { lockExperiment } from '../../experiments/store.ts';
import { addRefunded, lockInvoice } from '../store.ts';
import { buildRefundSentEntries } from '../../ledger/rules.ts';
import { insertPosting } from '../../ledger/store.ts';
import type { RefundFinding, RefundOutcome, RefundPorts, RefundRequest } from '../../payments/processor.ts';
import {
  findRefund,
  finishAttempt,
  selectStalledRefunds,
  insertAttempt,
  selectLatestAttempt,
  lockRefund,
  setRefundStatus,
  type RefundRow,
} from './store.ts';
import { describeRefund } from '../../updates/details.ts';
import { addUpdate } from '../../experiments/transition-experiment.ts';
import { scheduleRefund } from './issue-credit.ts';
import { recordChange } from '../../audit/record-change.ts';

const FORGOTTEN_BATCH = 50;
const BY_HAND = 'Nothing was sent yet: send the money by hand, then record the reference of your transfer.';

/** Does one round of one refund. An unknown outcome throws, so that the worker repeats the job. */
export async function sendRefund(
  work: Work,
  database: Database,
  ports: RefundPorts,
  refundId: string,
): Promise<void> {
  const attempt = await database.runTransaction((tx) => beginAttempt(work, tx, refundId));
  if (attempt === undefined) return;
  const outcome = await askPort(ports, attempt);
  await database.runTransaction((tx) => recordOutcome(work, tx, attempt, outcome));
  if (outcome.kind === 'unknown')
    throw new Error(`the outcome of the refund ${refundId} is not known yet: ${outcome.reason}`);
}

interface Begun {
  readonly refund: RefundRow;
  readonly ordinal: number;
  /** The refund was handed to the rail before, and its outcome is unknown. */
  readonly isRepeated: boolean;
}

async function beginAttempt(work: Work, tx: Transaction, refundId: string): Promise<Begun | undefined> {
  const refund = await lockRefund(labScope, tx, refundId);
  if (refund?.status !== 'pending') return undefined;
  const last = await selectLatestAttempt(labScope, tx, refundId);
  const isOpen = last !== undefined && (last.outcome === null || last.outcome === 'unknown');
  if (isOpen) return { refund, ordinal: last.ordinal, isRepeated: true };
  const ordinal = (last?.ordinal ?? 0) + 1;
  const scope = createOrganizationScope(refund.organization_id);
  await insertAttempt(scope, tx, { refund_id: refundId, ordinal, at: work.clock.now() });
  return { refund, ordinal, isRepeated: false };
}

async function askPort(ports: RefundPorts, { refund, ordinal, isRepeated }: Begun): Promise<RefundOutcome> {
  const port = ports[refund.rail];
  if (port === undefined) return { kind: 'refused', reason: BY_HAND };
  const request: RefundRequest = {
    refund_id: refund.id,
    idempotency_key: `refund:${refund.id}:${ordinal}`,
    organization_id: refund.organization_id,
    invoice_id: refund.invoice_id,
    payment: refund.payment_reference,
    amount_cents: refund.amount_cents,
    currency: refund.currency,
  };
  try {
    const found: RefundFinding = isRepeated ? await port.find(request) : { kind: 'none' };
    return found.kind === 'none' ? await port.send(request) : found;
  } catch (error) {
    return { kind: 'unknown', reason: getErrorMessage(error) };
  }
}

async function recordOutcome(
  work: Work,
  tx: Transaction,
  { refund, ordinal }: Begun,
  outcome: RefundOutcome,
): Promise<void> {
  const locked = await lockForChange(tx, refund);
  const at = work.clock.now();
  const detail = outcome.kind === 'refunded' ? outcome.reference : outcome.reason;
  await finishAttempt(labScope, tx, { refundId: refund.id, ordinal, outcome: outcome.kind, detail, at });
  if (locked.status !== 'pending') return;
  if (outcome.kind === 'refunded') await completeRefund(work, tx, locked, outcome.reference);
  else if (outcome.kind === 'refused') {
    const problem = outcome.reason;
    await setRefundStatus(labScope, tx, refund.id, { from: 'pending', to: 'action_required', problem, at });
  } else return;
  await recordChange(work, tx, createOrganizationScope(refund.organization_id), {
    actorKind: 'worker',
    actor: 'worker',
    operation: SEND_REFUND,
    subject: refund.id,
    details: { outcome: outcome.kind, rail: refund.rail, detail },
  });
}

/** Locks are always taken experiment first, then invoice, then refund. */
async function lockForChange(tx: Transaction, refund: RefundRow): Promise<RefundRow> {
  await lockExperiment(labScope, tx, refund.experiment_id);
  await lockInvoice(labScope, tx, refund.invoice_id);
  const locked = await lockRefund(labScope, tx, refund.id);
  if (locked === undefined) throw fail('refund_not_found');
  return locked;
}

async function completeRefund(
  work: Work,
  tx: Transaction,
  refund: RefundRow,
  reference: string,
): Promise<void> {
  const scope = createOrganizationScope(refund.organization_id);
  const at = work.clock.now();
  await setRefundStatus(scope, tx, refund.id, { from: refund.status, to: 'refunded', reference, at });
  if (refund.is_credit) await addRefunded(scope, tx, refund.invoice_id, refund.amount_cents, at);
  const isPosted = await insertPosting(scope, tx, {
    id: work.ids.createUuid(),
    invoice_id: refund.invoice_id,
    kind: 'refund_sent',
    rail: refund.rail,
    external_reference: reference,
    currency: refund.currency,
    entries: buildRefundSentEntries(toCents(refund.amount_cents)),
    posted_at: at,
  });
  if (!isPosted) throw fail('refund_reference_used', { reference });
  const experiment = await lockExperiment(scope, tx, refund.experiment_id);
  if (experiment === undefined) return;
  const description = refund.credit_note_number;
  await addUpdate(work, tx, experiment, {
    event: 'refund.sent',
    name: 'Refund sent',
    description,
    details: describeRefund(refund),
    actor: 'lab',
  });
}

/** Completes a refund that staff sent themselves; they give its reference. */
export async function completeByHand(
  work: Work,
  tx: Transaction,
  refundId: string,
  reference: string,
): Promise<RefundRow> {
  const locked = await lockWaiting(tx, refundId);
  await completeRefund(work, tx, locked, reference);
  return readBack(tx, refundId);
}

/** Starts a new attempt after staff have removed the cause of the rejection. */
export async function retryRefund(work: Work, tx: Transaction, refundId: string): Promise<RefundRow> {
  const locked = await lockWaiting(tx, refundId);
  const at = work.clock.now();
  await setRefundStatus(labScope, tx, refundId, { from: 'action_required', to: 'pending', at });
  await scheduleRefund(work, tx, createOrganizationScope(locked.organization_id), refundId);
  return readBack(tx, refundId);
}

async function lockWaiting(tx: Transaction, refundId: string): Promise<RefundRow> {
  const refund = await findRefund(labScope, tx, refundId);
  if (refund === undefined) throw fail('refund_not_found');
  const locked = await lockForChange(tx, refund);
  if (locked.status !== 'action_required') throw fail('refund_not_waiting', { status: locked.status });
  return locked;
}

async function readBack(tx: Transaction, refundId: string): Promise<RefundRow> {
  const refund = await findRefund(labScope, tx, refundId);
  if (refund === undefined) throw fail('refund_not_found');
  return refund;
}

/** Resumes refunds whose job was given up, for an outside that was unreachable for long. */
export async function resumeForgottenRefunds(work: Work, database: Database): Promise<void> {
  for (const { id, organization_id: organizationId } of await selectStalledRefunds(
    labScope,
    database.read,
    FORGOTTEN_BATCH,
  )) {
    await database.runTransaction((tx) =>
      scheduleRefund(work, tx, createOrganizationScope(organizationId), id),
    );
  }
}
