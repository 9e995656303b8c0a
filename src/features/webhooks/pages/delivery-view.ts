/** The page of one delivery: its body and its attempts. */
import { formatCount } from '#core/counts.ts';
import type { Output } from '#core/operation.ts';
import { resendDelivery, type getDelivery } from '../delivery-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderDeliveryChip } from './endpoint-view.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';
import { renderNotice, WEBHOOKS_PATH } from './webhooks-view.ts';

type Delivery = Output<typeof getDelivery>;
type Attempt = Delivery['attempts_made'][number];

export interface DeliveryParts {
  readonly delivery: Delivery;
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
