/**
 * Payments over the tool protocol, which has no headers, by the two published conventions: x402 (`x402/…` in `_meta`;
 * the terms are the structured content of an error) and the `Payment` scheme (`org.paymentauth/…` in `_meta`; the
 * challenge is a JSON-RPC error). Both become the headers of REST here, so that no operation knows them.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { Failure } from '#core/failures.ts';
import type { Operation, PaymentHeader } from '#core/operation.ts';
import {
  formatCredentialHeader,
  parseChallengeHeader,
  readCredential,
} from '#domain/payments/payment-scheme.ts';

type Headers = Readonly<Record<string, string | undefined>>;
type Meta = Readonly<Record<string, unknown>>;

const X402_CREDENTIAL = 'x402/payment';
const X402_RECEIPT = 'x402/payment-response';
const SCHEME_CREDENTIAL = 'org.paymentauth/credential';
const SCHEME_RECEIPT = 'org.paymentauth/receipt';

const PAYMENT_REQUIRED = 402;
/** The JSON-RPC code of draft-payment-transport-mcp-00 for a challenge. */
const CHALLENGE_CODE = -32_042;

/** The credentials in the `_meta` of a call, for an operation that takes them; others ignore them. */
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
  const given = authorization === undefined ? undefined : readCredential(authorization);
  const challengeId = given === undefined ? {} : { challengeId: given.challenge.id };
  const receipts = {
    ...(x402 === undefined ? {} : { [X402_RECEIPT]: decodeJson(x402) }),
    ...(scheme === undefined ? {} : { [SCHEME_RECEIPT]: { ...decodeJson(scheme), ...challengeId } }),
  };
  return Object.keys(receipts).length === 0 ? undefined : receipts;
}

/** What a 402 says in place of its header: the terms of x402; undefined for other failures. */
export function describeTerms({ status, headers }: Failure): Readonly<Record<string, unknown>> | undefined {
  const encoded = headers['payment-required'];
  if (status !== PAYMENT_REQUIRED) return undefined;
  return { headers, ...(encoded === undefined ? {} : decodeJson(encoded)) };
}

/** The error by which the `Payment` scheme asks for money; undefined for failures without a challenge of it. */
export function createChallengeError(
  { status, headers, message }: Failure,
  body: Readonly<Record<string, unknown>>,
): ProtocolError | undefined {
  const header = headers['www-authenticate'];
  const challenge = header === undefined ? undefined : parseChallengeHeader(header);
  if (status !== PAYMENT_REQUIRED || challenge === undefined) return undefined;
  return new ProtocolError(CHALLENGE_CODE, message, { httpStatus: status, challenges: [challenge], ...body });
}

function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

/** Our own header, in base64 of either alphabet. */
function decodeJson(encoded: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
