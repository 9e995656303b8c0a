/** What people are told by mail: one list for clients and one for the staff of the lab. */
import {
  rolePermissions,
  staffRolePermissions,
  type Permission,
  type Role,
  type StaffRole,
} from '#core/permissions.ts';
import type { EventType } from '../updates/types.ts';

/** `none`: never; `at_once`: a mail of its own; `daily`: in one mail a day. */
export const mailChoices = ['none', 'at_once', 'daily'] as const;
export type MailChoice = (typeof mailChoices)[number];

/** Facts that are not in the feed. */
export const factKinds = [
  'webhook.disabled',
  'target.requested',
  'target.answered',
  'run.late',
  'message.to_client',
  'message.to_lab',
] as const;
export type FactKind = (typeof factKinds)[number];

interface EventKind {
  /** As a page and a mail name it. */
  readonly title: string;
  readonly means: string;
  /** Without it a person may not read what the mail tells, and gets none. */
  readonly needs: Permission;
}

interface ClientEventKind extends EventKind {
  /** Roles that get it at once unless they choose otherwise; the others get none. */
  readonly usualFor: readonly Role[];
}

interface StaffEventKind extends EventKind {
  readonly usualFor: readonly StaffRole[];
}

export const clientEvents = {
  quote_ready: {
    title: 'Quote ready',
    means: 'a quote can be accepted',
    needs: 'quote:read',
    usualFor: ['member', 'billing', 'admin'],
  },
  invoice: {
    title: 'Invoice',
    means: 'an invoice is due',
    needs: 'invoice:read',
    usualFor: ['billing', 'admin'],
  },
  receipt: {
    title: 'Receipt',
    means: 'an invoice was paid',
    needs: 'invoice:read',
    usualFor: ['billing', 'admin'],
  },
  payment_failed: {
    title: 'Payment failed',
    means: 'a payment was refused',
    needs: 'invoice:read',
    usualFor: ['member', 'billing', 'admin'],
  },
  delay: {
    title: 'Delay',
    means: 'materials or results come later than told before',
    needs: 'experiment:read',
    usualFor: ['member', 'admin'],
  },
  target_answer: {
    title: 'Target answered',
    means: 'the lab approved or declined a target that was requested',
    needs: 'target:read',
    usualFor: ['member', 'admin'],
  },
  message: {
    title: 'Message',
    means: 'the lab wrote to you, or a colleague named you in a message',
    needs: 'experiment:read',
    usualFor: ['member', 'admin'],
  },
  results: {
    title: 'Results',
    means: 'results were released, all or some of them',
    needs: 'result:read',
    usualFor: ['viewer', 'member', 'admin'],
  },
  amendment: {
    title: 'Amendment',
    means: 'released results were replaced by a new version',
    needs: 'result:read',
    usualFor: ['viewer', 'member', 'admin'],
  },
  webhook_off: {
    title: 'Webhook switched off',
    means: 'the service switched an endpoint off, because its deliveries failed',
    needs: 'webhook:read',
    usualFor: ['admin'],
  },
} as const satisfies Readonly<Record<string, ClientEventKind>>;
export type ClientEvent = keyof typeof clientEvents;

export const staffEvents = {
  new_order: {
    title: 'New order',
    means: 'a client submitted an experiment',
    needs: 'lab:read',
    usualFor: ['manager'],
  },
  target_request: {
    title: 'Target request',
    means: 'a client requested a target that the catalog does not have',
    needs: 'lab:price',
    usualFor: ['manager'],
  },
  client_message: {
    title: 'Message of a client',
    means: 'a client wrote about an order, or a colleague named you in a message',
    needs: 'lab:read',
    usualFor: ['operator', 'manager'],
  },
  failed_analysis: {
    title: 'Failed analysis',
    means: 'data could not be analyzed',
    needs: 'lab:run',
    usualFor: ['operator', 'manager'],
  },
  late_run: {
    title: 'Late run',
    means: 'the lab needs more workdays for its turn than usual',
    needs: 'lab:run',
    usualFor: ['operator', 'manager'],
  },
} as const satisfies Readonly<Record<string, StaffEventKind>>;
export type StaffEvent = keyof typeof staffEvents;
export type NoticeEvent = ClientEvent | StaffEvent;

type NonEmpty<T> = readonly [T, ...T[]];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the list above
export const clientEventNames = Object.keys(clientEvents) as readonly ClientEvent[] as NonEmpty<ClientEvent>;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the list above
export const staffEventNames = Object.keys(staffEvents) as readonly StaffEvent[] as NonEmpty<StaffEvent>;

export function isClientEvent(name: string): name is ClientEvent {
  return Object.hasOwn(clientEvents, name);
}

export function isStaffEvent(name: string): name is StaffEvent {
  return Object.hasOwn(staffEvents, name);
}

export function getEventKind(event: NoticeEvent): EventKind {
  return isClientEvent(event) ? clientEvents[event] : staffEvents[event];
}

/** What a person is in the place that a notice comes from. */
export interface Standing {
  /** Null for somebody who is no member of the organization. */
  readonly role: Role | null;
  readonly staffRoles: readonly StaffRole[];
}

/** Whether the person may read what the notice tells. */
export function mayBeTold(event: NoticeEvent, { role, staffRoles: held }: Standing): boolean {
  if (isClientEvent(event)) return role !== null && rolePermissions[role].has(clientEvents[event].needs);
  const { needs } = staffEvents[event];
  return held.some((each) => staffRolePermissions[each].has(needs));
}

/** How a person of these roles is told, unless the person chose otherwise. */
export function getUsualChoice(event: NoticeEvent, standing: Standing): MailChoice {
  if (!mayBeTold(event, standing)) return 'none';
  const usual: readonly string[] = isClientEvent(event)
    ? clientEvents[event].usualFor
    : staffEvents[event].usualFor;
  const heldRoles: readonly (string | null)[] = isClientEvent(event) ? [standing.role] : standing.staffRoles;
  return heldRoles.some((role) => role !== null && usual.includes(role)) ? 'at_once' : 'none';
}

export type Choices = Readonly<Partial<Record<NoticeEvent, MailChoice>>>;

/** A person whom a message names is told at once, unless the person chose otherwise. */
export function getChoice(
  event: NoticeEvent,
  choices: Choices,
  standing: Standing,
  isNamed = false,
): MailChoice {
  if (!mayBeTold(event, standing)) return 'none';
  return choices[event] ?? (isNamed ? 'at_once' : getUsualChoice(event, standing));
}

/** Events of the feed that somebody may be told of. */
const fromFeed: Readonly<Partial<Record<EventType, readonly NoticeEvent[]>>> = {
  'quote.opened': ['quote_ready'],
  'invoice.opened': ['invoice'],
  'invoice.paid': ['receipt'],
  'invoice.payment_failed': ['payment_failed'],
  'materials.delayed': ['delay'],
  'results.delayed': ['delay'],
  'results.released': ['results'],
  'results.partly_released': ['results'],
  'results.amended': ['amendment'],
  'analysis.stopped': ['failed_analysis'],
  'experiment.created': ['new_order'],
  'experiment.status_changed': ['new_order'],
};

export const toldEventTypes: readonly string[] = Object.keys(fromFeed);

interface FeedFact {
  readonly event_type: string;
  readonly previous_status: string | null;
  readonly status: string | null;
}

/** What an update of the feed is told as. An order is new when it leaves the draft, or begins beyond it. */
export function findFeedEvents({
  event_type: type,
  previous_status,
  status,
}: FeedFact): readonly NoticeEvent[] {
  const isOrdered =
    status === 'waiting_for_confirmation' || (status === 'waiting_for_materials' && previous_status === null);
  const isNew = previous_status === null || previous_status === 'draft';
  const [, events = []] = Object.entries(fromFeed).find(([each]) => each === type) ?? [];
  return events.filter((event) => event !== 'new_order' || (isOrdered && isNew));
}

const fromFacts: Readonly<Record<FactKind, NoticeEvent>> = {
  'webhook.disabled': 'webhook_off',
  'target.requested': 'target_request',
  'target.answered': 'target_answer',
  'run.late': 'late_run',
  'message.to_client': 'message',
  'message.to_lab': 'client_message',
};

export function findFactEvents(kind: string): readonly NoticeEvent[] {
  const factKind = factKinds.find((each) => each === kind);
  return factKind === undefined ? [] : [fromFacts[factKind]];
}
