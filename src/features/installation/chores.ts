/** Periodic work: effects of time alone. */
import { SEND_QUOTE } from '../jobs/rules.ts';
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { lockExperiment } from '../experiments/store.ts';
import { deleteExpiredDeviceLogins } from '../people/devices/store.ts';
import { deleteExpiredKeys } from '../idempotency/store.ts';
import { deleteExpiredLinks, deleteOldAttempts } from '../people/store.ts';
import { deleteExpiredSessions } from '../people/session-store.ts';
import { selectExpiredQuotes, selectLatestQuote } from '../quotes/store.ts';
import { appendAuditEntries } from '../audit/chain.ts';
import { getExpiredLoginCutoff } from '../people/devices/device-login.ts';
import { deleteOldMailsIn } from '../notifications/mail/mail.ts';
import { applyPriceLists } from '../pricing/publish-price-list.ts';
import { sendQuote } from '../quotes/prepare-quote.ts';
import { recordChange } from '../audit/record-change.ts';
import { expireQuote } from '../quotes/reject-quote.ts';
import { createDateRefresh } from '../experiments/refresh-dates.ts';
import { resumeForgottenRefunds } from '../invoices/refunds/send-refund.ts';

const EXPIRE_BATCH = 50;
/** The API promises at least 24 hours. */
const IDEMPOTENCY_KEPT_MS = 2 * DAY_MS;

/** Chores in the order in which the worker runs them. */
export function listPeriodicChores(work: Work, database: Database): (() => Promise<void>)[] {
  return [
    () => expireDueQuotes(work, database),
    () => applyPriceLists(work, database),
    createDateRefresh(work, database),
    () => deleteOldKeys(work, database),
    () => resumeForgottenRefunds(work, database),
    () => deleteSpentSignIns(work, database),
    () => deleteExpiredDeviceLogins(database.read, getExpiredLoginCutoff(work)),
    () => deleteOldMailsIn(work, database),
    async () => void (await appendAuditEntries(database)),
  ];
}

async function expireDueQuotes(work: Work, database: Database): Promise<void> {
  const due = await selectExpiredQuotes(labScope, database.read, work.clock.now(), EXPIRE_BATCH);
  const outcomes = [];
  for (const { id } of due) {
    // A quote that cannot be expired must not block the others.
    outcomes.push(
      ...(await Promise.allSettled([database.runTransaction((tx) => expireQuote(work, tx, id))])),
    );
  }
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deleteOldKeys(work: Work, database: Database): Promise<void> {
  await deleteExpiredKeys(labScope, database.read, addMs(work.clock.now(), -IDEMPOTENCY_KEPT_MS));
}

/** Deletes expired sessions, links and attempt counts. */
async function deleteSpentSignIns(work: Work, database: Database): Promise<void> {
  const before = addMs(work.clock.now(), -DAY_MS);
  await deleteExpiredSessions(database.read, before);
  await deleteExpiredLinks(database.read, before);
  await deleteOldAttempts(database.read, before);
}

/** Sends the quote of an experiment that was created with `skip_draft`. */
export async function sendExperimentQuote(
  work: Work,
  database: Database,
  experimentId: string,
): Promise<void> {
  await database.runTransaction(async (tx) => {
    const experiment = await lockExperiment(labScope, tx, experimentId);
    if (experiment === undefined) return;
    const scope = createOrganizationScope(experiment.organization_id);
    // Staff may have withdrawn the quote meanwhile.
    if ((await selectLatestQuote(scope, tx, experiment.id))?.status !== 'open') return;
    const next = await sendQuote(work, tx, scope, experiment);
    if (next.status === experiment.status) return;
    await recordChange(work, tx, scope, {
      actorKind: 'worker',
      actor: 'worker',
      operation: SEND_QUOTE,
      subject: experiment.id,
      details: { from: experiment.status, to: next.status },
    });
  });
}
