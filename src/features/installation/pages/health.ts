/** `/lab/health`: what is set up, what the background worker has still to do, and what it gave up. */
import type { Output } from '#core/operation.ts';
import { getLabSetup } from '../contract.ts';
import { listJobs, retryJob } from '../../jobs/contract.ts';
import { jobStatuses, type JobStatus } from '../../jobs/rules.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderTime, toSentenceCase } from '#ui/words.ts';
import { createFormsView, readKey, renderLabForm, renderNotice, type FormsView } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { renderSetupCard } from './setup.ts';

const PATH = '/lab/health';

const STATES: Readonly<Record<JobStatus, readonly [tone: string, words: string]>> = {
  waiting: ['idle', 'Waiting'],
  running: ['moving', 'Running'],
  failed: ['attention', 'Failed'],
};

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Kind, order or organization' },
  {
    name: 'status',
    label: 'State',
    options: jobStatuses.map((status) => [status, STATES[status][1]] as const),
  },
];

const DONE: Readonly<Record<string, string>> = { retried: 'The job is due again.' };

export const healthScreen: LabScreen = {
  path: PATH,
  label: 'Health',
  group: 'Lab',
  letter: 'h',
  reads: listJobs,
  add: (routes) => {
    routes.addPage(PATH, (context) => loadHealthPage(context));
    routes.addForm(`${PATH}/jobs/:id/retry`, retryJob, retry, loadHealthPage);
  },
};

type Job = Output<typeof listJobs>['items'][number];

async function loadHealthPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request } = context;
  const values = readFilters(request, FILTERS);
  const { status } = values;
  const [page, failed, setup] = await Promise.all([
    api.call(listJobs, {
      query: buildListQuery(request, values, [status !== '' && `eq(status,${status})`]),
    }),
    api.call(listJobs, { query: { limit: 1, filter: 'eq(status,failed)' } }),
    api.call(getLabSetup, {}),
  ]);
  const forms = createFormsView(context, remark);
  const body = renderListPage({
    title: 'Health',
    notice: renderNotice(findSentence(DONE, queryParameter(request, 'done'))),
    lead: markup`${renderSetupCard(setup.items)}${renderStanding(failed.total)}`,
    path: PATH,
    label: 'Jobs',
    noun: 'job',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(forms),
    empty: EMPTY,
  });
  return { title: 'Health', body };
}

const EMPTY = markup`<h2>Nothing to do</h2><p class="muted">The background worker has finished every job.</p>`;

function renderStanding(failed: number): Markup {
  if (failed === 0) return markup`<p class="note good lab-hint">No job has failed.</p>`;
  return markup`<p class="note attention lab-hint"><strong>${failed.toLocaleString('en-US')} failed.</strong> The worker does not try them any more. <a href="${PATH}?status=failed">Show them</a></p>`;
}

function buildColumns(forms: FormsView): readonly Column<Job>[] {
  return [
    {
      head: 'Job',
      render: ({ kind, last_error: error }) =>
        markup`${toSentenceCase(kind)}${error !== null && markup`<span class="sub"><bdi>${error}</bdi></span>`}`,
    },
    {
      head: 'State',
      render: ({ status }) => markup`<span class="chip ${STATES[status][0]}">${STATES[status][1]}</span>`,
    },
    {
      head: 'About',
      render: ({ experiment_code: code, organization_name: name }) =>
        markup`${code === null ? null : markup`<a class="mono nowrap" href="/lab/experiments/${code}">${code}</a> `}${name === null ? markup`<span class="muted">the installation</span>` : markup`<bdi>${name}</bdi>`}`,
    },
    { head: 'Attempts', isNumber: true, render: ({ attempts }) => attempts },
    {
      head: 'When',
      render: ({ failed_at: failedAt, next_at: nextAt }) =>
        failedAt === null
          ? markup`${renderTime(nextAt)}<span class="sub">next attempt</span>`
          : markup`${renderTime(failedAt)}<span class="sub">given up</span>`,
    },
    { head: 'What to do', render: (job) => renderRetry(forms, job) },
  ];
}

function renderRetry(forms: FormsView, { id, kind, status }: Job): Markup {
  if (status !== 'failed' || !canCall(forms.session, retryJob)) return markup`<span class="muted">–</span>`;
  return renderLabForm(forms, {
    action: `${PATH}/jobs/${id}/retry`,
    button: markup`Try again<span class="visually-hidden">: ${kind} ${id}</span>`,
    tone: 'quiet',
  });
}

async function retry({ api, form, request }: FormContext): Promise<string> {
  const params = { job_id: getPathParameter(request, 'id') };
  await api.reply(retryJob, { params, body: {}, idempotencyKey: readKey(form) });
  return `${PATH}?done=retried`;
}
