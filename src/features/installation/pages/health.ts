/** `/lab/health`: what is set up, what the background worker has still to do, and what it gave up. */
import type { Output } from '#core/operation.ts';
import { getLabSetup } from '../contract.ts';
import { listJobs, retryJob } from '../../jobs/contract.ts';
import { jobStatuses, type JobStatus } from '../../jobs/rules.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderTime, toSentenceCase } from '#ui/words.ts';
import type { FormsView } from '#ui/form.ts';
import type { Column } from '#ui/list.ts';
import { renderSetupCard } from './setup.ts';

const PATH = '/lab/health';

const STATES: Readonly<Record<JobStatus, readonly [tone: string, words: string]>> = {
  waiting: ['idle', 'Waiting'],
  running: ['moving', 'Running'],
  failed: ['attention', 'Failed'],
};

type Job = Output<typeof listJobs>['items'][number];

const retry = defineAction(retryJob, {
  path: `${PATH}/jobs/:job_id/retry`,
  page: PATH,
  button: 'Try again',
  tone: 'quiet',
  done: 'The job is due again.',
});

export const healthScreen = defineListScreen(listJobs, {
  path: PATH,
  label: 'Health',
  group: 'Lab',
  letter: 'h',
  listed: 'Jobs',
  noun: 'job',
  filters: [
    { name: 'search', label: 'Kind, order or organization' },
    {
      name: 'status',
      label: 'State',
      options: jobStatuses.map((status) => [status, STATES[status][1]] as const),
    },
  ],
  renderLead: ({ context }) => loadLead(context),
  buildColumns: ({ forms }) => buildColumns(forms),
  empty: markup`<h2>Nothing to do</h2><p class="muted">The background worker has finished every job.</p>`,
  actions: [retry],
});

async function loadLead({ api }: PortalContext): Promise<Markup> {
  const [failed, setup] = await Promise.all([
    api.call(listJobs, { query: { limit: 1, filter: 'eq(status,failed)' } }),
    api.call(getLabSetup, {}),
  ]);
  return markup`${renderSetupCard(setup.items)}${renderStanding(failed.total)}`;
}

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
  const form =
    status === 'failed' &&
    renderAction(forms, retry, {
      params: { job_id: id },
      button: markup`Try again<span class="visually-hidden">: ${kind} ${id}</span>`,
    });
  return form || markup`<span class="muted">–</span>`;
}
