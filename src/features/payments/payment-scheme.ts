/**
 * The HTTP `Payment` scheme with method `stripe`, intent `charge` (draft-httpauth-payment-01,
 * draft-stripe-charge-00): a challenge for one invoice, and the credential that answers it. Pure: it makes no
 * decision about money.
 */
import { formatCanonicalJson, isCanonicalValue, type CanonicalValue } from '#core/canonical-json.ts';

export const PAYMENT_CHALLENGE_MS = 5 * 60_000;

/** A challenge as it is stored; every field but the description comes back in the credential, unchanged. */
export interface PaymentChallenge {
  readonly id: string;
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  /** Base64url of the canonical JSON of the charge request. */
  readonly request: string;
  /** RFC 3339. */
  readonly expires: string;
  readonly description: string;
}

export interface PaymentAsk {
  readonly id: string;
  readonly realm: string;
  readonly invoiceId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly description: string;
  readonly networkId: string;
  readonly paymentMethodTypes: readonly string[];
  readonly expiresAt: Date;
}

export function buildPaymentChallenge(ask: PaymentAsk): PaymentChallenge {
  const description = ask.description.replaceAll(/[^\x20-\x7e]|["\\]/g, '?');
  // Clients decode it and encode it canonically, so any other order of members would come back as a different text.
  const request = encodeRequest({
    amount: String(ask.amountCents),
    currency: ask.currency,
    description,
    externalId: ask.invoiceId,
    methodDetails: { networkId: ask.networkId, paymentMethodTypes: ask.paymentMethodTypes },
  });
  return {
    id: ask.id,
    realm: ask.realm,
    method: 'stripe',
    intent: 'charge',
    request,
    expires: ask.expiresAt.toISOString(),
    description,
  };
}

/** Formats the value of `WWW-Authenticate`. */
export function formatChallengeHeader(challenge: PaymentChallenge): string {
  const { id, realm, method, intent, request, expires, description } = challenge;
  const parameters = Object.entries({ id, realm, method, intent, request, expires, description });
  return `Payment ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

const CHALLENGE = /^Payment +(.+)$/i;
const PARAMETER = /(\w+)="([^"]*)"/g;

/**
 * Parses the challenge of a `WWW-Authenticate` header in the form of the tool protocol
 * (draft-payment-transport-mcp-00), where the request is JSON. Undefined when the header holds no challenge of this
 * scheme.
 */
export function parseChallengeHeader(header: string): Readonly<Record<string, unknown>> | undefined {
  const parameters = CHALLENGE.exec(header)?.[1];
  if (parameters === undefined) return undefined;
  const entries = Object.fromEntries(
    [...parameters.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name, value]),
  );
  return { ...entries, request: parseEncoded(entries.request ?? '') };
}

/**
 * Formats the value of `Authorization` for a credential in the form of the tool protocol. A request that is JSON is
 * encoded as it was given out; anything else stays as it is, and is refused where the credential is read.
 */
export function formatCredentialHeader(credential: unknown): string {
  const fields = toRecord(credential) ?? {};
  const challenge = toRecord(fields.challenge) ?? {};
  const { request } = challenge;
  const isJson = typeof request === 'object' && isCanonicalValue(request);
  const echoed = isJson ? { ...challenge, request: encodeRequest(request) } : challenge;
  return formatCredential(echoed, fields.payload);
}

/** The credential that answers a stored challenge with a token. */
export function answerChallenge(
  stored: PaymentChallenge,
  { token, externalId }: { readonly token: string; readonly externalId: string },
): string {
  const challenge = Object.fromEntries(ECHOED.map((name) => [name, stored[name]]));
  return formatCredential(challenge, { spt: token, externalId });
}

function formatCredential(challenge: Readonly<Record<string, unknown>>, payload: unknown): string {
  return `Payment ${Buffer.from(JSON.stringify({ challenge, payload }), 'utf8').toString('base64url')}`;
}

function encodeRequest(request: CanonicalValue): string {
  return Buffer.from(formatCanonicalJson(request), 'utf8').toString('base64url');
}

const ECHOED = ['id', 'realm', 'method', 'intent', 'request', 'expires'] as const;

export interface PaymentCredential {
  readonly challenge: Readonly<Record<(typeof ECHOED)[number], string>>;
  readonly token: string;
  readonly externalId: string;
}

const SCHEME = /^Payment(?: +|$)/i;
const CREDENTIAL = /^Payment +([A-Za-z0-9_-]{1,12000})={0,2} *$/i;

/** Whether an `Authorization` header uses this scheme, readable or not. */
export function isPaymentCredential(authorization: string | undefined): boolean {
  return authorization !== undefined && SCHEME.test(authorization);
}

/**
 * Returns undefined when the credential is not readable. Other echoed fields are ignored, because nothing needs them.
 */
export function readCredential(authorization: string): PaymentCredential | undefined {
  const encoded = CREDENTIAL.exec(authorization)?.[1];
  const credential = toRecord(encoded === undefined ? undefined : parseEncoded(encoded));
  const challenge = toRecord(credential?.challenge);
  const { spt, externalId } = toRecord(credential?.payload) ?? {};
  if (challenge === undefined || typeof spt !== 'string' || typeof externalId !== 'string') return undefined;
  const [id, realm, method, intent, request, expires] = ECHOED.map((name) => challenge[name]);
  const echoed = { id, realm, method, intent, request, expires };
  if (!isEcho(echoed) || spt === '' || spt.length > 500 || !isPrintable(spt)) return undefined;
  return { challenge: echoed, token: spt, externalId };
}

function isEcho(value: Readonly<Record<string, unknown>>): value is PaymentCredential['challenge'] {
  return Object.values(value).every((field) => typeof field === 'string' && isPrintable(field));
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Compares the six fields of the contract with those that were given out. */
export function answersChallenge(credential: PaymentCredential, stored: PaymentChallenge): boolean {
  return ECHOED.every((field) => credential.challenge[field] === stored[field]);
}

/** Whether a stored value is a challenge of this scheme. */
export function isPaymentChallenge(value: unknown): value is PaymentChallenge {
  const record = toRecord(value);
  return (
    record !== undefined && [...ECHOED, 'description'].every((field) => typeof record[field] === 'string')
  );
}

function parseEncoded(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
