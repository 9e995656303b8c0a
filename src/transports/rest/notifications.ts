/** The route where payment processors report payments. */
import { fail } from '#core/failures.ts';
import { takeNotice } from '#workflows/pay/hosted-invoices.ts';
import type { HostedParts } from '#features/payments/hosted-parts.ts';
import type { Routes } from '#ui/routes.ts';

export const NOTIFICATION_PATH = '/processor/notifications';

/** The signature covers the whole body, so a body from anybody must be read. */
const NOTIFICATION_BYTES_MAX = 1024 * 1024;

/** One address for every processor; the name of the signature header tells which processor sent it. */
export function addNotificationRoute(routes: Routes, hosted: HostedParts): void {
  routes.post(NOTIFICATION_PATH, { bodyLimit: NOTIFICATION_BYTES_MAX }, async (request, reply) => {
    const body = typeof request.body === 'string' ? request.body : '';
    for (const processor of hosted.processors.byName.values()) {
      const signature = request.headers[processor.signatureHeader];
      if (typeof signature !== 'string') continue;
      const notice = await processor.readNotice(body, signature, hosted.work.clock.now());
      await takeNotice(hosted, processor, notice, { requestId: request.id, address: request.ip });
      return reply.code(200).send({ received: true });
    }
    throw fail('invalid_notification', {}, { detail: 'no signature of a processor' });
  });
}
