/**
 * Payments over the tool protocol, which has no headers, by the two published conventions: x402 (`x402/…` in `_meta`;
 * the terms are the structured content of an error) and the `Payment` scheme (`org.paymentauth/…` in `_meta`, or a
 * JSON-RPC error with the challenge). Both become the headers of REST here, so that no operation knows them.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { Failure } from '#core/failures.ts';
import type { Operation, PaymentHeader } from '#core/operation.ts';
import {
  formatCredentialHeader,
  parseChallengeHeader,
  readCredential,
} from '#features/payments/payment-scheme.ts';

type Headers = Readonly<Record<string, string | undefined>>;
type Meta = Readonly<Record<string, unknown>>;

const X402_CREDENTIAL = 'x402/payment';
const X402_RECEIPT = 'x402/payment-response';
const SCHEME_CREDENTIAL = 'org.paymentauth/credential';
const SCHEME_RECEIPT = 'org.paymentauth/receipt';
const SCHEME_REQUIRED = 'org.paymentauth/payment-required';

const PAYMENT_REQUIRED = 402;
/** The JSON-RPC code of draft-payment-transport-mcp-00 for a challenge. */
const CHALLENGE_CODE = -32_042;

/** Reads the credentials in the `_meta` of a call, for an operation that takes them; others ignore them. */
export function readCredentials(
  { paymentHeaders = [] }: Pick<Operation, 'paymentHeaders'>,
  meta: Meta,
): Partial<Record<PaymentHeader, string>> {
  const x402 = paymentHeaders.includes('payment-signature') ? meta[X402_CREDENTIAL] : undefined;
  const scheme = paymentHeaders.includes('payment-authorization') ? meta[SCHEME_CREDENTIAL] : undefined;
  return {
    ...(x402 === undefined ? {} : { 'payment-signature': encodeJson(x402) }),
    ...(scheme === undefined ? {} : { 'payment-authorization': formatCredentialHeader(scheme) }),
  };
}

/** The receipts of an answer, under the names of both conventions; undefined where there are none. */
export function buildReceipts(
  { 'payment-response': x402, 'payment-receipt': scheme }: Headers,
  authorization: string | undefined,
): Record<string, unknown> | undefined {
  const credential = authorization === undefined ? undefined : readCredential(authorization);
  const challengeId = credential === undefined ? {} : { challengeId: credential.challenge.id };
  const receipts = {
    ...(x402 === undefined ? {} : { [X402_RECEIPT]: decodeJson(x402) }),
    ...(scheme === undefined ? {} : { [SCHEME_RECEIPT]: { ...decodeJson(scheme), ...challengeId } }),
  };
  return Object.keys(receipts).length === 0 ? undefined : receipts;
}

/** What the result of a failed call says of payment beside the failure itself. */
export interface PaymentRequest {
  readonly structured: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * What stands in a result in place of the headers of a 402; undefined for other failures. Throws the error by which
 * the `Payment` scheme asks for money where the revision of the protocol leaves its code free (`hasErrorCode`): in the
 * revision 2026-07-28 that code cannot be sent, and the challenge stands in `_meta`.
 */
export function requestPayment(
  { status, headers, message }: Failure,
  body: Readonly<Record<string, unknown>>,
  { hasErrorCode }: { readonly hasErrorCode: boolean },
): PaymentRequest | undefined {
  if (status !== PAYMENT_REQUIRED) return undefined;
  const { 'payment-required': terms, 'www-authenticate': challenges = '' } = headers;
  if (terms !== undefined) return { structured: { headers, ...decodeJson(terms) } };
  const challenge = parseChallengeHeader(challenges);
  if (challenge === undefined) return { structured: { headers } };
  const required = { httpStatus: status, challenges: [challenge] };
  if (hasErrorCode) throw new ProtocolError(CHALLENGE_CODE, message, { ...required, ...body });
  return { structured: { headers, ...required }, meta: { [SCHEME_REQUIRED]: required } };
}

function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

/** Decodes our own header, in base64 of either alphabet. */
function decodeJson(encoded: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
