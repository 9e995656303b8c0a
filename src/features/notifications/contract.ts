/** Operations on the mails that a person gets about what happens. */
import { defineOperation } from '#core/operation.ts';
import { Nullable, OneOf, strict, Type, type Static } from '#core/schema.ts';
import {
  clientEventNames,
  clientEvents,
  mailChoices,
  staffEventNames,
  staffEvents,
  type NoticeEvent,
} from './events.ts';
import { USUAL_DIGEST_HOUR } from './rules.ts';

const CHOICE = 'none: no mail; at_once: a mail of its own; daily: in one mail a day';

const Hour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'hour of the day, UTC, at which the daily mail is written',
});

const Events = <Names extends readonly [string, ...string[]]>(names: Names) =>
  Type.Array(
    Type.Object({
      event: OneOf(names, { description: 'what the mail tells; its key in `mail` of a change' }),
      title: Type.String({ description: 'name of the event, for people' }),
      means: Type.String({ description: 'what happened, for people' }),
      mail: OneOf(mailChoices, { description: `how the person is told now. ${CHOICE}` }),
      usual: OneOf(mailChoices, { description: 'how somebody of this role is told who chose nothing' }),
      allowed: Type.Boolean({
        description: 'whether the role permits reading what the mail tells; false: there is never one',
      }),
    }),
    { description: 'everything there can be a mail about' },
  );

const Settings = <Names extends readonly [string, ...string[]]>(names: Names) =>
  Type.Object({
    email: Type.String({
      description: 'address that the mails go to: the one that the person signs in with',
    }),
    served: Type.Boolean({ description: 'false: this service sends no mail, because no mail server is set' }),
    digest_hour: Hour,
    events: Events(names),
  });

const Choice = (means: string) =>
  Type.Optional(Nullable(OneOf(mailChoices), { description: `when ${means}; null keeps it. ${CHOICE}` }));

const Change = <Mail extends Parameters<typeof Type.Object>[0]>(mail: Mail) =>
  Type.Object(
    {
      digest_hour: Type.Optional(
        Nullable(Hour, { description: 'hour of the daily mail, UTC; null keeps it' }),
      ),
      mail: Type.Optional(
        Nullable(Type.Object(mail, strict), { description: 'the events to tell otherwise; null keeps all' }),
      ),
    },
    strict,
  );

const ClientSettings = Settings(clientEventNames);
const StaffSettings = Settings(staffEventNames);
export type NotificationSettings = Static<typeof ClientSettings> | Static<typeof StaffSettings>;

/** What a person changes, whichever the list. */
export interface NotificationChange {
  readonly digest_hour?: number | null;
  readonly mail?: Readonly<Partial<Record<NoticeEvent, (typeof mailChoices)[number] | null>>> | null;
}

const OWN =
  'The choices belong to the person of the token and to its organization; nobody else reads or changes them.';
const RESTRICTED =
  'A restricted token is refused, because a program could hide what it does from the person whom it acts for.';

const clientExample = {
  email: 'scientist@client.example',
  served: true,
  digest_hour: USUAL_DIGEST_HOUR,
  events: [
    {
      event: 'quote_ready' as const,
      title: clientEvents.quote_ready.title,
      means: clientEvents.quote_ready.means,
      mail: 'at_once' as const,
      usual: 'at_once' as const,
      allowed: true,
    },
  ],
};
const staffExample = {
  ...clientExample,
  email: 'operator@lab.example',
  events: [
    {
      event: 'new_order' as const,
      title: staffEvents.new_order.title,
      means: staffEvents.new_order.means,
      mail: 'daily' as const,
      usual: 'at_once' as const,
      allowed: true,
    },
  ],
};

export const getNotifications = defineOperation({
  id: 'get_notifications',
  method: 'GET',
  path: '/notifications',
  tag: 'notifications',
  summary: 'Read which mails you get about what happens in the organization',
  description: OWN,
  effect: 'read',
  permission: 'any',
  output: ClientSettings,
  failures: [],
  example: { output: clientExample },
});

export const updateNotifications = defineOperation({
  id: 'update_notifications',
  method: 'PATCH',
  path: '/notifications',
  tag: 'notifications',
  summary: 'Choose which mails you get about what happens in the organization',
  description: `${OWN} What is omitted or null is kept. ${RESTRICTED}`,
  effect: 'reversible',
  permission: 'any',
  bodyMode: 'required',
  body: Change({
    quote_ready: Choice(clientEvents.quote_ready.means),
    invoice: Choice(clientEvents.invoice.means),
    receipt: Choice(clientEvents.receipt.means),
    payment_failed: Choice(clientEvents.payment_failed.means),
    delay: Choice(clientEvents.delay.means),
    target_answer: Choice(clientEvents.target_answer.means),
    results: Choice(clientEvents.results.means),
    amendment: Choice(clientEvents.amendment.means),
    webhook_off: Choice(clientEvents.webhook_off.means),
  }),
  output: ClientSettings,
  failures: ['token_restricted'],
  example: {
    body: { digest_hour: 7, mail: { results: 'at_once', receipt: 'none', delay: 'daily' } },
    output: clientExample,
  },
});

export const getLabNotifications = defineOperation({
  id: 'get_lab_notifications',
  method: 'GET',
  path: '/lab/notifications',
  tag: 'lab-notifications',
  summary: 'Read which mails you get as one of the staff',
  effect: 'read',
  permission: 'lab:read',
  output: StaffSettings,
  failures: [],
  example: { output: staffExample },
});

export const updateLabNotifications = defineOperation({
  id: 'update_lab_notifications',
  method: 'PATCH',
  path: '/lab/notifications',
  tag: 'lab-notifications',
  summary: 'Choose which mails you get as one of the staff',
  description: `What is omitted or null is kept. ${RESTRICTED}`,
  effect: 'reversible',
  permission: 'lab:read',
  bodyMode: 'required',
  body: Change({
    new_order: Choice(staffEvents.new_order.means),
    target_request: Choice(staffEvents.target_request.means),
    failed_analysis: Choice(staffEvents.failed_analysis.means),
    late_run: Choice(staffEvents.late_run.means),
  }),
  output: StaffSettings,
  failures: ['token_restricted'],
  example: { body: { digest_hour: 6, mail: { new_order: 'daily' } }, output: staffExample },
});
