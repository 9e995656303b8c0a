/** Where the payment processor reports what it collected. */
import type { FastifyInstance } from 'fastify';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Database } from '#core/sql.ts';
import { PaymentNotification, SIGNATURE_HEADER, verifyNotification } from '#domain/payments/notification.ts';
import { takeNotice, type HostedParts } from '#workflows/hosted-invoices.ts';
import { settleFromNotification } from '#workflows/settle-invoice.ts';
import { parseBody } from './body.ts';

export const NOTIFICATION_PATH = '/processor/notifications';
const OUTSIDE_SIGNATURE_HEADER = 'stripe-signature';

export interface NotificationParts {
  readonly work: Work;
  readonly database: Database;
  readonly secret: string;
  /** The outside processor, where there is one; it notifies at the same address, with a signature of its own. */
  readonly hosted: HostedParts | null;
}

export function addNotificationRoute(app: FastifyInstance, parts: NotificationParts): void {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv, ['date-time']);
  const isNotification = ajv.compile<PaymentNotification>(PaymentNotification);

  app.post(NOTIFICATION_PATH, async (request, reply) => {
    const text = typeof request.body === 'string' ? request.body : '';
    const outside = request.headers[OUTSIDE_SIGNATURE_HEADER];
    if (parts.hosted !== null && typeof outside === 'string') {
      const notice = parts.hosted.processor.readNotice(text, outside, parts.work.clock.now());
      const origin = { requestId: request.id, address: request.ip };
      await takeNotice(parts.hosted, notice, origin);
      return reply.code(200).send({ received: true });
    }
    const header = request.headers[SIGNATURE_HEADER];
    // The signature comes first: nothing in an unsigned body is looked at.
    verifyNotification(
      parts.secret,
      text,
      Array.isArray(header) ? header[0] : header,
      parts.work.clock.now(),
    );
    const notification = parseBody(text);
    if (!isNotification(notification)) throw fail('invalid_notification', {}, { detail: 'unexpected form' });
    const origin = { requestId: request.id, address: request.ip };
    await parts.database.transaction((tx) => settleFromNotification(parts.work, tx, notification, origin));
    return reply.code(200).send({ received: true });
  });
}
