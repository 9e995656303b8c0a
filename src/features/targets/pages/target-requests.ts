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
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import {
  buildListQuery,
  LIST_SIZE,
  readFilters,
  renderListPage,
  type Column,
  type ListFilter,
} from '#ui/list.ts';
import {
  formatLeadTime,
  renderRequestChip,
  REQUEST_STATES,
  REQUESTS_PATH,
  type RequestItem,
} from './target-request-pieces.ts';
import { renderPrice } from './targets.ts';

/** A longer reason is read on the page of its request. */
const REASON_LENGTH_SHOWN = 160;

const REQUEST_BUTTON = markup`<a class="button primary" href="${REQUESTS_PATH}/new">Request a target</a>`;

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Name or product number' },
  {
    name: 'status',
    label: 'State',
    options: REQUEST_STATES.map(([status, label]) => [status, label] as const),
  },
];

export async function loadTargetRequestListPage({
  api,
  request,
  session,
}: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const { status = '' } = values;
  const query = buildListQuery(request, values, [status !== '' && `eq(status,${status})`]);
  const page = await api.call(listCustomTargetRequests, { query });
  const targets = await loadAnswers(api, page.items);
  const create = canCall(session, createCustomTargetRequest) && REQUEST_BUTTON;
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a></nav>
${renderListPage({
  title: 'Target requests',
  path: REQUESTS_PATH,
  label: 'Target requests',
  noun: 'request',
  side: create,
  lead: !create && markup`<p class="note form-note">${renderRoleSentence(session)}</p>`,
  filters: FILTERS,
  values,
  page,
  columns: buildColumns(targets),
  empty: markup`<h2>No requests yet</h2><p class="muted">A protein that the <a href="/targets">catalog</a> lacks can be requested. The lab answers with a target and its price, or says why not.</p>${create}`,
})}`;
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
  const query = { filter: `in(id,${ids.join(',')})`, show_conjugated: true, limit: LIST_SIZE };
  const page = await api.call(listTargets, { query });
  return new Map(page.items.map((target) => [target.id, target]));
}

function buildColumns(targets: Targets): readonly Column<RequestItem>[] {
  return [
    {
      head: 'Target',
      render: ({ id, name, product_id: number }) =>
        markup`<a href="${REQUESTS_PATH}/${id}"><bdi>${name}</bdi></a><span class="sub"><bdi>${number}</bdi></span>`,
    },
    { head: 'State', render: ({ status }) => renderRequestChip(status) },
    { head: 'Answer of the lab', render: (item) => renderShortAnswer(item, targets) },
    { head: 'Requested', render: ({ created_at: at }) => renderTime(at) },
  ];
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

type Asked = Output<typeof getCustomTargetRequest>;

export async function loadTargetRequestPage(context: PortalContext): Promise<PageContent> {
  const { api, request, session } = context;
  const targetRequest = await api.call(getCustomTargetRequest, {
    params: { request_id: getPathParameter(request, 'id') },
  });
  const target =
    typeof targetRequest.material_id === 'string'
      ? await api.call(getTargetInfo, { params: { target_id: targetRequest.material_id } })
      : null;
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a> / <a href="${REQUESTS_PATH}">Requests</a></nav>
<div class="page-head"><div><p class="over">Target request</p><h1><bdi>${targetRequest.name}</bdi></h1></div>${renderRequestChip(targetRequest.status)}</div>
<div class="stack">${renderAnswer(targetRequest, target, session)}${renderAsked(targetRequest)}</div>`;
  const { id, name } = targetRequest;
  return { title: name, body, section: 'targets', api: { path: `/targets/request-custom/${id}`, id } };
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
