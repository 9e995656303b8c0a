/**
 * Signatures of deliveries: the hexadecimal HMAC-SHA256 of the body that the contract names, and beside it the headers
 * of Standard Webhooks 1.0.0, which sign id and time as well.
 */
import { createHmac } from 'node:crypto';
import type { SignatureFormat } from '#core/outgoing.ts';

export interface SignedDelivery {
  readonly deliveryId: string;
  readonly body: string;
  readonly at: Date;
  /** The secret in use first, then one that is being replaced; empty where there is none. */
  readonly secrets: readonly string[];
}

export interface SignatureStyle {
  readonly format: SignatureFormat;
  /** `X-Service`, or the lab's own. */
  readonly prefix: string;
}

/** A secret in the form of Standard Webhooks: `whsec_` and base64 of its bytes. */
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns the headers that identify and sign a delivery; `prefix` is that of the contract headers. Without a secret
 * nothing is signed.
 */
export function signDelivery(
  { deliveryId, body, at, secrets }: SignedDelivery,
  { format, prefix }: SignatureStyle,
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const identity = { 'webhook-id': deliveryId, 'webhook-timestamp': seconds };
  const [present, previous] = secrets;
  if (present === undefined) return identity;
  const signed = `${deliveryId}.${seconds}.${body}`;
  const standard = secrets.map((secret) => `v1,${computeHmac(readKey(secret), signed).toString('base64')}`);
  return {
    ...identity,
    'webhook-signature': standard.join(' '),
    [`${prefix}-Signature`]: writeHex(present, body, format),
    ...(previous === undefined ? {} : { [`${prefix}-Signature-Previous`]: writeHex(previous, body, format) }),
  };
}

function writeHex(secret: string, body: string, format: SignatureFormat): string {
  const hex = computeHmac(Buffer.from(secret, 'utf8'), body).toString('hex');
  return format === 'prefixed' ? `sha256=${hex}` : hex;
}

function readKey(secret: string): Buffer {
  const encoded = STANDARD_SECRET.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}

function computeHmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
