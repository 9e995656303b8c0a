/**
 * `/lab/target-requests`: targets that clients ask for, and the answers of the lab.
 * This folder: pages of target requests. Not here: requests as clients see them.
 */
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
import { markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { readMolar, readPricing } from '../catalog/entry-form.ts';
import { createFormsView, readFilled, renderNotice } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { CLIENT_COLUMN, renderAwaitedSince, type Turn } from '#ui/lab-pieces.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { renderRequestPage, renderRequestState, type RequestItem } from './request-view.ts';

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
    ...(purity === '' ? {} : { purity: toNumber(purity) }),
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
    lead_time_days: toNumber(getField(form, 'lead_time_days')),
    ...readFilled(form, ['note']),
  };
  await api.call(approveTargetRequest, { params: { request_id: id }, body });
  return `${PATH}/${id}?done=approved`;
}

/** A text that is no number stays text, so that the operation names the problem. */
function toNumber(text: string): number | string {
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? text : value;
}

async function decline({ api, form, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  const body = { reason: getField(form, 'reason') };
  await api.call(declineTargetRequest, { params: { request_id: id }, body });
  return `${PATH}/${id}?done=declined`;
}
