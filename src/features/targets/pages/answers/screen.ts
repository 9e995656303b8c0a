/**
 * `/lab/target-requests`: targets that clients ask for, and the answers of the lab.
 * This folder: pages of target requests. Not here: requests as clients see them.
 */
import {
  ApproveTargetRequest,
  approveTargetRequest,
  declineTargetRequest,
  getLabTargetRequest,
  listLabTargetRequests,
} from '../../answer-contract.ts';
import { listLabTargets } from '../../catalog-contract.ts';
import { defineAction, readBody, renderAction, renderDone, writeNext } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import {
  CONTROL_FIELD,
  readMolar,
  readPricing,
  locateProblems,
  PRICE_FIELDS,
  TypedTarget,
  type LabTarget,
} from '../catalog/entry-form.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { pickWords, readFields } from '#ui/record-form.ts';
import { targetRecord } from '../../record.ts';
import type { Column } from '#ui/list.ts';
import { CLIENT_COLUMN, renderAwaitedSince, type Turn, renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import type { Output } from '#core/operation.ts';
import { Type } from '#core/schema.ts';

const PATH = '/lab/target-requests';
const REQUEST_PATH = `${PATH}/:request_id`;
/** Targets of the catalog that the page of a request proposes. */
const PROPOSED = 50;

const ANSWER = {
  lead_time_days: { label: 'Days until the antigen is in the lab' },
  note: { label: 'Words to the client', kind: 'area' },
} as const;
const APPROVED = 'The request was approved. An order that asked for the target uses it from now on.';

const { target: NewTarget, target_id: _listed, ...answerFields } = ApproveTargetRequest.properties;
const { pricing: _pricing, control_kd_m: _control, ...typedFields } = NewTarget.properties;
/** The body has the new target as a member of its own; the form is flat. */
const NewTargetForm = Type.Object({ ...typedFields, ...TypedTarget.properties, ...answerFields });

const approval = defineAction(
  { ...approveTargetRequest, body: NewTargetForm },
  {
    path: `${REQUEST_PATH}/approve`,
    page: REQUEST_PATH,
    button: 'Approve with this target',
    tone: 'primary',
    hint: 'An order that asked for it is priced with it, and its quote is sent if the price is complete.',
    fields: {
      ...pickWords(targetRecord, [
        'name',
        'vendor_name',
        'catalog_number',
        'uniprot_id',
        'organism',
        'purity',
        'description',
      ]),
      ...PRICE_FIELDS,
      control_kd_nm: { ...CONTROL_FIELD, hint: 'Clients do not see it.' },
      listed_for_everyone: { label: 'List it for all organizations, not only for this one' },
      ...ANSWER,
    },
    done: APPROVED,
    does: approve,
  },
);
const approvalOfListed = defineAction(approveTargetRequest, {
  path: `${REQUEST_PATH}/approve-listed`,
  page: REQUEST_PATH,
  button: 'Approve with the chosen target',
  fields: { target_id: { label: 'Target' }, ...ANSWER },
  done: APPROVED,
});
const declining = defineAction(declineTargetRequest, {
  path: `${REQUEST_PATH}/decline`,
  page: REQUEST_PATH,
  button: 'Decline the request',
  tone: 'danger',
  hint: 'The client reads the reason.',
  fields: { reason: { label: 'Reason', kind: 'area' } },
  done: 'The request was declined; the client reads the reason.',
});

export const requestsScreen = defineListScreen(listLabTargetRequests, {
  path: PATH,
  label: 'Target requests',
  group: 'Work',
  letter: 'r',
  noun: 'request',
  filters: [
    { name: 'search', label: 'Name, number or client' },
    {
      name: 'state',
      label: 'State',
      options: [
        ['pending_review', 'Waiting'],
        ['approved', 'Approved'],
        ['rejected', 'Declined'],
      ],
      writeCondition: (state) => `eq(status,${state})`,
    },
  ],
  sort: 'desc(status),asc(created_at)',
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No requests</h2><p class="muted">A client who needs a target that the catalog lacks asks for it here, alone or with an order.</p>`,
  add(routes) {
    routes.addPage(REQUEST_PATH, (context) => loadRequest(context), getLabTargetRequest);
    routes.addActions([approval, approvalOfListed, declining], loadRequest);
  },
});

function buildColumns(now: Date): readonly Column<RequestItem>[] {
  return [
    {
      head: 'Target',
      render: (item) =>
        markup`<a href="${PATH}/${item.id}"><bdi>${item.name}</bdi></a><span class="sub"><bdi>${item.product_id}</bdi></span>`,
    },
    CLIENT_COLUMN,
    { head: 'State', render: (item) => renderRequestState(item.status) },
    { head: 'Waiting on', render: (item) => renderAwaitedSince(findTurn(item), now) },
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
  const params = { request_id: getPathParameter(request, 'request_id') };
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
  const body = renderRequestPage(createFormsView(context, remark), targetRequest, {
    notice: renderDone(context, [approval, approvalOfListed, declining]),
    proposed: proposed?.items ?? null,
    find,
  });
  return { title: `Request: ${targetRequest.name}`, body };
}

const DESCRIPTION = { description: targetRecord.fields.description };

async function approve({ api, form, request }: FormContext): Promise<string> {
  const params = { request_id: getPathParameter(request, 'request_id') };
  const {
    lead_time_days,
    note,
    pricing_type: _type,
    price: _price,
    lots: _lots,
    control_kd_nm: _kd,
    description,
    ...typed
  } = readBody(approval, form);
  const target = {
    ...typed,
    ...(typeof description === 'string' && readFields({ fields: DESCRIPTION }, form)),
    pricing: readPricing(form),
    control_kd_m: readMolar(form),
  };
  const body = { target, lead_time_days, ...(note !== undefined && { note }) };
  await api.call(approveTargetRequest, { params, body });
  return writeNext(approval, params);
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
  const renderText = (text: string | null | undefined): Part =>
    typeof text === 'string' && markup`<bdi>${text}</bdi>`;
  const facts = renderFacts([
    ['Vendor', renderText(request.vendor)],
    ['Product', renderText(request.product_id)],
    ['Address', renderText(request.product_url)],
    ['PDB entry', renderText(request.pdb_id)],
    ['Mass', typeof request.molecular_weight === 'number' && `${request.molecular_weight} kDa`],
    ['Structure file', typeof request.pdb_file === 'string' && 'sent'],
    [
      'Order',
      request.experiment_id !== null &&
        markup`<a href="/lab/experiments/${request.experiment_id}">Open the order</a>`,
    ],
    ['Asked', renderTime(request.created_at)],
  ]);
  return markup`<section class="card" aria-labelledby="asked"><h2 id="asked">What was asked</h2>${facts}
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
  const params = { request_id: request.id };
  const options = proposed.map(
    ({ id, name, vendor_name: vendor, catalog_number: number }) =>
      [id, `${name}, ${vendor} ${number}`] as const,
  );
  return markup`<section class="card spread" aria-labelledby="new-target"><h2 id="new-target">Approve with a new target</h2>${renderAction(
    view,
    approval,
    {
      params,
      values: { name: request.name, vendor_name: request.vendor ?? '', catalog_number: request.product_id },
    },
  )}</section>
<section class="card spread" aria-labelledby="listed"><h2 id="listed">Approve with a target of the catalog</h2>${renderSearch(request, find)}${
    proposed.length === 0
      ? markup`<p class="muted">No target of the catalog matches: search for another word.</p>`
      : renderAction(view, approvalOfListed, { params, fields: { target_id: { options } } })
  }</section>
<section class="card" aria-labelledby="decline"><h2 id="decline">Decline</h2>${renderAction(view, declining, { params })}</section>`;
}

function renderSearch({ id }: Asked, find: string): Markup {
  return markup`<form class="filters" method="get" action="${PATH}/${id}" role="search" aria-label="Catalog"><div class="field"><label for="find">Find in the catalog</label><input id="find" type="search" name="find" value="${find}" maxlength="200"></div><button>Find</button></form>`;
}
