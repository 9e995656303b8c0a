/**
 * The built-in processor's signed notification: the invoice that was paid. Its form follows common practice:
 * `Processor-Signature: t=<epoch seconds>,v1=<hex HMAC-SHA256 of "t.body">`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '#core/failures.ts';
import { Type, type Static } from '#core/schema.ts';
import type { ProcessorNotice } from '#features/payments/processor.ts';
import { remember } from '#core/remember.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';

export const SIGNATURE_HEADER = 'processor-signature';
const TOLERANCE_S = 300;

const PaymentNotification = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 100 }),
    type: Type.Literal('invoice.paid'),
    created_at: Type.String({ maxLength: 40 }),
    invoice: Type.Object(
      {
        id: Type.String({ pattern: '^bi_[0-9a-f]{32}$' }),
        invoice_id: Type.String({ pattern: '^[0-9a-f-]{36}$', description: 'ours' }),
        payment_id: Type.String({ minLength: 1, maxLength: 100 }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type PaymentNotification = Static<typeof PaymentNotification>;

/** Compiled for the first notification, so that a service starts sooner. */
const loadCheck = remember(() => {
  // Our own schema needs no check at each start.
  return new Ajv2020({ strict: false, validateSchema: false }).compile<PaymentNotification>(
    PaymentNotification,
  );
});

export function signNotification(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${computeMac(secret, seconds, body)}`;
}

/** Throws `invalid_notification` unless the body was signed with the secret within the last five minutes. */
export function readNotification(
  secret: string,
  body: string,
  signature: string | undefined,
  now: Date,
): ProcessorNotice {
  // The signature is checked first: nothing in an unsigned body is read.
  verify(secret, body, signature, now);
  const notification = parseBody(body);
  const isNotification = loadCheck();
  if (!isNotification(notification)) throw fail('invalid_notification', {}, { detail: 'unexpected form' });
  const { id, type, invoice } = notification;
  return { id, type, providerId: invoice.id, invoiceId: invoice.invoice_id, isPaymentFailure: false };
}

function verify(secret: string, body: string, signature: string | undefined, now: Date): void {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? '');
  if (match === null) throw fail('invalid_notification', {}, { detail: 'no readable signature' });
  const seconds = Number(match[1]);
  const expected = Buffer.from(computeMac(secret, seconds, body), 'hex');
  if (!timingSafeEqual(expected, Buffer.from(match[2] ?? '', 'hex')))
    throw fail('invalid_notification', {}, { detail: 'signature does not match' });
  if (Math.abs(now.getTime() / 1000 - seconds) > TOLERANCE_S)
    throw fail('invalid_notification', {}, { detail: 'signature is too old' });
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw fail('invalid_notification', {}, { detail: 'not JSON', cause: error });
  }
}

function computeMac(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
