/** The page of all endpoints, and the pieces that the page of one endpoint shares. */
import { formatCount } from '#core/words.ts';
import { eventKinds, eventTypes } from '../../updates/types.ts';
import { createWebhook, type OrgWebhook, triggerEvent } from '../contract.ts';
import { triggers } from '../triggers.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import type { FormsView } from '#ui/form.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';

export const WEBHOOKS_PATH = '/organization/webhooks';

/** Address, format and event types of an endpoint. */
export const ENDPOINT_FIELDS = {
  url: {
    label: 'Address',
    kind: 'url',
    hint: 'An https address of a public host, such as https://hooks.example.org/assayer.',
    isRequired: true,
  },
  format: {
    label: 'Body of a delivery',
    options: [
      ['events', 'The event, for a program'],
      ['slack', 'A message, for a chat such as Slack'],
    ],
  },
  event_types: {
    label: 'Events',
    hint: 'Without a choice it receives the status changes of experiments that have no address of their own.',
    options: eventTypes.map(
      (type) =>
        [type, markup`<code>${type}</code> <span class="hint">${eventKinds[type].means}</span>`] as const,
    ),
  },
} as const;

export const create = defineAction(createWebhook, {
  path: `${WEBHOOKS_PATH}/create`,
  page: WEBHOOKS_PATH,
  button: 'Add the endpoint',
  tone: 'primary',
  fields: ENDPOINT_FIELDS,
});
const trigger = defineAction(triggerEvent, {
  path: `${WEBHOOKS_PATH}/trigger`,
  page: WEBHOOKS_PATH,
  button: 'Bring it about',
  summary: 'Try an event',
  fields: {
    event_type: {
      label: 'Event',
      hint: 'The sandbox places a small test order and takes it as far as the event needs.',
      options: eventTypes.flatMap((type) =>
        typeof triggers[type] === 'string' ? [] : [[type, type] as const],
      ),
    },
  },
  done: 'The event is on its way; it reaches the endpoints that chose it within seconds.',
});
export const listActions = [trigger];

interface WebhooksParts {
  readonly webhooks: readonly OrgWebhook[];
  readonly notice: Markup | null;
  readonly isSandbox: boolean;
}

export function renderWebhooksPage(forms: FormsView, parts: WebhooksParts): PageContent {
  const { session } = forms;
  const { webhooks, notice } = parts;
  const list =
    webhooks.length === 0
      ? markup`<p class="muted">No endpoints yet. An endpoint receives a signed POST for each event that you choose.</p>`
      : markup`<ul class="rows">${webhooks.map(renderEndpointRow)}</ul>`;
  const body = markup`${renderSettingsHead(session, 'webhooks')}
${notice}
<div class="sheets">
<section class="card" aria-labelledby="endpoints"><h2 id="endpoints">${formatCount(webhooks.length, 'endpoint')}</h2>${list}${parts.isSandbox && renderTrial(forms, parts)}</section>
${canCall(session, createWebhook) && renderCreateCard(forms)}
</div>`;
  return { title: 'Webhooks', body, section: 'organization' };
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

function renderCreateCard(forms: FormsView): Markup {
  return markup`<section class="card" aria-labelledby="create"><h2 id="create">Add an endpoint</h2>${renderAction(forms, create, { values: { format: 'events' } })}</section>`;
}

/** Events that an order of a sandbox leads to can be tried without an order of one's own. */
function renderTrial(forms: FormsView, { webhooks }: WebhooksParts): Markup | null {
  if (webhooks.length > 0) return renderAction(forms, trigger, { values: { event_type: 'invoice.paid' } });
  return canCall(forms.session, triggerEvent)
    ? markup`<p class="hint">To try an event, first add an endpoint that receives it; then you can bring the event about here.</p>`
    : null;
}
