/**
 * What a person is told by mail, as the wire shows it, and its changes.
 * This folder: choosing recipients, writing their mails, and their own choices. Not here: what happened
 * (`features/updates`).
 */
import type { ReadContext, Site, WriteContext } from '#core/context.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import {
  getChoice,
  getEventKind,
  getUsualChoice,
  mailChoices,
  mayBeTold,
  type Choices,
  type MailChoice,
  type NoticeEvent,
  type Standing,
} from './events.ts';
import type { NotificationChange } from './contract.ts';
import { USUAL_DIGEST_HOUR } from './rules.ts';
import { findRecipient, findSettings, lockPerson, saveSettings, type Place } from './settings-store.ts';

interface ShownEvent<Event> {
  readonly event: Event;
  readonly title: string;
  readonly means: string;
  readonly mail: MailChoice;
  readonly usual: MailChoice;
  readonly allowed: boolean;
}

interface ShownSettings<Event> {
  readonly email: string;
  readonly served: boolean;
  readonly digest_hour: number;
  readonly events: ShownEvent<Event>[];
}

/** The settings of the caller in the organization of the token. */
export function getOwnPlace({ userId, organizationId }: Principal): Place {
  return { user_id: userId, organization_id: organizationId };
}

/** The settings of the caller as one of the staff. */
export function getLabPlace({ userId }: Principal): Place {
  return { user_id: userId, organization_id: null };
}

export async function readSettings<Event extends NoticeEvent>(
  { site, principal }: Pick<ReadContext, 'site' | 'principal'>,
  sql: Sql,
  place: Place,
  events: readonly Event[],
): Promise<ShownSettings<Event>> {
  const recipient = await findRecipient(labScope, sql, place);
  const standing: Standing = recipient ?? { role: null, staffRoles: [] };
  const choices = recipient?.choices ?? {};
  return {
    email: recipient?.email ?? principal.userEmail,
    served: canSend(site),
    digest_hour: recipient?.digest_hour ?? USUAL_DIGEST_HOUR,
    events: events.map((event) => {
      const { title, means } = getEventKind(event);
      const usual = getUsualChoice(event, standing);
      const mail = getChoice(event, choices, standing);
      return { event, title, means, mail, usual, allowed: mayBeTold(event, standing) };
    }),
  };
}

export function canSend({ mail }: Site): boolean {
  return mail !== 'none';
}

/** Keeps what is not named. */
export async function changeSettings(
  { tx, clock }: Pick<WriteContext, 'tx' | 'clock'>,
  place: Place,
  { digest_hour: hour, mail }: NotificationChange,
): Promise<void> {
  if (!(await lockPerson(tx, place.user_id))) return;
  const present = await findSettings(tx, place);
  await saveSettings(
    tx,
    place,
    {
      choices: { ...present?.choices, ...dropNulls(mail ?? {}) },
      digest_hour: hour ?? present?.digest_hour ?? USUAL_DIGEST_HOUR,
    },
    clock.now(),
  );
}

function dropNulls(mail: NonNullable<NotificationChange['mail']>): Choices {
  return Object.fromEntries(
    Object.entries(mail).filter(([, choice]) => mailChoices.some((each) => each === choice)),
  );
}
