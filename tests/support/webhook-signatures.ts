/** Signatures of deliveries as a receiver computes them, apart from our own code. */
import { createHmac } from 'node:crypto';
import type { Received } from './receiver.ts';

export function computeHex(secret: string, { body }: Received): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** As the specification of Standard Webhooks 1.0.0 says. */
export function verifyStandard(secret: string, { headers, body }: Received): boolean {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
