/** The page of all endpoints, and the pieces that the page of one endpoint shares. */
import { formatCount } from '#core/words.ts';
import { eventKinds, eventTypes } from '../../updates/types.ts';
import { createWebhook, type OrgWebhook, triggerEvent } from '../contract.ts';
import { webhookFormats, type WebhookFormat } from '../rules.ts';
import { triggers } from '../triggers.ts';
import { renderFormField, renderFormFields } from '#ui/form.ts';
import type { Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { renderProblem } from '../../people/pages/fields.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';

export const WEBHOOKS_PATH = '/organization/webhooks';
/** A check box of each event type has this before the type. */
export const EVENT_FIELD = 'event:';
const FORMATS: Readonly<Record<WebhookFormat, string>> = {
  events: 'The event, for a program',
  slack: 'A message, for a chat such as Slack',
};
const URL_LENGTH_MAX = 2_000;

/** A form that was refused: what was typed, and why. */
export interface WebhookRemark {
  readonly problem: string;
  readonly typed: Form;
}

export interface WebhooksParts {
  readonly webhooks: readonly OrgWebhook[];
  readonly notice: string | undefined;
  readonly remark: WebhookRemark | undefined;
  readonly isSandbox: boolean;
  readonly createKey: () => string;
}

export function renderWebhooksPage(session: Session, parts: WebhooksParts): PageContent {
  const { webhooks, notice } = parts;
  const list =
    webhooks.length === 0
      ? markup`<p class="muted">No endpoints yet. An endpoint receives a signed POST for each event that you choose.</p>`
      : markup`<ul class="rows">${webhooks.map(renderEndpointRow)}</ul>`;
  const body = markup`${renderSettingsHead(session, 'webhooks')}
${renderNotice(notice)}
<div class="sheets">
<section class="card" aria-labelledby="endpoints"><h2 id="endpoints">${formatCount(webhooks.length, 'endpoint')}</h2>${list}${parts.isSandbox && renderTrial(session, parts)}</section>
${canCall(session, createWebhook) && renderCreateCard(session, parts)}
</div>`;
  return { title: 'Webhooks', body, section: 'organization' };
}

export function renderNotice(notice: string | undefined): Markup | null {
  return notice === undefined ? null : markup`<p class="notice" role="status">${notice}</p>`;
}

function renderEndpointRow(webhook: OrgWebhook): Markup {
  const { id, url, event_types: events, created_at: since } = webhook;
  const eventNames = events.length === 0 ? 'status changes' : formatCount(events.length, 'event type');
  return markup`<li><div><a href="${WEBHOOKS_PATH}/${id}">${url}</a> ${renderEndpointChip(webhook)}
<p class="hint">${toSentenceCase(eventNames)} · since ${renderDay(since)}</p>${renderEndpointProblems(webhook)}</div></li>`;
}

export function renderEndpointChip({ enabled, failing_since: failing }: OrgWebhook): Markup {
  if (!enabled) return markup`<span class="chip idle">Off</span>`;
  if (failing !== null) return markup`<span class="chip attention">Failing</span>`;
  return markup`<span class="chip good">On</span>`;
}

export function renderEndpointProblems(webhook: OrgWebhook): Markup | null {
  const { failing_since: failing, disabled_reason: reason, warning } = webhook;
  if (failing === null && reason === null && warning === null) return null;
  return markup`${reason !== null && renderWarning(reason)}${warning !== null && renderWarning(warning)}${failing !== null && markup`<p class="note warn">No delivery has succeeded since ${renderDay(failing)}.</p>`}`;
}

const renderWarning = (text: string): Markup => markup`<p class="note warn">${text}</p>`;

function renderCreateCard(session: Session, { remark, createKey }: WebhooksParts): Markup {
  return markup`<section class="card" aria-labelledby="create"><h2 id="create">Add an endpoint</h2>
<form method="post" action="${WEBHOOKS_PATH}/create" class="fields">${renderFormFields(session, createKey())}
${renderEndpointFields(remark, { url: '', event_types: [], format: 'events' })}
<div><button class="primary">Add the endpoint</button></div></form></section>`;
}

/** Address, format and event types, as they are or as they were typed. */
export function renderEndpointFields(
  remark: WebhookRemark | undefined,
  present: Pick<OrgWebhook, 'url' | 'event_types' | 'format'>,
): Markup {
  const url = remark === undefined ? present.url : (remark.typed.url ?? '').slice(0, URL_LENGTH_MAX);
  const isChosen = (type: (typeof eventTypes)[number]): boolean =>
    remark === undefined
      ? present.event_types.includes(type)
      : remark.typed[`${EVENT_FIELD}${type}`] === 'yes';
  const boxes = eventTypes.map(
    (type) =>
      markup`<label class="check"><input type="checkbox" name="${EVENT_FIELD}${type}" value="yes"${isChosen(type) && markup` checked`}> <span><code>${type}</code> <span class="hint">${eventKinds[type].means}</span></span></label>`,
  );
  const address = renderFormField({
    name: 'url',
    label: 'Address',
    hint: 'An https address of a public host, such as https://hooks.example.org/assayer.',
    problems: [],
    renderControl: (attributes) =>
      markup`<input type="text" inputmode="url" ${attributes} value="${url}" required maxlength="${URL_LENGTH_MAX}" autocomplete="off" spellcheck="false">`,
  });
  const format = remark?.typed.format ?? present.format;
  const formats = renderFormField({
    name: 'format',
    label: 'Body of a delivery',
    problems: [],
    renderControl: (attributes) =>
      markup`<select ${attributes}>${webhookFormats.map((each) => markup`<option value="${each}"${each === format && markup` selected`}>${FORMATS[each]}</option>`)}</select>`,
  });
  return markup`${remark !== undefined && renderProblem(remark.problem)}
${address}
${formats}
<fieldset><legend>Events</legend><p class="hint">Without a choice it receives the status changes of experiments that have no address of their own.</p>${boxes}</fieldset>`;
}

/** Events that an order of a sandbox leads to can be tried without an order of one's own. */
function renderTrial(session: Session, { webhooks, createKey }: WebhooksParts): Markup | null {
  if (!canCall(session, triggerEvent)) return null;
  return webhooks.length > 0
    ? renderTriggerForm(session, createKey())
    : markup`<p class="hint">To try an event, first add an endpoint that receives it; then you can bring the event about here.</p>`;
}

function renderTriggerForm(session: Session, key: string): Markup {
  const possible = eventTypes.filter((type) => typeof triggers[type] !== 'string');
  const choice = renderFormField({
    name: 'event_type',
    label: 'Event',
    hint: 'The sandbox places a small test order and takes it as far as the event needs.',
    problems: [],
    renderControl: (attributes) =>
      markup`<select ${attributes}>${possible.map((type) => markup`<option${type === 'invoice.paid' && markup` selected`}>${type}</option>`)}</select>`,
  });
  return markup`<details><summary>Try an event</summary><form method="post" action="${WEBHOOKS_PATH}/trigger" class="fields">${renderFormFields(session, key)}${choice}<div><button>Bring it about</button></div></form></details>`;
}
