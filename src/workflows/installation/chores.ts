/** Periodic work: effects of time alone. */
import { after, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { lockExperiment } from '#domain/experiments/store.ts';
import { forgetDeviceLogins } from '#domain/devices/store.ts';
import { forgetKeys } from '#domain/idempotency/store.ts';
import { forgetLinks } from '#domain/people/link-store.ts';
import { forgetSessions } from '#domain/people/session-store.ts';
import { forgetAttempts } from '#domain/people/store.ts';
import { expiredQuotes, latestQuote } from '#domain/quotes/store.ts';
import { chainAuditEntries } from '../audit/chain-audit-entries.ts';
import { deviceLoginsForgottenBefore } from '../devices/device-login.ts';
import { forgetOldMails } from '../mail/mail.ts';
import { SEND_QUOTE, sendQuote } from '../quotes/prepare-quote.ts';
import { recordChange } from '../audit/record-change.ts';
import { expireQuote } from '../quotes/reject-quote.ts';
import { resumeForgottenRefunds } from '../refunds/send-refund.ts';

const EXPIRE_BATCH = 50;
/** The API promises at least 24 hours. */
const IDEMPOTENCY_KEPT_MS = 2 * DAY_MS;

/** Chores in the order in which the worker runs them. */
export function periodicChores(work: Work, database: Database): (() => Promise<void>)[] {
  return [
    () => expireDueQuotes(work, database),
    () => forgetOldKeys(work, database),
    () => resumeForgottenRefunds(work, database),
    () => forgetSpentSignIns(work, database),
    () => forgetDeviceLogins(database.read, deviceLoginsForgottenBefore(work)),
    () => forgetOldMails(work, database),
    async () => void (await chainAuditEntries(database)),
  ];
}

async function expireDueQuotes(work: Work, database: Database): Promise<void> {
  const due = await expiredQuotes(labScope, database.read, work.clock.now(), EXPIRE_BATCH);
  const outcomes = [];
  for (const { id } of due) {
    // A quote that cannot be expired must not block the others.
    outcomes.push(...(await Promise.allSettled([database.transaction((tx) => expireQuote(work, tx, id))])));
  }
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function forgetOldKeys(work: Work, database: Database): Promise<void> {
  await forgetKeys(labScope, database.read, after(work.clock.now(), -IDEMPOTENCY_KEPT_MS));
}

/** Deletes expired sessions, links and attempt counts. */
async function forgetSpentSignIns(work: Work, database: Database): Promise<void> {
  const before = after(work.clock.now(), -DAY_MS);
  await forgetSessions(database.read, before);
  await forgetLinks(database.read, before);
  await forgetAttempts(database.read, before);
}

/** Sends the quote of an experiment that was created with `skip_draft`. */
export async function sendQuoteOf(work: Work, database: Database, experimentId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const experiment = await lockExperiment(labScope, tx, experimentId);
    if (experiment === undefined) return;
    const scope = organizationScope(experiment.organization_id);
    // Staff may have withdrawn the quote meanwhile.
    if ((await latestQuote(scope, tx, experiment.id))?.status !== 'open') return;
    const sent = await sendQuote(work, tx, scope, experiment);
    if (sent.status === experiment.status) return;
    await recordChange(work, tx, scope, {
      actorKind: 'worker',
      actor: 'worker',
      operation: SEND_QUOTE,
      subject: experiment.id,
      details: { from: experiment.status, to: sent.status },
    });
  });
}
