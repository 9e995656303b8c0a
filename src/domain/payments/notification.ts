/**
 * The signed notification of the built-in processor: what was collected for which invoice. The form follows the
 * usual practice of payment processors: `Processor-Signature: t=<epoch seconds>,v1=<hex HMAC-SHA256 of "t.body">`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '#core/failures.ts';
import { Type, type Static } from '#core/schema.ts';

export const SIGNATURE_HEADER = 'processor-signature';
const TOLERANCE_S = 300;

export const PaymentNotification = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 100 }),
    type: Type.Literal('payment.succeeded'),
    created_at: Type.String({ format: 'date-time' }),
    payment: Type.Object(
      {
        id: Type.String({ minLength: 1, maxLength: 100 }),
        invoice_id: Type.String({ description: 'the external invoice id' }),
        amount_cents: Type.Integer({ minimum: 0 }),
        currency: Type.String(),
        kind: Type.String(),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type PaymentNotification = Static<typeof PaymentNotification>;

export function signNotification(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${macOf(secret, seconds, body)}`;
}

/** Throws `invalid_notification` unless the body was signed with the secret within the last five minutes. */
export function verifyNotification(
  secret: string,
  body: string,
  header: string | undefined,
  now: Date,
): void {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '');
  if (match === null) throw fail('invalid_notification', {}, { detail: 'no readable signature' });
  const seconds = Number(match[1]);
  const expected = Buffer.from(macOf(secret, seconds, body), 'hex');
  if (!timingSafeEqual(expected, Buffer.from(match[2], 'hex'))) {
    throw fail('invalid_notification', {}, { detail: 'signature does not match' });
  }
  if (Math.abs(now.getTime() / 1000 - seconds) > TOLERANCE_S) {
    throw fail('invalid_notification', {}, { detail: 'signature is too old' });
  }
}

function macOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
