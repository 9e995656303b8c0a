/**
 * `POST /invoices/{invoice_id}/pay`: returns the payment terms, or collects payment with the credential in the
 * request.
 */
import { fail, type Failure } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { labScope, createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { payInvoice as operation } from '#features/invoices/contract.ts';
import { refuseIfOtherRail, refuseOutsidePolicy } from '#features/invoices/rules.ts';
import { findInvoice, lockInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import { findHostedUrl, createNotPayableFailure } from '#features/invoices/wire.ts';
import {
  selectChallenges,
  findAttemptByKey,
  insertAttempt,
  insertChallenge,
  selectLiveAttempt,
  selectPaidAttempt,
  reopenAttempt,
} from '#features/payments/attempt-store.ts';
import type {
  Attempt,
  Challenge,
  MachineRail,
  PayableInvoice,
  Refused,
  Verdict,
} from '#features/payments/machine-rail.ts';
import { SHARED_TOKEN_RAIL } from '#features/payments/shared-token-rail.ts';
import { selectRefundsOfInvoice } from '#features/invoices/refunds/store.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import { countSpending } from '#features/tokens/count-spending.ts';
import { driveAttempt, examineAttempt } from '#features/payments/drive-attempt.ts';

const RETRY_AFTER_S = 5;

/** `POST /invoices/{invoice_id}/pay`. */
export async function payInvoice(input: Input<typeof operation>, context: OutwardContext) {
  const scope = getScope(context.principal);
  const token = input.body.spt ?? undefined;
  if (token !== undefined && context.site.environment !== 'sandbox') throw fail('test_payment_unavailable');
  const invoice = await findInvoice(scope, context.database.read, input.params.invoice_id);
  if (invoice === undefined) throw fail('invoice_not_found');
  // For a paid invoice the headers do not matter.
  if (invoice.status === 'paid') return answerPaid(context, invoice);
  refuseIfOtherRail(invoice.payment_method, input.headers['payment-method']);
  if (token !== undefined) refuseIfOtherRail(invoice.payment_method, SHARED_TOKEN_RAIL);
  if (invoice.status === 'void' || invoice.status === 'uncollectible')
    throw await createClosedFailure(context, invoice);
  if (invoice.payment_method === 'async_invoice') return buildState(context, invoice);
  refuseOutsidePolicy(invoice.payment_method, context.principal);
  const rail = context.payments.rails.get(invoice.payment_method);
  if (rail === undefined) throw fail('payment_rail_not_served', { method: invoice.payment_method });
  if (invoice.status !== 'open') throw createNotPayableFailure(context.site, invoice);
  const credential = rail.findCredential(input.headers);
  if (credential !== undefined) return takeCredential(context, rail, invoice, credential);
  if (token !== undefined) return takeTestToken(context, rail, invoice, token);
  return answerWithoutCredential(context, rail, invoice);
}

/** Answers the challenge for a caller who has a test token and no client of the rail, then goes the way of all. */
async function takeTestToken(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  token: string,
): Promise<Answer> {
  const challenge = await takeChallenge(context, rail, invoice);
  if (challenge === undefined) return answerSettled(context, invoice);
  const credential = rail.answerWithToken?.(challenge, invoice.id, token);
  if (credential === undefined) throw fail('payment_rail_not_served', { method: rail.method });
  return takeCredential(context, rail, invoice, credential);
}

async function answerWithoutCredential(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
): Promise<Answer> {
  const live = await selectLiveAttempt(labScope, context.database.read, invoice.id);
  if (rail.paysAnewOn402 === true && live !== undefined) {
    const parts = { work: context, database: context.database, payments: context.payments };
    const verdict = await examineAttempt(parts, rail, live.id);
    if (verdict.kind === 'paid') return answerSettled(context, invoice);
    if (verdict.kind !== 'refused') return answerUnknown(context, invoice, verdict);
  }
  return answerChallenge(context, rail, invoice, 'payment_required');
}

/** Money may arrive although the invoice is closed; its payer must not take this answer for a payment that failed. */
async function createClosedFailure(context: OutwardContext, invoice: InvoiceRow): Promise<Failure> {
  const { read } = context.database;
  const notes = await selectRefundsOfInvoice(getScope(context.principal), read, invoice.id);
  const surplus = notes.findLast((note) => !note.is_credit);
  if (surplus !== undefined) {
    const note = `credit note ${surplus.credit_note_number} of the invoice says how`;
    const payment = `a payment arrived for it all the same and is owed back; ${note}`;
    return createNotPayableFailure(context.site, invoice, payment);
  }
  const live = await selectLiveAttempt(labScope, read, invoice.id);
  const payment =
    live === undefined
      ? ''
      : 'a payment of it is still on its way; if it arrives, it is owed back with a credit note of the invoice';
  return createNotPayableFailure(context.site, invoice, payment);
}

function buildState({ site }: OutwardContext, invoice: InvoiceRow) {
  return {
    id: invoice.id,
    status: invoice.status,
    already_paid: invoice.status === 'paid',
    hosted_invoice_url: findHostedUrl(site, invoice),
    settlement_reference: invoice.settlement_reference,
  };
}

/**
 * Answers with the receipt of the rail, which clients read in the headers. `already_paid` is false for the credential
 * that paid, whose attempt is `ownAttemptId`, and true for all others.
 */
async function answerPaid(
  context: OutwardContext,
  invoice: InvoiceRow,
  ownAttemptId?: string,
): Promise<Answer> {
  const scope = getScope(context.principal);
  const attempt = await selectPaidAttempt(scope, context.database.read, invoice.id);
  const isOwn = attempt !== undefined && attempt.id === ownAttemptId;
  const body = { ...buildState(context, invoice), already_paid: !isOwn };
  return new Answer(200, body, attempt?.outcome?.headers ?? {});
}

type Failing = 'payment_required' | 'payment_not_settled' | 'payment_in_progress' | 'payment_refused';

/**
 * Every 402 carries the stored challenge. If another request paid the invoice meanwhile, the answer says so instead.
 */
async function answerChallenge(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  code: Failing,
  reason = '',
): Promise<Answer> {
  const challenge = await takeChallenge(context, rail, invoice);
  if (challenge === undefined) return answerSettled(context, invoice);
  const extra = rail.describeChallenge?.(challenge) ?? {};
  const orToken = canUseTestToken(context, rail) ? OR_TOKEN : '';
  const parameters = { method: rail.method, reason, or_token: orToken };
  throw fail(code, parameters, { headers: challenge.headers, extra });
}

const OR_TOKEN = ', or, because this is a sandbox, with a token of mint_payment_token as `spt`';

function canUseTestToken({ site }: OutwardContext, rail: MachineRail): boolean {
  return site.environment === 'sandbox' && rail.answerWithToken !== undefined;
}

/** Takes the challenge to give out; undefined when another request has paid the invoice meanwhile. */
function takeChallenge(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
): Promise<Challenge | undefined> {
  return context.database.runTransaction(async (tx) => {
    const locked = await lockInvoice(labScope, tx, invoice.id);
    if (locked?.status === 'paid') return undefined;
    if (locked?.status !== 'open') throw createNotPayableFailure(context.site, locked ?? invoice);
    const [newest] = await ensureChallenges(context, tx, rail, locked);
    return newest;
  });
}

/** Every challenge of the invoice, newest first. There is at least one, and the newest is still valid. */
async function ensureChallenges(
  { site, clock, ids }: OutwardContext,
  tx: Transaction,
  rail: MachineRail,
  invoice: InvoiceRow,
): Promise<readonly [Challenge, ...Challenge[]]> {
  const at = clock.now();
  const [newest, ...older] = await selectChallenges(labScope, tx, invoice.id, rail.method);
  const isGood =
    newest !== undefined && (newest.expires_at === null || Date.parse(newest.expires_at) > at.getTime());
  if (isGood) return [newest, ...older];
  const { headers, terms, expires_at } = await rail.createChallenge(toPayable(site.baseUrl, invoice), at);
  const id = ids.createUuid();
  const scope = createOrganizationScope(invoice.organization_id);
  await insertChallenge(scope, tx, {
    id,
    headers,
    terms,
    expires_at,
    invoice_id: invoice.id,
    rail: rail.method,
    created_at: at,
  });
  const challenge = { id, headers, terms, expires_at: expires_at?.toISOString() ?? null };
  return newest === undefined ? [challenge] : [challenge, newest, ...older];
}

function toPayable(baseUrl: string, invoice: InvoiceRow): PayableInvoice {
  return {
    id: invoice.id,
    externalId: invoice.external_id,
    number: invoice.invoice_number ?? invoice.external_id,
    totalCents: invoice.total_cents,
    currency: invoice.currency,
    payUrl: `${baseUrl}/api/v1/invoices/${invoice.id}/pay`,
  };
}

type Admitted =
  | { readonly kind: 'drive'; readonly attemptId: string }
  /** Another attempt may still move money for this invoice. */
  | { readonly kind: 'busy'; readonly live: Attempt }
  | { readonly kind: 'already_paid' }
  | Refused;

async function takeCredential(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  credential: string,
): Promise<Answer> {
  const parts = { work: context, database: context.database, payments: context.payments };
  let admitted = await admitCredential(context, rail, invoice, credential);
  if (admitted.kind === 'busy') {
    const verdict = await examineAttempt(parts, rail, admitted.live.id);
    if (verdict.kind === 'paid') return answerSettled(context, invoice);
    if (verdict.kind === 'unavailable') return answerUnknown(context, invoice, verdict);
    admitted = await admitCredential(context, rail, invoice, credential);
    if (admitted.kind === 'busy') return answerUndecided(context, rail, invoice, 'payment_in_progress');
  }
  if (admitted.kind === 'already_paid') return answerSettled(context, invoice);
  if (admitted.kind === 'refused') return answerRefused(context, rail, invoice, admitted);
  const verdict = await driveAttempt(parts, rail, admitted.attemptId);
  if (verdict.kind === 'paid') return answerSettled(context, invoice, admitted.attemptId);
  return answerUnpaid(context, rail, invoice, verdict);
}

async function answerUnpaid(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  verdict: Exclude<Verdict, { kind: 'paid' }>,
): Promise<Answer> {
  if (verdict.kind === 'refused') return answerRefused(context, rail, invoice, verdict);
  if (verdict.kind === 'unavailable') return answerUnknown(context, invoice, verdict);
  return answerUndecided(context, rail, invoice, 'payment_not_settled');
}

/**
 * Answers a credential without an outcome: the challenge again, or 503 for payers that would answer it with new
 * money.
 */
async function answerUndecided(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  code: Failing,
): Promise<Answer> {
  if (rail.paysAnewOn402 === true) return answerUnknown(context, invoice, { kind: 'not_yet_settled' });
  return answerChallenge(context, rail, invoice, code);
}

/** Another request may have paid the invoice meanwhile, so it is read again. */
async function answerUnknown(
  context: OutwardContext,
  { id }: InvoiceRow,
  verdict: Pick<Exclude<Verdict, { kind: 'paid' | 'refused' }>, 'kind'> & { readonly reason?: string },
): Promise<Answer> {
  const invoice = await findInvoice(getScope(context.principal), context.database.read, id);
  if (invoice?.status === 'paid') return answerPaid(context, invoice);
  const detail = verdict.reason ?? 'another request is processing it';
  const headers = { 'retry-after': String(RETRY_AFTER_S) };
  const settlesItself = verdict.kind === 'not_yet_settled';
  throw fail('payment_outcome_unknown', {}, { headers, detail, settlesItself });
}

async function answerRefused(
  context: OutwardContext,
  rail: MachineRail,
  invoice: InvoiceRow,
  { code, reason }: Refused,
): Promise<Answer> {
  if (code === 'payment_refused') return answerChallenge(context, rail, invoice, code, reason);
  throw code === 'payment_declined'
    ? fail('payment_declined', { reason })
    : fail('payment_credential_mismatch', { reason });
}

/** Answers with the invoice after its payment was posted; fails with its status when it was void by then. */
async function answerSettled(
  context: OutwardContext,
  { id }: InvoiceRow,
  ownAttemptId?: string,
): Promise<Answer> {
  const invoice = await findInvoice(getScope(context.principal), context.database.read, id);
  if (invoice === undefined) throw fail('invoice_not_found');
  if (invoice.status !== 'paid') throw await createClosedFailure(context, invoice);
  return answerPaid(context, invoice, ownAttemptId);
}

/** Checks the credential and records the attempt under the lock of the invoice's row. */
function admitCredential(
  context: OutwardContext,
  rail: MachineRail,
  { id, organization_id: organizationId }: InvoiceRow,
  credential: string,
): Promise<Admitted> {
  return context.database.runTransaction(async (tx): Promise<Admitted> => {
    const invoice = await lockInvoice(labScope, tx, id);
    if (invoice === undefined) throw fail('invoice_not_found');
    if (invoice.status === 'paid') return { kind: 'already_paid' };
    if (invoice.status !== 'open') throw createNotPayableFailure(context.site, invoice);
    const challenges = await ensureChallenges(context, tx, rail, invoice);
    const at = context.clock.now();
    const charge = { invoice: toPayable(context.site.baseUrl, invoice), challenges, at };
    const admission = await rail.admit(credential, charge);
    if (admission.kind === 'refused') return admission;
    const earlierAttempt = await findAttemptByKey(labScope, tx, rail.method, admission.externalKey);
    const live = await selectLiveAttempt(labScope, tx, id);
    if (earlierAttempt !== undefined) return admitAgain(context, tx, rail, earlierAttempt, live, invoice);
    if (live !== undefined) return { kind: 'busy', live };
    return recordAttempt(context, tx, rail, createOrganizationScope(organizationId), invoice, {
      invoice_id: id,
      rail: rail.method,
      external_key: admission.externalKey,
      request: admission.request,
    });
  });
}

/** The token that pays an invoice commits to it, unless its quote was accepted with that token. */
async function chargeInvoice(context: OutwardContext, tx: Transaction, invoice: InvoiceRow): Promise<void> {
  await countSpending(context, tx, context.principal, {
    quote_id: invoice.quote_id,
    amount_cents: invoice.total_cents,
  });
}

async function recordAttempt(
  context: OutwardContext,
  tx: Transaction,
  rail: MachineRail,
  scope: OrganizationScope,
  invoice: InvoiceRow,
  attempt: Omit<Parameters<typeof insertAttempt>[2], 'id' | 'at'>,
): Promise<Admitted> {
  const attemptId = context.ids.createUuid();
  const isNew = await insertAttempt(scope, tx, { ...attempt, id: attemptId, at: context.clock.now() });
  // Another request used the credential for another invoice between the check and the insert; the lock covers only
  // this invoice.
  if (!isNew) return { kind: 'refused', ...rail.foreignCredential };
  await chargeInvoice(context, tx, invoice);
  await context.audit(tx);
  return { kind: 'drive', attemptId };
}

/** Handles the same credential a second time. */
async function admitAgain(
  context: OutwardContext,
  tx: Transaction,
  rail: MachineRail,
  known: Attempt,
  live: Attempt | undefined,
  invoice: InvoiceRow,
): Promise<Admitted> {
  if (known.invoice_id !== invoice.id) return { kind: 'refused', ...rail.foreignCredential };
  if (known.state !== 'refused') return { kind: 'drive', attemptId: known.id };
  if (known.handed_over_at !== null && known.refusal !== null) return { kind: 'refused', ...known.refusal };
  if (live !== undefined) return { kind: 'busy', live };
  await chargeInvoice(context, tx, invoice);
  await reopenAttempt(labScope, tx, known.id, context.clock.now());
  await context.audit(tx);
  return { kind: 'drive', attemptId: known.id };
}
