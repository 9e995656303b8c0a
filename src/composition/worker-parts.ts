/** The background worker: its handler for each kind of job, and its chores. */
import type { FastifyInstance } from 'fastify';
import { createSmtpMailer } from '#adapters/mail/smtp.ts';
import type { DeliverNotification } from '#adapters/processors/builtin/index.ts';
import { parseLabStep, takeLabStep } from '#sandbox/lab.ts';
import { simulateOnThread } from '#sandbox/simulate.ts';
import { NOTIFICATION_PATH } from '#transports/rest/notifications.ts';
import { createWorker, type Worker } from '#transports/worker.ts';
import { ANALYZE, runAnalysisJob, recordFailedAnalysis } from '#workflows/lab/analyze-experiment.ts';
import { listPeriodicChores, sendExperimentQuote } from '#workflows/installation/chores.ts';
import { NOTIFY_PAYMENT } from '#workflows/payments/collect-payment.ts';
import { reconcilePayments } from '#workflows/payments/drive-attempt.ts';
import { SEND_REFUND } from '#workflows/refunds/issue-credit.ts';
import { SEND_QUOTE } from '#workflows/quotes/prepare-quote.ts';
import { REANALYZE, runReanalysisJob, recordFailedReanalysis } from '#workflows/lab/reanalyze-experiment.ts';
import { SANDBOX_STEP } from '#workflows/lab/schedule-lab.ts';
import { sealPlainSecrets } from '#workflows/webhooks/seal-plain-secrets.ts';
import { sendRefund } from '#workflows/refunds/send-refund.ts';
import { createLedgerCheck } from './ledger-parts.ts';
import type { Parts } from './parts.ts';
import { createNoticeParts, createPeopleJobs } from './people-parts.ts';

/** Creates the worker, and a function that closes its mailer. */
export function createWorkerOver(parts: Parts, app: FastifyInstance): { worker: Worker; close(): void } {
  const { settings, log, work, database, processors } = parts;
  const ports = { database, ...parts.rawFiles, simulate: simulateOnThread };
  const mailer = settings.smtp === null ? null : createSmtpMailer(settings.smtp);
  const notices = createNoticeParts(parts, mailer);
  const ledger = createLedgerCheck(settings, work, database, log);
  const worker = createWorker({
    database,
    clock: work.clock,
    log,
    handlers: {
      [SANDBOX_STEP]: (payload) => takeLabStep(work, ports, parseLabStep(payload)),
      [ANALYZE]: (payload) => runAnalysisJob(work, ports, payload),
      [REANALYZE]: (payload) => runReanalysisJob(work, ports, payload),
      [SEND_REFUND]: (payload) => sendRefund(work, database, processors.refunds, String(payload.refund_id)),
      ...createPeopleJobs(work, database, mailer),
      ...notices.handlers,
      [SEND_QUOTE]: (payload) => sendExperimentQuote(work, database, String(payload.experiment_id)),
      ...processors.handlers,
      ...ledger.handlers,
      [NOTIFY_PAYMENT]: (payload) => processors.builtin.notify(String(payload.payment_id), deliverTo(app)),
    },
    policies: notices.policies,
    givenUp: {
      [ANALYZE]: (tx, payload) => recordFailedAnalysis(work, tx, payload),
      [REANALYZE]: (tx, payload) => recordFailedReanalysis(work, tx, payload),
    },
    chores: [
      ...listPeriodicChores(work, database),
      ...notices.chores,
      () => reconcilePayments(parts),
      () => parts.keyring.reload(),
      () => sealPlainSecrets(database, parts.webhooks.sealer),
      ...processors.chores,
      ledger.chore,
    ],
  });
  return { worker, close: () => mailer?.close() };
}

/** The built-in processor uses the same route as any other, without leaving the process. */
function deliverTo(app: FastifyInstance): DeliverNotification {
  return async (body, headers) => {
    const answer = await app.inject({
      method: 'POST',
      url: NOTIFICATION_PATH,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: body,
    });
    return answer.statusCode;
  };
}
