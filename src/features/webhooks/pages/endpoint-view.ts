/** The pages of one endpoint (its state, its settings, its secret and its deliveries) and of one delivery. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { deleteWebhook, updateWebhook, rollWebhookSecret, type OrgWebhook } from '../contract.ts';
import {
  testWebhook,
  type listWebhookDeliveries,
  resendDelivery,
  type getDelivery,
} from '../delivery-contract.ts';
import { defineAction, renderAction, writeNext, type Action } from '#ui/action.ts';
import type { FormContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { FormsView } from '#ui/form.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';
import {
  ENDPOINT_FIELDS,
  renderEndpointChip,
  renderEndpointProblems,
  WEBHOOKS_PATH,
} from './webhooks-view.ts';

const ENDPOINT = `${WEBHOOKS_PATH}/:webhook_id`;
const DELIVERY = `${WEBHOOKS_PATH}/deliveries/:delivery_id`;

const save = defineAction(updateWebhook, {
  path: `${ENDPOINT}/save`,
  page: ENDPOINT,
  button: 'Save',
  fields: ENDPOINT_FIELDS,
  done: 'The endpoint was saved.',
});
const sendTest = defineAction(testWebhook, {
  path: `${ENDPOINT}/test`,
  page: ENDPOINT,
  button: 'Send a test',
  tone: 'primary',
  done: 'A test is on its way; its delivery stands below.',
});
const remove = defineAction(deleteWebhook, {
  path: `${ENDPOINT}/delete`,
  page: WEBHOOKS_PATH,
  button: 'Delete the endpoint',
  tone: 'danger',
  hint: 'The endpoint goes with its deliveries. This cannot be taken back.',
  summary: 'Delete',
  done: 'The endpoint was deleted with its deliveries.',
});
const switchOn: Action = defineAction(updateWebhook, {
  path: `${ENDPOINT}/enable`,
  page: ENDPOINT,
  button: 'Switch on',
  tone: 'primary',
  done: 'The endpoint receives events again.',
  does: (context) => setEnabled(context, switchOn, true),
});
const switchOff: Action = defineAction(updateWebhook, {
  path: `${ENDPOINT}/disable`,
  page: ENDPOINT,
  button: 'Switch off',
  done: 'The endpoint receives nothing until you switch it on.',
  does: (context) => setEnabled(context, switchOff, false),
});
export const roll = defineAction(rollWebhookSecret, {
  path: `${ENDPOINT}/roll`,
  page: ENDPOINT,
  button: 'Make a new secret',
  hint: 'The current secret signs beside the new one for a day.',
  summary: 'Replace the secret',
});
export const redeliver = defineAction(resendDelivery, {
  path: `${DELIVERY}/redeliver`,
  page: DELIVERY,
  button: 'Send it again',
  hint: 'With the same id, so that a receiver can tell that it knows it.',
  done: 'The delivery is sent again.',
});
export const endpointActions = [save, sendTest, remove, switchOn, switchOff];

async function setEnabled({ api, request }: FormContext, action: Action, enabled: boolean): Promise<string> {
  const params = { webhook_id: getPathParameter(request, 'webhook_id') };
  await api.reply(updateWebhook, { params, body: { enabled } });
  return writeNext(action, params);
}

type Deliveries = Output<typeof listWebhookDeliveries>;
type Delivery = Deliveries['items'][number];

interface EndpointParts {
  readonly webhook: OrgWebhook;
  readonly deliveries: Deliveries;
  readonly notice: Markup | null;
}

export function renderEndpointPage(forms: FormsView, parts: EndpointParts): PageContent {
  const { webhook, deliveries, notice } = parts;
  const { session } = forms;
  const params = { webhook_id: webhook.id };
  const { items, total } = deliveries;
  const list =
    items.length === 0
      ? markup`<p class="muted">Nothing was sent yet.</p>`
      : markup`<ul class="rows">${items.map(renderDeliveryRow)}</ul>`;
  const more = total - items.length;
  const body = markup`${renderSettingsHead(session, 'webhooks')}
${notice}
<p><a href="${WEBHOOKS_PATH}">All endpoints</a></p>
<div class="sheets"><div class="stack">
<section class="card" aria-labelledby="endpoint"><h2 id="endpoint">${webhook.url}</h2><p>${renderEndpointChip(webhook)}</p>${renderEndpointProblems(webhook)}
${renderSecretState(webhook)}${renderDeeds(forms, webhook)}</section>
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>${list}${more > 0 && markup`<p class="hint">and ${more.toLocaleString('en-US')} older, in the API</p>`}</section></div>
${canCall(session, updateWebhook) && markup`<section class="card" aria-labelledby="settings"><h2 id="settings">Address and events</h2>${renderAction(forms, save, { params, values: webhook })}</section>`}
</div>`;
  return { title: `Webhook ${webhook.url}`, body, section: 'organization' };
}

function renderSecretState({ secret_set: isSet, previous_secret_until: until }: OrgWebhook): Markup {
  return markup`<p class="hint">${isSet ? 'Deliveries are signed with its secret.' : 'It has no secret of its own.'}${until !== null && markup` The previous secret signs too until ${renderTime(until)}.`}</p>`;
}

function renderDeeds(forms: FormsView, { id, enabled }: OrgWebhook): Markup {
  const params = { webhook_id: id };
  return markup`<div class="decision">
${enabled && renderAction(forms, sendTest, { params })}
${renderAction(forms, enabled ? switchOff : switchOn, { params })}
${renderAction(forms, roll, { params })}
${renderAction(forms, remove, { params })}</div>`;
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

/** The only page that shows a secret. */
export function renderSecretPage(
  session: Session,
  webhook: Pick<OrgWebhook, 'id' | 'url'>,
  { secret, previous_secret_until: previousUntil }: Output<typeof rollWebhookSecret>,
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

export function renderDeliveryPage(
  forms: FormsView,
  delivery: SentDelivery,
  notice: Markup | null,
): PageContent {
  const {
    id,
    event_type: type,
    webhook_id: webhook,
    experiment_id: experiment,
    next_at: next,
    attempts_made: made,
  } = delivery;
  const back = webhook === null ? WEBHOOKS_PATH : `${WEBHOOKS_PATH}/${webhook}`;
  const again = renderAction(forms, redeliver, { params: { delivery_id: id } });
  const body = markup`${renderSettingsHead(forms.session, 'webhooks')}
${notice}
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
