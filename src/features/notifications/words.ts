/** The words of mails about what happened. */
import { removeControls } from '#core/one-line.ts';
import { formatLongDay } from '#core/words.ts';
import type { MailContent } from './mail/rules.ts';
import { getEventKind, isClientEvent, type NoticeEvent } from './events.ts';
import { DIGEST_ITEMS_MAX } from './rules.ts';

/** What a mail says of a fact: texts as they were when it happened. */
export interface NoticeDetails {
  readonly experiment_code?: string | null;
  readonly experiment_name?: string | null;
  /** The number of a quote or an invoice, the name of a target, the address of an endpoint. */
  readonly subject?: string | null;
  readonly quote_id?: string | null;
  readonly target_request_id?: string | null;
  readonly amount_cents?: number | null;
  readonly currency?: string | null;
  readonly count?: number | null;
  /** When the results are expected, ISO 8601. */
  readonly eta?: string | null;
  /** A sentence that was written when it happened. */
  readonly sentence?: string | null;
  /** Of a fact: people whom a message names, and whether only they are told. */
  readonly named_user_ids?: readonly string[];
  readonly is_for_named?: boolean;
  /** Of a notice: whether it names the person who gets it. */
  readonly is_named?: boolean;
}

export interface Notice {
  readonly id: string;
  readonly event: NoticeEvent;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly details: NoticeDetails;
}

export interface NoticeLinks {
  readonly baseUrl: string;
  /** Stops the mails of this kind without signing in. */
  readonly unsubscribeUrl: string;
}

const NAME_LENGTH_MAX = 120;

/** A name of a client or of another system, as one short line. */
function formatName(text: string): string {
  const line = removeControls(text);
  const characters = Array.from(line);
  return characters.length > NAME_LENGTH_MAX ? `${characters.slice(0, NAME_LENGTH_MAX).join('')}…` : line;
}

/** Made once: a formatter takes forty times as long to make as to use. */
const AMOUNT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });

function formatAmount({ amount_cents: cents, currency }: NoticeDetails): string {
  if (typeof cents !== 'number') return '';
  return ` of ${AMOUNT.format(cents / 100)} ${(currency ?? 'usd').toUpperCase()}`;
}

function formatSubject({ subject }: NoticeDetails): string {
  return typeof subject === 'string' && subject !== '' ? ` ${formatName(subject)}` : '';
}

function formatExperiment({ experiment_code: code, experiment_name: name }: NoticeDetails): string {
  if (typeof code !== 'string') return 'an experiment';
  return typeof name === 'string' && name !== '' ? `${code} “${formatName(name)}”` : code;
}

interface Words {
  /** The subject of a mail of its own. */
  readonly formatHeadline: (details: NoticeDetails) => string;
  readonly formatText: (details: NoticeDetails) => string;
  readonly findPath: (details: NoticeDetails) => string;
  readonly button: string;
}

const openExperiment = ({ experiment_code: code }: NoticeDetails): string =>
  typeof code === 'string' ? `/experiments/${encodeURIComponent(code)}` : '/';
const openLabExperiment = (details: NoticeDetails): string => `/lab${openExperiment(details)}`;
const formatSentence = ({ sentence }: NoticeDetails): string =>
  typeof sentence === 'string' && sentence !== '' ? ` ${removeControls(sentence)}` : '';

const openMessages = (details: NoticeDetails): string => `${openExperiment(details)}#messages`;
const formatMessage = (details: NoticeDetails): string =>
  `${formatName(details.subject ?? '')} wrote about ${formatExperiment(details)}:${formatSentence(details)}`;
/** Says when the results are expected; nothing where no date is promised. */
const formatEta = ({ eta }: NoticeDetails, condition = ''): string =>
  typeof eta === 'string' ? ` Results are expected by ${formatLongDay(new Date(eta))}${condition}.` : '';

const words: Readonly<Record<NoticeEvent, Words>> = {
  quote_ready: {
    formatHeadline: (details) => `Quote ready for ${formatExperiment(details)}`,
    formatText: (details) =>
      `The quote${formatSubject(details)}${formatAmount(details)} for ${formatExperiment(details)} can be accepted.${formatEta(details, ' if it is accepted today')}`,
    findPath: (details) =>
      typeof details.quote_id === 'string'
        ? `/quotes/${encodeURIComponent(details.quote_id)}`
        : openExperiment(details),
    button: 'Look at the quote',
  },
  invoice: {
    formatHeadline: (details) => `Invoice${formatSubject(details)} for ${formatExperiment(details)}`,
    formatText: (details) =>
      `The invoice${formatSubject(details)}${formatAmount(details)} for ${formatExperiment(details)} is due.${formatEta(details)}`,
    findPath: openExperiment,
    button: 'Look at the invoice',
  },
  receipt: {
    formatHeadline: (details) => `Receipt: invoice${formatSubject(details)} is paid`,
    formatText: (details) =>
      `The invoice${formatSubject(details)}${formatAmount(details)} for ${formatExperiment(details)} is paid.${formatEta(details)}`,
    findPath: openExperiment,
    button: 'Look at the experiment',
  },
  payment_failed: {
    formatHeadline: (details) => `Payment failed for ${formatExperiment(details)}`,
    formatText: (details) =>
      `A payment of the invoice${formatSubject(details)}${formatAmount(details)} for ${formatExperiment(details)} was refused. The invoice is still due.${formatSentence(details)}`,
    findPath: openExperiment,
    button: 'Pay the invoice',
  },
  delay: {
    formatHeadline: (details) => `Delay of ${formatExperiment(details)}`,
    formatText: (details) => `${formatExperiment(details)} is delayed.${formatSentence(details)}`,
    findPath: openExperiment,
    button: 'Look at the experiment',
  },
  target_answer: {
    formatHeadline: (details) => `The lab answered the request for${formatSubject(details)}`,
    formatText: (details) =>
      `The lab answered the request for the target${formatSubject(details)}.${formatSentence(details)}`,
    findPath: ({ target_request_id: id }) =>
      typeof id === 'string' ? `/target-requests/${encodeURIComponent(id)}` : '/target-requests',
    button: 'Look at the answer',
  },
  message: {
    formatHeadline: (details) => `Message about ${formatExperiment(details)}`,
    formatText: formatMessage,
    findPath: openMessages,
    button: 'Read and answer',
  },
  results: {
    formatHeadline: (details) => `Results of ${formatExperiment(details)}`,
    // The sentence has the number of results, and what they lack of the order.
    formatText: (details) =>
      `Results of ${formatExperiment(details)} are released.${formatSentence(details)}`,
    findPath: openExperiment,
    button: 'Look at the results',
  },
  amendment: {
    formatHeadline: (details) => `Results of ${formatExperiment(details)} were amended`,
    formatText: (details) =>
      `A new version replaces the results of ${formatExperiment(details)}. Use it instead of the earlier one.${formatSentence(details)}`,
    findPath: openExperiment,
    button: 'Look at the new version',
  },
  webhook_off: {
    formatHeadline: () => 'A webhook endpoint was switched off',
    formatText: (details) =>
      `The endpoint${formatSubject(details)} receives nothing any more.${formatSentence(details)}`,
    findPath: () => '/organization/webhooks',
    button: 'Look at the endpoints',
  },
  new_order: {
    formatHeadline: (details) => `New order ${formatExperiment(details)}`,
    formatText: (details) => `${formatExperiment(details)} was submitted.`,
    findPath: openLabExperiment,
    button: 'Open the order',
  },
  target_request: {
    formatHeadline: (details) => `Target requested:${formatSubject(details)}`,
    formatText: (details) =>
      `A target was requested that the catalog does not have:${formatSubject(details)}.`,
    findPath: () => '/lab/target-requests',
    button: 'Open the requests',
  },
  client_message: {
    formatHeadline: (details) => `Message about ${formatExperiment(details)}`,
    formatText: formatMessage,
    findPath: (details) => `/lab${openMessages(details)}`,
    button: 'Read and answer',
  },
  failed_analysis: {
    formatHeadline: (details) => `Analysis of ${formatExperiment(details)} failed`,
    formatText: (details) =>
      `The data of ${formatExperiment(details)} could not be analyzed.${formatSentence(details)}`,
    findPath: openLabExperiment,
    button: 'Open the order',
  },
  late_run: {
    formatHeadline: (details) => `Late: ${formatExperiment(details)}`,
    formatText: (details) => `${formatExperiment(details)} is late.${formatSentence(details)}`,
    findPath: openLabExperiment,
    button: 'Open the order',
  },
};

/** A page of the portal is opened in the organization it belongs to; the pages of the lab are for every organization. */
function createAddress({ baseUrl }: NoticeLinks, { event, details, organization_id: id }: Notice): string {
  const path = words[event].findPath(details);
  if (!isClientEvent(event)) return `${baseUrl}${path}`;
  return `${baseUrl}/organizations/${id}/open?next=${encodeURIComponent(path)}`;
}

export interface NoticeMail {
  readonly subject: string;
  readonly content: MailContent;
}

/** Writes the mail of one notice. */
export function writeNoticeMail(notice: Notice, links: NoticeLinks): NoticeMail {
  const { formatHeadline, formatText, button } = words[notice.event];
  const { title } = getEventKind(notice.event);
  return {
    subject: formatHeadline(notice.details),
    content: {
      paragraphs: [formatText(notice.details), `Organization: ${formatName(notice.organization_name)}`],
      action: { label: button, url: createAddress(links, notice) },
      footer: `You get this mail because you are told of “${title}”.`,
      links: createFooterLinks(links, `Stop mails of “${title}”`),
    },
  };
}

/** Writes the daily mail. All notices are of one organization, or all for the staff. */
export function writeDigestMail(notices: readonly Notice[], links: NoticeLinks): NoticeMail {
  const [first] = notices;
  if (first === undefined) throw new Error('a daily mail needs a notice');
  const place = isClientEvent(first.event) ? formatName(first.organization_name) : 'the lab';
  const more = notices.length - DIGEST_ITEMS_MAX;
  const count = `${notices.length.toLocaleString('en-US')} ${notices.length === 1 ? 'piece' : 'pieces'} of news`;
  return {
    subject: `Today at ${place}: ${count}`,
    content: {
      paragraphs: [`This happened at ${place} since the last daily mail.`],
      items: notices.slice(0, DIGEST_ITEMS_MAX).map((notice) => ({
        text: words[notice.event].formatText(notice.details),
        url: createAddress(links, notice),
      })),
      ...(more > 0 ? { rest: `And ${more.toLocaleString('en-US')} more, which the pages show.` } : {}),
      footer: 'You get this mail because you chose a daily mail.',
      links: createFooterLinks(links, 'Stop the daily mail'),
    },
  };
}

function createFooterLinks({ baseUrl, unsubscribeUrl }: NoticeLinks, stop: string): MailContent['links'] {
  return [
    { label: 'Choose your mails', url: `${baseUrl}/account/notifications` },
    { label: stop, url: unsubscribeUrl },
  ];
}
