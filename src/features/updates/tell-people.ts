/**
 * Chooses who is told of what happened, after the commit of it. One process at a time holds the head of the notices; it
 * reads the feed from there, and moves the head in the transaction that writes the notices. So each fact is looked at
 * once, whoever dies when, and those who write facts wait for nothing.
 */
import type { Feed, Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  findFactEvents,
  findFeedEvents,
  getChoice,
  isStaffEvent,
  toldEventTypes,
  type NoticeEvent,
} from '../notifications/events.ts';
import {
  insertNotices,
  lockNoticeHead,
  markFactsTold,
  moveNoticeHead,
  selectFeedRows,
  selectWaitingFacts,
  type Fact,
  type FeedRow,
  type NewNotice,
} from '../notifications/notice-store.ts';
import { computeDigestTime, createNoticeId, USUAL_DIGEST_HOUR } from '../notifications/rules.ts';
import { selectMembers, selectStaffToTell, type RecipientRow } from '../notifications/settings-store.ts';
import type { NoticeDetails } from '../notifications/words.ts';
import { getLastUpdateId } from './store.ts';
import { canSend } from '../notifications/show-settings.ts';

const BATCH = 500;

export async function choosePeopleToTell(work: Work, database: Database, feed: Feed): Promise<void> {
  await feed.settle();
  while (await database.runTransaction((tx) => takeBatch(work, tx)));
}

/** A fact with what it is told as. */
interface ToldFact {
  readonly fact: Fact;
  readonly events: readonly NoticeEvent[];
  readonly details: NoticeDetails;
}

/** Answers whether there may be more. */
async function takeBatch(work: Work, tx: Transaction): Promise<boolean> {
  const after = await lockNoticeHead(tx);
  if (after === undefined) return false;
  const head = await getLastUpdateId(labScope, tx);
  const rows = await selectFeedRows(labScope, tx, { after, upTo: head, types: toldEventTypes, limit: BATCH });
  const facts = await selectWaitingFacts(labScope, tx, BATCH);
  const toTell: ToldFact[] = [
    ...rows.map((fact) => ({ fact, events: findFeedEvents(fact), details: describeUpdate(fact) })),
    ...facts.map((fact) => ({ fact, events: findFactEvents(fact.kind), details: fact.details })),
  ];
  if (canSend(work.site)) await writeNotices(work, tx, toTell);
  const at = work.clock.now();
  await markFactsTold(
    labScope,
    tx,
    facts.map(({ id }) => id),
    at,
  );
  const last = rows.length === BATCH ? rows.at(-1)?.id : head;
  if (last !== undefined) await moveNoticeHead(tx, last);
  return rows.length === BATCH || facts.length === BATCH;
}

function describeUpdate(row: FeedRow): NoticeDetails {
  return {
    subject: row.invoice_number ?? row.quote_number,
    quote_id: row.quote_id,
    amount_cents: row.amount_cents,
    currency: row.currency,
    count: row.result_count,
    eta: row.eta,
    sentence: row.event_type === 'experiment.status_changed' ? null : row.description,
  };
}

async function writeNotices(work: Work, tx: Transaction, toTell: readonly ToldFact[]): Promise<void> {
  const facts = toTell.filter(({ events }) => events.length > 0);
  if (facts.length === 0) return;
  const organizationIds = [...new Set(facts.map(({ fact }) => fact.organization_id))];
  const members = Map.groupBy(
    await selectMembers(labScope, tx, organizationIds),
    ({ organization_id: id }) => id ?? '',
  );
  const isForStaff = facts.some(({ events }) => events.some(isStaffEvent));
  const staff = isForStaff ? await selectStaffToTell(labScope, tx) : [];
  const now = work.clock.now();
  const notices = facts.flatMap(({ fact, events, details }) =>
    events.flatMap((event) => {
      const people = isStaffEvent(event) ? staff : (members.get(fact.organization_id) ?? []);
      const { named_user_ids: namedIds = [], is_for_named: isForNamed = false, ...shown } = details;
      return people.flatMap((person) => {
        const isNamed = namedIds.includes(person.user_id);
        if (isForNamed && !isNamed) return [];
        return createNotice(fact, event, { ...shown, ...(isNamed && { is_named: true }) }, person, now);
      });
    }),
  );
  await insertNotices(labScope, tx, notices);
}

function createNotice(
  fact: Fact,
  event: NoticeEvent,
  details: NoticeDetails,
  person: RecipientRow,
  now: Date,
): NewNotice[] {
  const choice = getChoice(event, person.choices ?? {}, person, details.is_named);
  if (choice === 'none') return [];
  const isDaily = choice === 'daily';
  return [
    {
      id: createNoticeId(fact.id, event, person.user_id),
      organization_id: fact.organization_id,
      user_id: person.user_id,
      event,
      details: { ...details, experiment_code: fact.experiment_code, experiment_name: fact.experiment_name },
      created_at: fact.created_at,
      due_at: isDaily ? computeDigestTime(person.digest_hour ?? USUAL_DIGEST_HOUR, now) : now,
      is_daily: isDaily,
    },
  ];
}
