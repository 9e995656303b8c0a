/** `/target-requests`: targets that the organization requested; `/target-requests/{id}`: one, and the lab's answer. */
import { renderFacts } from '#ui/lab-pieces.ts';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment } from '../../experiments/contract.ts';
import { getTargetInfo, listTargets, type TargetInfo } from '../contract.ts';
import {
  createCustomTargetRequest,
  getCustomTargetRequest,
  listCustomTargetRequests,
} from '../request-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderApiCall, renderPager } from '#ui/pieces.ts';
import {
  formatLeadTime,
  renderRequestChip,
  REQUEST_STATES,
  REQUESTS_PATH,
  type RequestItem,
} from './target-request-pieces.ts';
import { renderPrice } from './targets.ts';

const PAGE_SIZE = 25;
/** A longer reason is read on the page of its request. */
const REASON_LENGTH_SHOWN = 160;

const REQUEST_BUTTON = markup`<a class="button primary" href="${REQUESTS_PATH}/new">Request a target</a>`;

export async function loadTargetRequestListPage({
  api,
  request,
  session,
}: PortalContext): Promise<PageContent> {
  const search = queryParameter(request, 'search').trim();
  const wantedStatus = queryParameter(request, 'status');
  const status = REQUEST_STATES.some(([known]) => known === wantedStatus) ? wantedStatus : '';
  const offset = Number(queryParameter(request, 'offset')) || 0;
  const page = await api.call(listCustomTargetRequests, {
    query: {
      limit: PAGE_SIZE,
      offset,
      ...(search === '' ? {} : { search }),
      ...(status === '' ? {} : { filter: `eq(status,${status})` }),
    },
  });
  const targets = await loadAnswers(api, page.items);
  const isFiltered = search !== '' || status !== '';
  const mayRequest = canCall(session, createCustomTargetRequest);
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a></nav>
<div class="page-head"><h1>Target requests</h1>${mayRequest && REQUEST_BUTTON}</div>
${!mayRequest && markup`<p class="note form-note">${renderRoleSentence(session)}</p>`}
${(page.total > 0 || isFiltered) && renderFilters(search, status)}
<section class="card flush" aria-label="Target requests">${
    page.items.length === 0
      ? renderEmptyList(isFiltered, mayRequest)
      : markup`${renderTable(page.items, targets)}${renderPager(REQUESTS_PATH, { search, status }, page, PAGE_SIZE, 'request')}`
  }</section>`;
  return { title: 'Target requests', body, section: 'targets' };
}

export function renderRoleSentence({ visitor }: Session): Markup {
  return markup`Your role in <bdi>${visitor.organization ?? 'this organization'}</bdi> reads target requests; it cannot send one. An admin can give you the role of a member under <a href="/organization">Organization</a>.`;
}

type Targets = ReadonlyMap<string, Output<typeof listTargets>['items'][number]>;

/** The targets of the approved requests; one that the lab no longer offers is missing. */
async function loadAnswers(api: PortalContext['api'], items: readonly RequestItem[]): Promise<Targets> {
  const ids = [...new Set(items.map(({ material_id: id }) => id).filter((id) => typeof id === 'string'))];
  if (ids.length === 0) return new Map();
  const query = { filter: `in(id,${ids.join(',')})`, show_conjugated: true, limit: PAGE_SIZE };
  const page = await api.call(listTargets, { query });
  return new Map(page.items.map((target) => [target.id, target]));
}

function renderFilters(search: string, status: string): Markup {
  const options = REQUEST_STATES.map(
    ([value, label]) =>
      markup`<option value="${value}"${value === status && markup` selected`}>${label}</option>`,
  );
  return markup`<form class="filters" method="get" action="${REQUESTS_PATH}" role="search">
<div class="field"><label for="search">Name or product number</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div>
<div class="field"><label for="status">State</label><select id="status" name="status"><option value="">Any</option>${options}</select></div>
<button>Filter</button>${(search !== '' || status !== '') && markup`<a class="button quiet-link" href="${REQUESTS_PATH}">Clear</a>`}
</form>`;
}

function renderTable(items: readonly RequestItem[], targets: Targets): Markup {
  const rows = items.map(
    (
      item,
    ) => markup`<tr><th scope="row"><a href="${REQUESTS_PATH}/${item.id}"><bdi>${item.name}</bdi></a><span class="sub"><bdi>${item.product_id}</bdi></span></th>
<td data-label="State">${renderRequestChip(item.status)}</td>
<td data-label="Answer"><span>${renderShortAnswer(item, targets)}</span></td>
<td data-label="Requested">${renderTime(item.created_at)}</td></tr>`,
  );
  return markup`<table class="folding wrapping"><thead><tr><th scope="col">Target</th><th scope="col">State</th><th scope="col">Answer of the lab</th><th scope="col">Requested</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderShortAnswer(item: RequestItem, targets: Targets): Markup {
  const { status, answer, material_id: targetId, lead_time_days: days } = item;
  if (status === 'pending_review') return markup`<span class="muted">–</span>`;
  if (status === 'rejected' || typeof targetId !== 'string') {
    const reason = answer ?? '';
    const shown = Array.from(reason.slice(0, 2 * REASON_LENGTH_SHOWN))
      .slice(0, REASON_LENGTH_SHOWN)
      .join('');
    return markup`<bdi>${shown}${shown.length < reason.length && '…'}</bdi>`;
  }
  const target = targets.get(targetId);
  if (target === undefined)
    return markup`<a href="/targets/${targetId}">The target</a> <span class="muted">is no longer offered</span>`;
  return markup`<a href="/targets/${targetId}"><bdi>${target.name}</bdi></a><span class="sub">${renderPrice(target.pricing)}</span>${days !== null && markup`<span class="sub">${formatLeadTime(days)}</span>`}`;
}

function renderEmptyList(isFiltered: boolean, mayRequest: boolean): Markup {
  if (isFiltered)
    return markup`<div class="empty"><p>No request matches. <a href="${REQUESTS_PATH}">Show all</a></p></div>`;
  return markup`<div class="empty"><h2>No requests yet</h2><p class="muted">A protein that the <a href="/targets">catalog</a> lacks can be requested. The lab answers with a target and its price, or says why not.</p>${mayRequest && REQUEST_BUTTON}</div>`;
}

type Asked = Output<typeof getCustomTargetRequest>;

export async function loadTargetRequestPage(context: PortalContext): Promise<PageContent> {
  const { api, request, session, parts } = context;
  const targetRequest = await api.call(getCustomTargetRequest, {
    params: { request_id: getPathParameter(request, 'id') },
  });
  const target =
    typeof targetRequest.material_id === 'string'
      ? await api.call(getTargetInfo, { params: { target_id: targetRequest.material_id } })
      : null;
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a> / <a href="${REQUESTS_PATH}">Requests</a></nav>
<div class="page-head"><div><p class="over">Target request</p><h1><bdi>${targetRequest.name}</bdi></h1></div>${renderRequestChip(targetRequest.status)}</div>
<div class="columns"><div class="stack">${renderAnswer(targetRequest, target, session)}${renderAsked(targetRequest)}</div>
${renderApiCall(parts.work.site.baseUrl, `/targets/request-custom/${targetRequest.id}`, targetRequest.id)}</div>`;
  return { title: targetRequest.name, body, section: 'targets' };
}

function renderAnswer(asked: Asked, target: TargetInfo | null, session: Session): Markup {
  const { status, answer, experiment_id: experimentId } = asked;
  const order =
    experimentId !== null &&
    markup`<p class="hint">It was requested with <a href="/experiments/${experimentId}">an experiment</a>${status === 'approved' ? ', which uses the target unless it has got another one.' : '.'}</p>`;
  if (status === 'pending_review')
    return markup`<section class="card" aria-labelledby="answer"><h2 id="answer">The lab reviews it</h2><div class="stack"><p>Nothing is to be done now. The answer will be on this page: a target with its price and the days until it is in the lab, or the reason why the lab cannot offer it.</p>${order}</div></section>`;
  const text = answer !== null && markup`<p class="typed"><bdi>${answer}</bdi></p>`;
  if (status === 'rejected' || target === null)
    return markup`<section class="card" aria-labelledby="answer"><h2 id="answer">The lab declined it</h2><div class="stack">${text}
<p class="hint">${renderTime(asked.answered_at)}. You can choose another target of <a href="/targets">the catalog</a>${canCall(session, createCustomTargetRequest) && markup`, or <a href="${REQUESTS_PATH}/new">request another one</a>`}.</p>${order}</div></section>`;
  return markup`<section class="card" aria-labelledby="answer"><h2 id="answer">The lab approved it</h2><div class="stack">${text}${renderApproval(asked, target, session)}${order}</div></section>`;
}

function renderApproval(
  { lead_time_days: days, answered_at: at }: Asked,
  target: TargetInfo,
  session: Session,
): Markup {
  const order =
    !target.retired &&
    canCall(session, createExperiment) &&
    markup`<div><a class="button primary" href="/experiments/new?target_id=${target.id}">New experiment with this target</a></div>`;
  const price = target.retired ? 'The lab no longer offers this target.' : renderPrice(target.pricing);
  return markup`${renderFacts([
    ['Target', markup`<a href="/targets/${target.id}"><bdi>${target.name}</bdi></a>`],
    ['Material price', price],
    ['Antigen', days !== null && formatLeadTime(days)],
    ['Answered', renderTime(at)],
  ])}${order}`;
}

function renderAsked(asked: Asked): Markup {
  const { product_url: url, pdb_file: file, sequence, molecular_weight: weight } = asked;
  const facts: readonly (readonly [string, Part])[] = [
    ['Product number', markup`<bdi>${asked.product_id}</bdi>`],
    ['Vendor', asked.vendor && markup`<bdi>${asked.vendor}</bdi>`],
    ['Product page', url && renderAddress(url)],
    ['PDB entry', asked.pdb_id && markup`<span class="mono">${asked.pdb_id}</span>`],
    ['Structure file', file && formatCount(file.trimEnd().split('\n').length, 'line')],
    ['Molecular weight', typeof weight === 'number' && `${weight} kDa`],
    ['Requested', renderTime(asked.created_at)],
  ];
  return markup`<section class="card" aria-labelledby="asked"><h2 id="asked">What you requested</h2><div class="stack">${renderFacts(facts)}
${asked.note && markup`<div><h3>Note for the lab</h3><p class="typed"><bdi>${asked.note}</bdi></p></div>`}
${sequence && markup`<details><summary>Sequence, ${formatCount(sequence.replaceAll(':', '').length, 'residue')}</summary><pre class="copy residues" tabindex="0">${sequence.replaceAll(/[^:]{10}(?=[^:])/g, '$& ')}</pre></details>`}</div></section>`;
}

/** Only an address of the web becomes a link. */
function renderAddress(url: string): Markup {
  if (!/^https?:\/\//i.test(url)) return markup`<bdi>${url}</bdi>`;
  return markup`<a href="${url}" rel="noreferrer external"><bdi>${url}</bdi></a>`;
}
