/** The pages of one endpoint (its state, its settings, its secret and its deliveries) and of one delivery. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { deleteWebhook, rollWebhookSecret, updateWebhook, type OrgWebhook } from '../contract.ts';
import {
  testWebhook,
  type listWebhookDeliveries,
  resendDelivery,
  type getDelivery,
} from '../delivery-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form.ts';
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
type Delivery = Deliveries['items'][number];

interface EndpointParts {
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

function renderDeliveryChip({ status }: Pick<Delivery, 'status'>): Markup {
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

/** The page of one delivery: its body and its attempts. */

type SentDelivery = Output<typeof getDelivery>;
type Attempt = SentDelivery['attempts_made'][number];

interface DeliveryParts {
  readonly delivery: SentDelivery;
  readonly notice: string | undefined;
  readonly createKey: () => string;
}

export function renderDeliveryPage(session: Session, parts: DeliveryParts): PageContent {
  const { delivery, notice, createKey } = parts;
  const {
    id,
    event_type: type,
    webhook_id: webhook,
    experiment_id: experiment,
    next_at: next,
    attempts_made: made,
  } = delivery;
  const back = webhook === null ? WEBHOOKS_PATH : `${WEBHOOKS_PATH}/${webhook}`;
  const again =
    canCall(session, resendDelivery) &&
    markup`<form method="post" action="${WEBHOOKS_PATH}/deliveries/${id}/redeliver">${renderFormFields(session, createKey())}<button>Send it again</button><p class="hint">With the same id, so that a receiver can tell that it knows it.</p></form>`;
  const body = markup`${renderSettingsHead(session, 'webhooks')}
${renderNotice(notice)}
<div class="stack"><p><a href="${back}">${webhook === null ? 'All endpoints' : 'The endpoint'}</a></p>
<section class="card" aria-labelledby="delivery"><h2 id="delivery"><code>${type}</code></h2><p>${renderDeliveryChip(delivery)}</p>
<p class="hint">Since ${renderTime(delivery.created_at)} · <code>${id}</code>${next !== null && markup` · next attempt ${renderTime(next)}`}${experiment !== null && markup` · <a href="/experiments/${experiment}">its experiment</a>`}</p>${again}</section>
<section class="card" aria-labelledby="attempts"><h2 id="attempts">${formatCount(delivery.attempts, 'attempt')}</h2>${made.length === 0 ? markup`<p class="muted">No attempt yet.</p>` : markup`<ul class="rows">${made.map(renderAttempt)}</ul>`}</section>
<section class="card" aria-labelledby="body"><h2 id="body">Body</h2><pre tabindex="0">${formatJson(delivery.body)}</pre><details><summary>The bytes as they are signed</summary><pre class="copy" tabindex="0">${delivery.body}</pre></details></section></div>`;
  return { title: `Delivery of ${type}`, body, section: 'organization' };
}

/** Indented for readers; the signature is over the bytes as they were sent. */
function formatJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

const SIGNERS: Readonly<Record<NonNullable<Attempt['signed_with']>[number], string>> = {
  experiment: 'the secret of the experiment',
  endpoint: 'the secret of the endpoint',
  endpoint_previous: 'its previous secret',
  organization: 'the secret of the first endpoint of the organization',
  organization_previous: 'its previous secret',
  deployment: 'the secret of this service',
};

function describeSigners(signedWith: Attempt['signed_with']): string | null {
  if (signedWith === null) return null;
  if (signedWith.length === 0) return 'Not signed';
  return `Signed with ${signedWith.map((signer) => SIGNERS[signer]).join(' and ')}`;
}

function renderAttempt(attempt: Attempt): Markup {
  const { number, url, began_at: at, duration_ms: duration, outcome, answer } = attempt;
  const signed = describeSigners(attempt.signed_with);
  return markup`<li><div><strong>Attempt ${number}</strong> <span class="hint">${renderTime(at)}${duration !== null && ` · ${duration.toLocaleString('en-US')} ms`}</span>
<p><bdi>${outcome ?? 'No answer is known.'}</bdi></p><p class="hint">${url}${signed !== null && ` · ${signed}`}</p>
${answer !== null && answer !== '' && markup`<p class="hint">Answer: <bdi>${answer}</bdi></p>`}</div></li>`;
}
