/**
 * One round of a payment attempt by machine: several short transactions, and none is open while the outside is asked.
 * After an interruption the row tells how far the attempt came, and the next round asks the outside first.
 */
import { getErrorMessage } from '#core/records.ts';
import { addMs } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { findInvoice } from '../invoices/store.ts';
import {
  findAttempt,
  finishAttempt,
  giveBackAttempt,
  markHandedOver,
  markLookedAt,
  takeAttempt,
  selectUnattendedAttempts,
} from './attempt-store.ts';
import type { Attempt, MachineRail, Verdict } from './machine-rail.ts';
import type { MachinePayments } from '../installation/outward-context.ts';
import { recordChange } from '../audit/record-change.ts';
import { announcePaymentFailure, settlePayment } from './settle-payment.ts';

/** Longer than a rail may need for one round; after this time an attempt of a dead process is free again. */
const LEASE_MS = 40_000;
/** How often a caller tries again after joining others. */
const ROUNDS_MAX = 3;
const UNATTENDED_MS = 5_000;
const UNATTENDED_BATCH = 20;
/** Somebody else works on the attempt. */
const ELSEWHERE: Verdict = { kind: 'not_yet_settled', mayRepeat: false };

export interface DriveParts {
  readonly work: Work;
  readonly database: Database;
  readonly payments: MachinePayments;
}

/**
 * Takes the attempt as far as possible now, for a caller who has its credential. Joining another caller who left it
 * undecided does not count.
 */
export async function driveAttempt(
  parts: DriveParts,
  rail: MachineRail,
  attemptId: string,
): Promise<Verdict> {
  for (let rounds = 1; ; rounds += 1) {
    const own = { hasRun: false };
    const verdict = await parts.payments.flights.run(attemptId, () => {
      own.hasRun = true;
      return runWithLease(parts, rail, attemptId, {
        hasCredential: true,
        step: (attempt) => takeForward(parts, rail, attempt),
      });
    });
    if (own.hasRun || !isLeftUndecided(verdict) || rounds === ROUNDS_MAX) return verdict;
  }
}

/** Whether who has the credential may achieve more than the caller who got this verdict. */
const isLeftUndecided = (verdict: Verdict): boolean =>
  verdict === ELSEWHERE || (verdict.kind === 'not_yet_settled' && verdict.mayRepeat);

async function takeForward(
  { work, database }: DriveParts,
  rail: MachineRail,
  attempt: Attempt,
): Promise<Verdict> {
  if (attempt.handed_over_at !== null) {
    const outcome = await rail.reconcile(attempt);
    return outcome.kind === 'not_yet_settled' && outcome.mayRepeat ? rail.settle(attempt) : outcome;
  }
  const fitness = await rail.verify(attempt);
  if (fitness.kind !== 'fit') return fitness;
  const handedOver = await database.runTransaction((tx) =>
    markHandedOver(labScope, tx, attempt.id, work.clock.now()),
  );
  return rail.settle(handedOver);
}

/** Only finds out the outcome of the attempt. */
export function examineAttempt(parts: DriveParts, rail: MachineRail, attemptId: string): Promise<Verdict> {
  return parts.payments.flights.run(attemptId, () =>
    runWithLease(parts, rail, attemptId, {
      hasCredential: false,
      step: (attempt) => rail.reconcile(attempt),
    }),
  );
}

async function runWithLease(
  parts: DriveParts,
  rail: MachineRail,
  attemptId: string,
  {
    hasCredential,
    step,
  }: { readonly hasCredential: boolean; readonly step: (attempt: Attempt) => Promise<Verdict> },
): Promise<Verdict> {
  const { work, database } = parts;
  const at = work.clock.now();
  const lease = { at, until: addMs(at, LEASE_MS), hasCredential };
  const attempt = await takeAttempt(labScope, database.read, attemptId, lease);
  if (attempt === undefined) return (await findStoredVerdict(database, attemptId)) ?? ELSEWHERE;
  try {
    const verdict = await step(attempt).catch((error: unknown): Verdict => {
      const reason = getErrorMessage(error);
      return { kind: 'unavailable', reason };
    });
    await conclude(parts, rail, attempt, verdict);
    if (verdict.kind === 'paid') return verdict;
    // A process that was stopped for longer than its lease may learn less than another one has found out meanwhile.
    return (await findStoredVerdict(database, attemptId)) ?? verdict;
  } catch (error) {
    await giveBackAttempt(labScope, database.read, attemptId).catch(() => undefined);
    throw error;
  }
}

/** Reads the verdict of an attempt that is finished; undefined while somebody works on it or is about to. */
async function findStoredVerdict(database: Database, attemptId: string): Promise<Verdict | undefined> {
  const attempt = await findAttempt(labScope, database.read, attemptId);
  if (attempt?.state === 'paid' && attempt.outcome !== null) return { kind: 'paid', ...attempt.outcome };
  if (attempt?.refusal !== null && attempt?.refusal !== undefined)
    return { kind: 'refused', ...attempt.refusal };
  return undefined;
}

async function conclude(
  { work, database }: DriveParts,
  rail: MachineRail,
  attempt: Attempt,
  verdict: Verdict,
): Promise<void> {
  if (verdict.kind === 'paid') return takePayment(work, database, attempt, verdict);
  const at = work.clock.now();
  if (verdict.kind !== 'refused') return markLookedAt(labScope, database.read, attempt.id, at);
  const { code, reason } = verdict;
  await database.runTransaction(async (tx) => {
    const refusal = { code, reason };
    if (!(await finishAttempt(labScope, tx, attempt.id, { state: 'refused', refusal, at }))) return;
    await recordChange(work, tx, createOrganizationScope(attempt.organization_id), {
      actorKind: 'processor',
      actor: rail.method,
      operation: 'refuse_payment',
      subject: attempt.invoice_id,
      details: { attempt: attempt.n, reason },
    });
    await announcePaymentFailure(work, tx, attempt.invoice_id, `The reason is: ${reason}.`);
  });
}

/** The money has moved: invoice, ledger and attempt are updated together. */
async function takePayment(
  work: Work,
  database: Database,
  attempt: Attempt,
  { reference, headers, externalReference }: Extract<Verdict, { kind: 'paid' }>,
): Promise<void> {
  await database.runTransaction(async (tx) => {
    const invoice = await findInvoice(labScope, tx, attempt.invoice_id);
    if (invoice === undefined) throw fail('invoice_not_found');
    const settled = await settlePayment(work, tx, invoice.id, {
      rail: attempt.rail,
      externalReference: externalReference ?? attempt.external_key,
      amountCents: invoice.total_cents,
      currency: invoice.currency,
      reference,
      details: { ...reference, attempt: attempt.n, amount_cents: invoice.total_cents },
    });
    await finishAttempt(labScope, tx, attempt.id, {
      state: settled === 'returned' ? 'returned' : 'paid',
      outcome: { reference, headers },
      at: work.clock.now(),
    });
  });
}

/** The chore: reconciles attempts whose request died. A failing one does not block the others. */
export async function reconcilePayments(parts: DriveParts): Promise<void> {
  const { work, database, payments } = parts;
  const at = work.clock.now();
  const due = await selectUnattendedAttempts(labScope, database.read, {
    at,
    untouchedSince: addMs(at, -UNATTENDED_MS),
    limit: UNATTENDED_BATCH,
  });
  const rounds = due.map(async (attempt) => {
    const rail = payments.rails.get(attempt.rail);
    if (rail !== undefined) await examineAttempt(parts, rail, attempt.id);
  });
  const failed = (await Promise.allSettled(rounds)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
