/**
 * `/lab/target-requests`: targets that clients ask for, and the answers of the lab.
 * This folder: pages of target requests. Not here: requests as clients see them.
 */
import { parseNumber } from '#ui/amount.ts';
import {
  approveTargetRequest,
  declineTargetRequest,
  getLabTargetRequest,
  listLabTargetRequests,
} from '../../answer-contract.ts';
import { listLabTargets } from '../../catalog-contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import {
  readMolar,
  readPricing,
  locateProblems,
  PRICE_FIELDS,
  type LabTarget,
} from '../catalog/entry-form.ts';
import {
  createFormsView,
  readFilled,
  renderNotice,
  renderLabForm,
  type FormsView,
  type LabField,
} from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { CLIENT_COLUMN, renderAwaitedSince, type Turn, renderLabHead } from '#ui/lab-pieces.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import type { Output } from '#core/operation.ts';

const PATH = '/lab/target-requests';
/** Targets of the catalog that the page of a request proposes. */
const PROPOSED = 50;

export const requestsScreen: LabScreen = {
  path: PATH,
  label: 'Target requests',
  group: 'Work',
  letter: 'r',
  reads: listLabTargetRequests,
  add(routes) {
    routes.addPage(PATH, loadRequests);
    routes.addPage(`${PATH}/:id`, (context) => loadRequest(context), getLabTargetRequest);
    routes.addForm(`${PATH}/:id/approve`, approveTargetRequest, approve, loadRequest);
    routes.addForm(`${PATH}/:id/approve-listed`, approveTargetRequest, approveListed, loadRequest);
    routes.addForm(`${PATH}/:id/decline`, declineTargetRequest, decline, loadRequest);
  },
};

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Name, number or client' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['pending_review', 'Waiting'],
      ['approved', 'Approved'],
      ['rejected', 'Declined'],
    ],
  },
];

const DONE: Readonly<Record<string, string>> = {
  approved: 'The request was approved. An order that asked for the target uses it from now on.',
  declined: 'The request was declined; the client reads the reason.',
};

async function loadRequests({ api, request, parts }: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const { state } = values;
  const page = await api.call(listLabTargetRequests, {
    query: {
      ...buildListQuery(request, values, [state !== '' && `eq(status,${state})`]),
      sort: 'desc(status),asc(created_at)',
    },
  });
  const body = renderListPage({
    title: 'Target requests',
    path: PATH,
    label: 'Target requests',
    noun: 'request',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(parts.work.clock.now()),
    empty: EMPTY,
  });
  return { title: 'Target requests', body };
}

const EMPTY = markup`<h2>No requests</h2><p class="muted">A client who needs a target that the catalog lacks asks for it here, alone or with an order.</p>`;

function buildColumns(now: Date): readonly Column<RequestItem>[] {
  return [
    {
      head: 'Target',
      render: (item) =>
        markup`<a href="${PATH}/${item.id}"><bdi>${item.name}</bdi></a><span class="sub"><bdi>${item.product_id}</bdi></span>`,
    },
    CLIENT_COLUMN,
    { head: 'State', render: (item) => renderRequestState(item.status) },
    { head: 'Waits for', render: (item) => renderAwaitedSince(findTurn(item), now) },
    {
      head: 'With an order',
      render: (item) =>
        item.experiment_id === null
          ? markup`<span class="muted">–</span>`
          : markup`<a href="/lab/experiments/${item.experiment_id}">Order</a>`,
    },
    { head: 'Asked', render: (item) => renderTime(item.created_at) },
  ];
}

function findTurn({ status, created_at: since }: RequestItem): Turn | null {
  return status === 'pending_review' ? { actor: 'lab', awaiting: 'answer it', since } : null;
}

async function loadRequest(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const params = { request_id: getPathParameter(request, 'id') };
  const targetRequest = await api.call(getLabTargetRequest, { params });
  const find = queryParameter(request, 'find').trim();
  const isOpen = targetRequest.status === 'pending_review';
  const mayAnswer = isOpen && canCall(session, approveTargetRequest);
  const search = find === '' ? targetRequest.name : find;
  const proposed = mayAnswer
    ? await api.call(listLabTargets, {
        query: { search: search.slice(0, 200), filter: 'eq(retired,false)', limit: PROPOSED },
      })
    : null;
  const done = findSentence(DONE, queryParameter(request, 'done'));
  const body = renderRequestPage(createFormsView(context, remark), targetRequest, {
    notice: renderNotice(done),
    proposed: proposed?.items ?? null,
    find,
  });
  return { title: `Request: ${targetRequest.name}`, body };
}

async function approve(context: FormContext): Promise<string> {
  const { form } = context;
  const purity = getField(form, 'purity');
  const target = {
    ...readFilled(form, ['name', 'vendor_name', 'catalog_number', 'uniprot_id', 'organism', 'description']),
    ...(purity === '' ? {} : { purity: parseNumber(purity) }),
    pricing: readPricing(form),
    control_kd_m: readMolar(form),
    listed_for_everyone: getField(form, 'listed_for_everyone') !== '',
  };
  return sendApproval(context, { target });
}

function approveListed(context: FormContext): Promise<string> {
  return sendApproval(context, { target_id: getField(context.form, 'target_id') });
}

async function sendApproval({ api, form, request }: FormContext, chosen: object): Promise<string> {
  const id = getPathParameter(request, 'id');
  const body = {
    ...chosen,
    lead_time_days: parseNumber(getField(form, 'lead_time_days')),
    ...readFilled(form, ['note']),
  };
  await api.call(approveTargetRequest, { params: { request_id: id }, body });
  return `${PATH}/${id}?done=approved`;
}

async function decline({ api, form, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  const body = { reason: getField(form, 'reason') };
  await api.call(declineTargetRequest, { params: { request_id: id }, body });
  return `${PATH}/${id}?done=declined`;
}

/** The page of one target request: what was asked, and the three answers. */

type RequestItem = Output<typeof listLabTargetRequests>['items'][number];
type Asked = Output<typeof getLabTargetRequest>;

const STATES: Readonly<Record<Asked['status'], readonly [tone: string, words: string]>> = {
  pending_review: ['yours', 'Waiting'],
  approved: ['good', 'Approved'],
  rejected: ['idle', 'Declined'],
};

function renderRequestState(status: Asked['status']): Markup {
  const [tone, words] = STATES[status];
  return markup`<span class="chip ${tone}">${words}</span>`;
}

interface RequestParts {
  readonly notice: Markup | null;
  /** Null for people who may not answer, and for answered requests. */
  readonly proposed: readonly LabTarget[] | null;
  readonly find: string;
}

function renderRequestPage(view: FormsView, request: Asked, parts: RequestParts): Markup {
  const head = renderLabHead(markup`<bdi>${request.name}</bdi>`, {
    above: [PATH, 'Target requests'],
    over: markup`<bdi>${request.organization_name}</bdi>`,
    side: renderRequestState(request.status),
  });
  const answers =
    parts.proposed === null
      ? renderAnswer(request)
      : renderAnswers(view, request, parts.proposed, parts.find);
  return markup`${parts.notice}${head}<div class="columns split"><div class="first">${renderAsked(request)}</div><div class="main stack">${answers}</div></div>`;
}

function renderAsked(request: Asked): Markup {
  const facts: readonly (readonly [string, Part])[] = [
    ['Vendor', request.vendor],
    ['Product', request.product_id],
    ['Address', request.product_url],
    ['PDB entry', request.pdb_id],
    ['Mass', typeof request.molecular_weight === 'number' && `${request.molecular_weight} kDa`],
    ['Structure file', typeof request.pdb_file === 'string' && 'sent'],
    [
      'Order',
      request.experiment_id !== null &&
        markup`<a href="/lab/experiments/${request.experiment_id}">Open the order</a>`,
    ],
    ['Asked', renderTime(request.created_at)],
  ];
  const knownFacts = facts.filter(([, value]) => typeof value === 'string' || typeof value === 'object');
  const rows = knownFacts
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        markup`<div><dt>${name}</dt><dd>${typeof value === 'string' ? markup`<bdi>${value}</bdi>` : value}</dd></div>`,
    );
  return markup`<section class="card" aria-labelledby="asked"><h2 id="asked">What was asked</h2><dl class="facts">${rows}</dl>
${typeof request.note === 'string' && markup`<p class="label">Note of the client</p><p class="terms"><bdi>${request.note}</bdi></p>`}
${typeof request.sequence === 'string' && markup`<details><summary>Sequence</summary><pre class="copy residues" tabindex="0">${request.sequence}</pre></details>`}</section>`;
}

function renderAnswer(request: Asked): Markup {
  if (request.status === 'pending_review')
    return markup`<section class="card"><p>A manager of the lab answers this request.</p></section>`;
  return markup`<section class="card" aria-labelledby="answer"><h2 id="answer">Answer of ${renderTime(request.answered_at)}</h2>
<dl class="facts">${typeof request.material_id === 'string' && markup`<div><dt>Target</dt><dd><a href="/lab/targets/${request.material_id}">Open the target</a></dd></div>`}${request.lead_time_days !== null && markup`<div><dt>Days until the antigen is in the lab</dt><dd>${request.lead_time_days}</dd></div>`}</dl>
${request.answer === null ? markup`<p class="muted">No words were sent with it.</p>` : markup`<p class="terms"><bdi>${request.answer}</bdi></p>`}</section>`;
}

const ANSWER_FIELDS: readonly LabField[] = [
  {
    name: 'lead_time_days',
    label: 'Days until the antigen is in the lab',
    kind: 'number',
    isRequired: true,
  },
  { name: 'note', label: 'Words to the client', kind: 'area', lengthMax: 2_000 },
];

function renderAnswers(
  formsView: FormsView,
  request: Asked,
  proposed: readonly LabTarget[],
  find: string,
): Markup {
  const { remark } = formsView;
  // The operation names the fields of a new target below `target`.
  const view = {
    ...formsView,
    remark: remark && {
      ...remark,
      problems: locateProblems(
        remark.problems.map((each) => ({ ...each, path: each.path.replace(/^(?:body\.)?target\./, '') })),
        remark.typed,
      ),
    },
  };
  return markup`<section class="card spread" aria-labelledby="new-target"><h2 id="new-target">Approve with a new target</h2>${renderLabForm(
    view,
    {
      action: `${PATH}/${request.id}/approve`,
      button: 'Approve with this target',
      tone: 'primary',
      fields: [...listNewFields(request), ...ANSWER_FIELDS],
      hint: 'An order that asked for it is priced with it, and its quote is sent if the price is complete.',
    },
  )}</section>
<section class="card spread" aria-labelledby="listed"><h2 id="listed">Approve with a target of the catalog</h2>${renderSearch(request, find)}${
    proposed.length === 0
      ? markup`<p class="muted">No target of the catalog matches: search for another word.</p>`
      : renderLabForm(view, {
          action: `${PATH}/${request.id}/approve-listed`,
          button: 'Approve with the chosen target',
          fields: [
            {
              name: 'target_id',
              label: 'Target',
              options: proposed.map((target) => [
                target.id,
                `${target.name}, ${target.vendor_name} ${target.catalog_number}`,
              ]),
            },
            ...ANSWER_FIELDS,
          ],
        })
  }</section>
<section class="card" aria-labelledby="decline"><h2 id="decline">Decline</h2>${renderLabForm(view, {
    action: `${PATH}/${request.id}/decline`,
    button: 'Decline the request',
    tone: 'danger',
    fields: [{ name: 'reason', label: 'Reason', kind: 'area', lengthMax: 2_000, isRequired: true }],
    hint: 'The client reads the reason.',
  })}</section>`;
}

function renderSearch({ id }: Asked, find: string): Markup {
  return markup`<form class="filters" method="get" action="${PATH}/${id}" role="search" aria-label="Catalog"><div class="field"><label for="find">Find in the catalog</label><input id="find" type="search" name="find" value="${find}" maxlength="200"></div><button>Find</button></form>`;
}

function listNewFields(request: Asked): LabField[] {
  return [
    { name: 'name', label: 'Name', value: request.name, lengthMax: 200 },
    { name: 'vendor_name', label: 'Vendor', value: request.vendor ?? '', lengthMax: 200 },
    { name: 'catalog_number', label: 'Catalog number', value: request.product_id, lengthMax: 200 },
    { name: 'uniprot_id', label: 'UniProt accession', hint: 'Such as P00533.' },
    { name: 'organism', label: 'Organism', hint: 'Such as Homo sapiens.' },
    { name: 'purity', label: 'Purity in percent' },
    { name: 'description', label: 'Description', kind: 'area', lengthMax: 2_000 },
    ...PRICE_FIELDS,
    {
      name: 'control_kd_nm',
      label: 'KD of its positive control in nM',
      hint: 'Clients do not see it.',
    },
    {
      name: 'listed_for_everyone',
      label: 'List it for all organizations, not only for this one',
      kind: 'check',
    },
  ];
}
