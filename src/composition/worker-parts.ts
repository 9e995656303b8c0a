/** The background worker: its handler for each kind of job, and its chores. */
import type { FastifyInstance } from 'fastify';
import { createSmtpMailer } from '#adapters/mail/smtp.ts';
import type { DeliverNotification } from '#adapters/processors/builtin/index.ts';
import {
  ANALYZE,
  ANNOUNCE_STOP,
  JOBS_IN_HAND_MAX,
  MAKE_PACKAGE,
  MAKE_SMALL_PACKAGE,
  NOTIFY_PAYMENT,
  REANALYZE,
  SEND_QUOTE,
  SEND_REFUND,
  type JobPolicy,
} from '#features/jobs/rules.ts';
import { NOTIFICATION_PATH } from '#transports/rest/notifications.ts';
import { createWorker, type Worker } from '#transports/worker.ts';
import { listPeriodicChores, sendExperimentQuote } from '#features/installation/chores.ts';
import {
  deleteOldPackages,
  makePackage,
  recordFailedPackage,
} from '#features/results/package/make-package.ts';
import { reconcilePayments } from '#features/payments/drive-attempt.ts';
import { SANDBOX_STEP } from '#features/runs/raw-files/schedule-lab.ts';
import { sealPlainSecrets } from '#features/experiments/seal-plain-secrets.ts';
import type { Parts } from './parts.ts';
import { createNoticeParts, createPeopleJobs } from './people-parts.ts';
import type { Logger } from 'pino';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { Work } from '#core/context.ts';
import { CHECK_LEDGER, checkLedgerDaily, requestLedgerCheck } from '#features/ledger/check-ledger.ts';
import type { Settings } from '#settings/settings.ts';
import { announceStop, recordFailedAnalysis, runAnalysisJob } from '#workflows/analyze/analyze-experiment.ts';
import { recordFailedReanalysis, runReanalysisJob } from '#workflows/analyze/reanalyze-experiment.ts';
import { parseLabStep, recordFailedStep, takeLabStep } from '#sandbox/lab.ts';
import { simulateOnThread } from '#sandbox/simulate.ts';
import { sendRefund } from '#features/invoices/refunds/send-refund.ts';
import { createOutsideBooks, createOwnBooks } from './payment-rails.ts';

/** Joins the parts of the daily ledger check. */
const NAMED_IN_THE_LOG = 20;

function createLedgerCheck(settings: Settings, work: Work, database: PostgresDatabase, log: Logger) {
  const check = async (): Promise<void> => {
    const sql = database.read;
    const books = [...createOwnBooks(sql), ...(await createOutsideBooks(settings, sql))];
    await checkLedgerDaily(work, { database, books }, (outcome, { findings, not_compared: notCompared }) => {
      if (outcome === 'findings')
        log.error({ findings: findings.slice(0, NAMED_IN_THE_LOG) }, 'the books have errors');
      if (notCompared.length > 0) log.warn({ notCompared }, 'the books could not be compared');
    });
  };
  return { handlers: { [CHECK_LEDGER]: check }, chore: () => requestLedgerCheck(work, database) };
}

/** An analysis waits for room in memory, and keeps no place of a payment or a mail meanwhile. */
const ANALYSIS_POLICY: JobPolicy = { inHandMax: JOBS_IN_HAND_MAX };

/**
 * One large package at a time, because it takes a thread with its own memory for minutes; beside it two small ones, of
 * different organizations. What fails thrice fails always; the client is told and may ask again.
 */
const PACKAGE_POLICY: JobPolicy = { delaysMs: [2_000, 15_000], inHandMax: 1 };
const SMALL_PACKAGE_POLICY: JobPolicy = { ...PACKAGE_POLICY, inHandMax: 2, isOnePerOrganization: true };

/** Creates the worker, and a function that closes its mailer. */
export function createWorkerOver(parts: Parts, app: FastifyInstance): { worker: Worker; close(): void } {
  const { settings, log, work, database, processors } = parts;
  const ports = { database, ...parts.rawFiles };
  const mailer = settings.smtp === null ? null : createSmtpMailer(settings.smtp);
  const notices = createNoticeParts(parts, mailer);
  const ledger = createLedgerCheck(settings, work, database, log);
  const worker = createWorker({
    database,
    clock: work.clock,
    log,
    handlers: {
      [SANDBOX_STEP]: async (payload) => {
        await takeLabStep(work, { ...ports, simulate: simulateOnThread }, parseLabStep(payload));
      },
      [ANALYZE]: (payload) => runAnalysisJob(work, ports, payload),
      [ANNOUNCE_STOP]: (payload) => announceStop(work, database, payload),
      [REANALYZE]: (payload) => runReanalysisJob(work, ports, payload),
      [MAKE_PACKAGE]: (payload) => makePackage(work, parts, payload),
      [MAKE_SMALL_PACKAGE]: (payload) => makePackage(work, parts, payload),
      [SEND_REFUND]: (payload) => sendRefund(work, database, processors.refunds, String(payload.refund_id)),
      ...createPeopleJobs(work, database, mailer),
      ...notices.handlers,
      [SEND_QUOTE]: (payload) => sendExperimentQuote(work, database, String(payload.experiment_id)),
      ...processors.handlers,
      ...ledger.handlers,
      [NOTIFY_PAYMENT]: (payload) => processors.builtin.notify(String(payload.payment_id), deliverTo(app)),
    },
    policies: {
      ...notices.policies,
      [ANALYZE]: ANALYSIS_POLICY,
      [REANALYZE]: ANALYSIS_POLICY,
      [MAKE_PACKAGE]: PACKAGE_POLICY,
      [MAKE_SMALL_PACKAGE]: SMALL_PACKAGE_POLICY,
    },
    givenUp: {
      [MAKE_PACKAGE]: (tx, payload) => recordFailedPackage(work, parts, tx, payload),
      [MAKE_SMALL_PACKAGE]: (tx, payload) => recordFailedPackage(work, parts, tx, payload),
      [SANDBOX_STEP]: (tx, payload) => recordFailedStep(work, tx, parseLabStep(payload)),
      [ANALYZE]: (tx, payload) => recordFailedAnalysis(work, tx, payload),
      [REANALYZE]: (tx, payload) => recordFailedReanalysis(work, tx, payload),
    },
    chores: [
      ...listPeriodicChores(work, database),
      ...notices.chores,
      () => deleteOldPackages(work, parts),
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
