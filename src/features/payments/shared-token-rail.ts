/**
 * The rail `mpp-spt`: one card charge with a shared payment token, requested and answered by the HTTP `Payment`
 * scheme. An attempt keeps its token, sealed. While the outcome is unknown, the same attempt is repeated with the
 * same token under the same idempotency key, and no other token is charged.
 */
import { createHash } from 'node:crypto';
import { addMs, type Clock } from '#core/clock.ts';
import type { Ids } from '#core/ids.ts';
import type { Sealer } from '#core/sealer.ts';
import type {
  Admission,
  Attempt,
  Challenge,
  MachineRail,
  PayableInvoice,
  Refused,
  Verdict,
} from './machine-rail.ts';
import {
  answerChallenge,
  answersChallenge,
  formatChallengeHeader,
  isPaymentChallenge,
  isPaymentCredential,
  PAYMENT_CHALLENGE_MS,
  buildPaymentChallenge,
  readCredential,
} from './payment-scheme.ts';
import {
  ProcessorUnclearError,
  type ChargeOrder,
  type ChargeVerdict,
  type TokenProcessor,
} from './processor.ts';

/** A challenge is given out again for this long, so that its receiver still has minutes to answer. */
const HANDED_OUT_MS = 60_000;
/**
 * A processor keeps idempotency keys for 24 h. After this time a repeated request might charge again, so the charge
 * is looked up.
 */
const KEY_GOOD_MS = 23 * 3_600_000;
/** After this time no request can still be on its way, so a charge that is not found does not exist. */
const SURELY_OVER_MS = 25 * 3_600_000;

/** The name of the rail in the ledger and for refunds. */
export const SHARED_TOKEN_RAIL = 'mpp-spt';

export interface SharedTokenParts {
  readonly processor: TokenProcessor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sealer: Sealer;
  /** Public address of the service; its host is the realm. */
  readonly getBaseUrl: () => string;
}

/** What is needed to repeat an attempt. */
interface ChargeRequest {
  readonly sealed_token: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly description: string;
  readonly expires: string;
}

const createMismatch = (reason: string): Refused => ({
  kind: 'refused',
  code: 'payment_credential_mismatch',
  reason,
});
const createDeclined = (reason: string): Refused => ({ kind: 'refused', code: 'payment_declined', reason });

export function createSharedTokenRail(parts: SharedTokenParts): MachineRail {
  return {
    method: SHARED_TOKEN_RAIL,
    paysAnewOn402: true,
    foreignCredential: {
      code: 'payment_declined',
      reason: 'the token was given for another invoice; mint a new one',
    },
    findCredential(headers) {
      const credential = headers['payment-authorization'];
      return isPaymentCredential(credential) ? credential : undefined;
    },
    createChallenge: (invoice, at) => createChallenge(parts, invoice, at),
    answerWithToken: ({ terms }, externalId, token) =>
      isPaymentChallenge(terms) ? answerChallenge(terms, { token, externalId }) : undefined,
    admit: async (credential, request) => admitCredential(parts, credential, request),
    verify: (attempt) => runUnlessUnclear(() => verifyAttempt(parts, attempt)),
    settle: (attempt) => runUnlessUnclear(() => chargeToken(parts, attempt)),
    reconcile: (attempt) => runUnlessUnclear(() => reconcileAttempt(parts, attempt)),
  };
}

function createChallenge(
  { processor, ids, getBaseUrl }: SharedTokenParts,
  invoice: PayableInvoice,
  at: Date,
) {
  const challenge = buildPaymentChallenge({
    id: ids.createSecret(),
    realm: new URL(getBaseUrl()).host,
    invoiceId: invoice.id,
    amountCents: invoice.totalCents,
    currency: invoice.currency,
    description: formatDescription(invoice),
    networkId: processor.networkId,
    paymentMethodTypes: processor.paymentMethodTypes,
    expiresAt: addMs(at, PAYMENT_CHALLENGE_MS),
  });
  return {
    headers: { 'www-authenticate': formatChallengeHeader(challenge) },
    terms: challenge,
    expires_at: addMs(at, HANDED_OUT_MS),
  };
}

const formatDescription = (invoice: PayableInvoice): string => `Invoice ${invoice.number}`;

function admitCredential(
  { sealer }: SharedTokenParts,
  text: string,
  charge: { readonly invoice: PayableInvoice; readonly challenges: readonly Challenge[]; readonly at: Date },
): Admission {
  const credential = readCredential(text);
  if (credential === undefined) return createMismatch('it is not readable');
  const { invoice, challenges, at } = charge;
  const challenge = challenges
    .map(({ terms }) => terms)
    .find((terms) => isPaymentChallenge(terms) && terms.id === credential.challenge.id);
  if (!isPaymentChallenge(challenge))
    return createMismatch('it answers a challenge that was not issued for this invoice');
  if (!answersChallenge(credential, challenge))
    return createMismatch('it does not repeat the challenge unchanged');
  if (credential.externalId !== invoice.id) return createMismatch('its externalId is not this invoice');
  if (Date.parse(challenge.expires) <= at.getTime())
    return createMismatch(`the challenge expired at ${challenge.expires}`);
  const request: ChargeRequest = {
    sealed_token: sealer.seal(credential.token),
    amount_cents: invoice.totalCents,
    currency: invoice.currency,
    description: formatDescription(invoice),
    expires: challenge.expires,
  };
  return {
    kind: 'admitted',
    externalKey: createHash('sha256').update(credential.token).digest('hex'),
    request,
  };
}

/**
 * Checks the limits of the token before it is charged. Only the processor can tell whether the token was granted to
 * us.
 */
async function verifyAttempt(
  { processor, clock, sealer }: SharedTokenParts,
  attempt: Attempt,
): Promise<{ readonly kind: 'fit' } | Refused> {
  const request = getRequest(attempt);
  const token = await processor.readToken(sealer.open(request.sealed_token));
  if (token === undefined) return createDeclined('the payment processor knows no such token');
  if (token.isDeactivated) return createDeclined('the token was used or withdrawn');
  if (token.expiresAt.getTime() <= clock.now().getTime()) return createDeclined('the token has expired');
  if (token.currency !== request.currency) return createDeclined(`the token is not in ${request.currency}`);
  if (token.maxAmountCents < request.amount_cents)
    return createDeclined('the maximum amount of the token is below the total of the invoice');
  return { kind: 'fit' };
}

async function chargeToken({ processor, sealer }: SharedTokenParts, attempt: Attempt): Promise<Verdict> {
  const request = getRequest(attempt);
  const order: ChargeOrder = {
    invoice_id: attempt.invoice_id,
    organization_id: attempt.organization_id,
    attempt: attempt.n,
    token: sealer.open(request.sealed_token),
    amount_cents: request.amount_cents,
    currency: request.currency,
    description: request.description,
  };
  return toVerdict(await processor.charge(order), attempt);
}

async function reconcileAttempt(parts: SharedTokenParts, attempt: Attempt): Promise<Verdict> {
  if (attempt.handed_over_at === null)
    return createDeclined('it was interrupted before the token was charged');
  const ageMs = parts.clock.now().getTime() - Date.parse(attempt.handed_over_at);
  if (ageMs < KEY_GOOD_MS) return chargeAgain(parts, attempt);
  const charge = await findCharge(parts, attempt);
  if (charge !== undefined) return toVerdict(charge, attempt);
  return ageMs < SURELY_OVER_MS
    ? { kind: 'unavailable', reason: 'no charge has been found yet' }
    : createDeclined('the token was never charged');
}

/**
 * For a day a processor may repeat its own error under the key, although its records contain the charge; so the
 * charge is looked up as well.
 */
async function chargeAgain(parts: SharedTokenParts, attempt: Attempt): Promise<Verdict> {
  try {
    return await chargeToken(parts, attempt);
  } catch (error) {
    if (!(error instanceof ProcessorUnclearError)) throw error;
    const charge = await findCharge(parts, attempt);
    if (charge === undefined) throw error;
    return toVerdict(charge, attempt);
  }
}

const findCharge = ({ processor }: SharedTokenParts, attempt: Attempt): Promise<ChargeVerdict | undefined> =>
  processor.find({ invoice_id: attempt.invoice_id, attempt: attempt.n });

function toVerdict(verdict: ChargeVerdict, attempt: Attempt): Verdict {
  if (verdict.kind === 'declined')
    return createDeclined(`the payment processor declined it: ${verdict.reason}`);
  const { paymentIntentId } = verdict;
  if (attempt.handed_over_at === null) throw new Error('a charge for an attempt that was never handed over');
  const receipt = {
    method: 'stripe',
    reference: paymentIntentId,
    status: 'success',
    timestamp: attempt.handed_over_at,
  };
  return {
    kind: 'paid',
    externalReference: paymentIntentId,
    reference: { type: 'provider_payment_intent', payment_intent_id: paymentIntentId },
    headers: { 'payment-receipt': Buffer.from(JSON.stringify(receipt)).toString('base64url') },
  };
}

/** An unclear outcome at the processor stays unclear here. */
async function runUnlessUnclear<Known>(
  step: () => Promise<Known>,
): Promise<Known | { readonly kind: 'unavailable'; readonly reason: string }> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ProcessorUnclearError) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
}

function getRequest({ request }: Attempt): ChargeRequest {
  if (!isChargeRequest(request)) throw new Error('an attempt of mpp-spt without its request');
  return request;
}

function isChargeRequest(value: unknown): value is ChargeRequest {
  return typeof value === 'object' && value !== null && 'sealed_token' in value && 'amount_cents' in value;
}
