/** Stops mails at the request of whoever holds a signed link from one of them. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import {
  clientEventNames,
  getChoice,
  staffEventNames,
  type MailChoice,
  type NoticeEvent,
} from '../notifications/events.ts';
import { findRecipient } from '../notifications/settings-store.ts';
import { DAILY, type Subscription } from '../notifications/unsubscribe.ts';
import { recordEverywhere, recordIn } from './trail.ts';
import { changeSettings } from '../notifications/show-settings.ts';

/** Twice is the same as once. */
export async function stopMail(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin,
  { userId, organizationId, stops }: Subscription,
): Promise<void> {
  const recipient = await findRecipient(labScope, tx, { user_id: userId, organization_id: organizationId });
  // Who is gone gets no mail.
  if (recipient === undefined) return;
  const choices = recipient.choices ?? {};
  const all: readonly NoticeEvent[] = organizationId === null ? staffEventNames : clientEventNames;
  const isStopped = (event: NoticeEvent): boolean =>
    stops === DAILY ? getChoice(event, choices, recipient) === 'daily' : event === stops;
  const mail: Partial<Record<NoticeEvent, MailChoice>> = {};
  for (const event of all) if (isStopped(event) && choices[event] !== 'none') mail[event] = 'none';
  if (Object.keys(mail).length === 0) return;
  await changeSettings(
    { tx, clock: work.clock },
    { user_id: userId, organization_id: organizationId },
    { mail },
  );
  const entry = {
    event: 'stop_mail',
    person: { id: userId, email: recipient.email },
    origin,
    details: { stops },
  } as const;
  if (organizationId === null) await recordEverywhere(work, tx, entry);
  else await recordIn(work, tx, organizationId, entry);
}
