/** The page of one endpoint: its state, its settings, its secret and its deliveries. */
import { formatCount } from '#core/counts.ts';
import type { Output } from '#core/operation.ts';
import { deleteWebhook, rollWebhookSecret, updateWebhook, type OrgWebhook } from '../contract.ts';
import { testWebhook, type listWebhookDeliveries } from '../delivery-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';
import {
  renderEndpointChip,
  renderEndpointFields,
  renderEndpointProblems,
  renderNotice,
  WEBHOOKS_PATH,
  type WebhookRemark,
} from './webhooks-view.ts';

type Deliveries = Output<typeof listWebhookDeliveries>;
export type Delivery = Deliveries['items'][number];

export interface EndpointParts {
  readonly webhook: OrgWebhook;
  readonly deliveries: Deliveries;
  readonly notice: string | undefined;
  readonly remark: WebhookRemark | undefined;
  readonly createKey: () => string;
}

export function renderEndpointPage(session: Session, parts: EndpointParts): PageContent {
  const { webhook, deliveries, notice, remark } = parts;
  const { items, total } = deliveries;
  const path = `${WEBHOOKS_PATH}/${webhook.id}`;
  const list =
    items.length === 0
      ? markup`<p class="muted">Nothing was sent yet.</p>`
      : markup`<ul class="rows">${items.map(renderDeliveryRow)}</ul>`;
  const more = total - items.length;
  const body = markup`${renderSettingsHead(session, 'webhooks')}
${renderNotice(notice)}
<p><a href="${WEBHOOKS_PATH}">All endpoints</a></p>
<div class="sheets"><div class="stack">
<section class="card" aria-labelledby="endpoint"><h2 id="endpoint">${webhook.url}</h2><p>${renderEndpointChip(webhook)}</p>${renderEndpointProblems(webhook)}
${renderSecretState(webhook)}${renderDeeds(session, parts, path)}</section>
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>${list}${more > 0 && markup`<p class="hint">and ${more.toLocaleString('en-US')} older, in the API</p>`}</section></div>
${canCall(session, updateWebhook) && markup`<section class="card" aria-labelledby="settings"><h2 id="settings">Address and events</h2><form method="post" action="${path}/save" class="fields">${renderFormFields(session, parts.createKey())}${renderEndpointFields(remark, webhook)}<div><button>Save</button></div></form></section>`}
</div>`;
  return { title: `Webhook ${webhook.url}`, body, section: 'organization' };
}

function renderSecretState({ secret_set: isSet, previous_secret_until: until }: OrgWebhook): Markup {
  return markup`<p class="hint">${isSet ? 'Deliveries are signed with its secret.' : 'It has no secret of its own.'}${until !== null && markup` The previous secret signs too until ${renderTime(until)}.`}</p>`;
}

function renderDeeds(session: Session, { webhook, createKey }: EndpointParts, path: string): Markup {
  const post = (verb: string, button: Part): Markup =>
    markup`<form method="post" action="${path}/${verb}">${renderFormFields(session, createKey())}${button}</form>`;
  const mayUpdate = canCall(session, updateWebhook);
  return markup`<div class="decision">
${webhook.enabled && canCall(session, testWebhook) && post('test', markup`<button class="primary">Send a test</button>`)}
${mayUpdate && (webhook.enabled ? post('disable', markup`<button>Switch off</button>`) : post('enable', markup`<button class="primary">Switch on</button>`))}
${canCall(session, rollWebhookSecret) && markup`<details><summary>Replace the secret</summary>${post('roll', markup`<p class="hint">The current secret signs beside the new one for a day.</p><button>Make a new secret</button>`)}</details>`}
${canCall(session, deleteWebhook) && markup`<details><summary>Delete</summary>${post('delete', markup`<p class="hint">The endpoint goes with its deliveries. This cannot be taken back.</p><button class="danger">Delete the endpoint</button>`)}</details>`}</div>`;
}

const TONES = { waiting: 'moving', delivered: 'good', failed: 'attention' } as const;

export function renderDeliveryChip({ status }: Pick<Delivery, 'status'>): Markup {
  return markup`<span class="chip ${TONES[status]}">${status === 'waiting' ? 'Waiting' : status === 'delivered' ? 'Delivered' : 'Failed'}</span>`;
}

function renderDeliveryRow(delivery: Delivery): Markup {
  const { id, event_type: type, created_at: at, attempts, last_outcome: outcome } = delivery;
  return markup`<li><div><a href="${WEBHOOKS_PATH}/deliveries/${id}"><code>${type}</code><span class="visually-hidden"> of </span> ${renderTime(at)}</a> ${renderDeliveryChip(delivery)}
<p class="hint">${formatCount(attempts, 'attempt')}${outcome !== null && markup` · <bdi>${outcome}</bdi>`}</p></div></li>`;
}

interface NewSecret {
  readonly webhook: Pick<OrgWebhook, 'id' | 'url'>;
  readonly secret: string;
  readonly previousUntil: string | null;
}

/** The only page that shows a secret. */
export function renderSecretPage(
  session: Session,
  { webhook, secret, previousUntil }: NewSecret,
): PageContent {
  const body = markup`${renderSettingsHead(session, 'webhooks')}
<section class="card" aria-labelledby="made"><h2 id="made">The secret of ${webhook.url}</h2>
<p><strong>Copy it now: it is shown only once.</strong> Your receiver checks the signatures with it.</p>
<p><code class="secret">${secret}</code></p>
${previousUntil !== null && markup`<p class="hint">The previous secret signs too until ${renderTime(previousUntil)}.</p>`}
<p><a class="button" href="${WEBHOOKS_PATH}/${webhook.id}">I have copied it</a></p></section>`;
  return { title: 'Secret of a webhook', body, section: 'organization' };
}
