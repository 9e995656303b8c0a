/**
 * `/lab/runs`: stored runs, from the plan to the start.
 * This folder: pages of stored runs. Not here: plans that nobody has saved (`planner`).
 */
import { Failure } from '#core/failures.ts';
import { listRunRawFiles } from '../file-contract.ts';
import { editLabRun, getLabRun, listLabRuns, writeLabRunFile } from '../run-contract.ts';
import { renderDone } from '#ui/action.ts';
import type { FormContext, Outcome, PortalContext } from '#ui/context.ts';
import { getField, getPathParameter, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followAll, followLists } from '../../updates/pages/live.ts';
import { createFormsView } from '#ui/form.ts';
import { makeEdit, type Editor } from './planner/edit-wells.ts';
import { createFileDraft, isFileDraft, sendPlateFile } from './planner/files.ts';
import { createPlanState, PLAN_FORM_BYTES_MAX, unpackMemory, type PlanState } from './planner/plan-state.ts';
import type { Remark } from '#ui/screen.ts';
import { addRunFiles } from './files-page.ts';
import { planSaving } from './planner/plan-view.ts';
import { renderRunPage, runActions, type RunView } from './run-view.ts';
import { hasStarted, type Run, describeAssay, renderRunChip, RUN_STATES, type RunItem } from './words.ts';
import { planRun } from '../contract.ts';
import { markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Column } from '#ui/list.ts';
import { renderAwaitedSince, type Turn } from '#ui/lab-pieces.ts';

const PATH = '/lab/runs';
const PAGE = `${PATH}/:run_id`;

/** An empty state stands for the runs that somebody still has to do something about. */
const STATES: readonly (readonly [state: string, label: string])[] = [
  ['', 'In work'],
  ...Object.entries(RUN_STATES).map(([state, [label]]) => [state, label] as const),
];

export const runsScreen = defineListScreen(listLabRuns, {
  path: PATH,
  label: 'Runs',
  group: 'Work',
  letter: 'n',
  noun: 'run',
  filters: [
    { name: 'search', label: 'Code, instrument or operator' },
    {
      name: 'state',
      label: 'State',
      isHidden: true,
      options: STATES.slice(1),
      writeCondition: (state) => (state === '' ? 'in(status,planned,running)' : `eq(status,${state})`),
    },
  ],
  states: STATES,
  follow: (context) => followLists(context, ['experiments', 'runs']),
  renderSide: ({ forms }) =>
    canCall(forms.session, planRun) &&
    markup`<div class="actions"><a class="button primary" href="/lab/plans">Plan a run</a></div>`,
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No runs in work</h2><p class="muted">Plan a run over orders of the queue and save it; it stands here until its raw data are complete.</p>`,
  add(routes) {
    const large = { bytesMax: PLAN_FORM_BYTES_MAX };
    routes.addPage(PAGE, (context) => loadRun(context), getLabRun);
    addRunFiles(routes);
    routes.addForm(`${PAGE}/edit`, editLabRun, edit, loadRun, large);
    routes.addForm(`${PAGE}/file`, writeLabRunFile, sendFile, loadRun, large);
    routes.addActions(runActions, loadRun);
  },
});

const getParams = ({ request }: PortalContext): { run_id: string } => ({
  run_id: getPathParameter(request, 'run_id'),
});

async function loadRun(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const params = getParams(context);
  const run = await context.api.call(getLabRun, { params });
  const listed = hasStarted(run) ? await context.api.call(listRunRawFiles, { params }) : undefined;
  const page = showRun(context, run, {
    rawFiles: listed?.files,
    remark,
    notice: renderDone(context, [planSaving, ...runActions]),
  });
  const experiments = run.experiments.map(({ experiment_id: id }) => id);
  return { ...page, live: followAll(context, { experiments, objects: [run.id, run.code] }) };
}

interface Given extends Partial<Omit<RunView, 'run' | 'now'>> {
  readonly remark?: Remark | undefined;
}

function showRun(context: PortalContext, run: Run, { remark, ...given }: Given): PageContent {
  const { plan } = run;
  const shown = given.shown ?? queryParameter(context.request, 'plate');
  const refusal = isAboutPlan(remark) ? { refusal: remark.message } : {};
  if (isAboutPlan(remark)) remark.markSaid();
  return renderRunPage(createFormsView(context, remark), {
    ...refusal,
    ...given,
    run,
    shown,
    state: given.state ?? createPlanState(run, plan),
    files: given.files ?? createFileDraft({ plan }),
    now: context.parts.work.clock.now(),
  });
}

/** The fields that edit the plan have no form of their own that could say what was refused. */
function isAboutPlan(remark: Remark | undefined): remark is Remark {
  return remark !== undefined && /\/(?:edit|file)$/.test(remark.action);
}

/** The state of the stored plan, with what the page remembers. */
async function readState(form: Form, run: Run): Promise<PlanState> {
  const { samples, undo } = unpackMemory(getField(form, 'plan'));
  return { ...createPlanState(run, run.plan, samples), undo };
}

async function edit(context: FormContext): Promise<PageContent> {
  const { api, form } = context;
  const params = getParams(context);
  let run = await api.call(getLabRun, { params });
  const state = await readState(form, run);
  const act = getField(form, 'act');
  const shown = getField(form, act === 'show' ? 'show' : 'shown');
  const files = { fields: form, problems: [] };
  if (act === 'show') return showRun(context, run, { state, shown, files });
  const applyEdits: Editor = async (before, edits) => {
    try {
      run = await api.call(editLabRun, { params, body: { edits } });
      return { ...createPlanState(run, run.plan, before.samples), undo: before.undo };
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'run_plan_refused') throw error;
      return error.problems[0]?.message ?? error.message;
    }
  };
  const edited = await makeEdit(applyEdits, form, state, { act, shown });
  const page = showRun(context, run, { ...edited, shown, files });
  return 'refusal' in edited ? { ...page, status: 422 } : page;
}

async function sendFile(context: FormContext): Promise<Outcome> {
  const { api, form } = context;
  const params = getParams(context);
  const outcome = await sendPlateFile(context, (body) => api.call(writeLabRunFile, { params, body }));
  if (!isFileDraft(outcome)) return outcome;
  const run = await api.call(getLabRun, { params });
  const page = showRun(context, run, {
    state: await readState(form, run),
    shown: getField(form, 'shown'),
    files: outcome,
  });
  return { ...page, status: 422 };
}

function buildColumns(now: Date): readonly Column<RunItem>[] {
  return [
    {
      head: 'Run',
      render: (item) =>
        markup`<a href="${PATH}/${item.code}" class="mono">${item.code}</a><span class="sub">${describeAssay(item)}</span>`,
    },
    { head: 'State', render: ({ status }) => renderRunChip(status) },
    { head: 'Waiting on', render: (item) => renderAwaitedSince(findTurn(item), now) },
    { head: 'Orders', isNumber: true, render: (item) => item.n_experiments.toLocaleString('en-US') },
    {
      head: 'Plates',
      isNumber: true,
      render: (item) => markup`${item.n_plates} <span class="muted">× ${item.size}</span>`,
    },
    { head: 'Instrument', render: ({ instrument }) => markup`<bdi>${instrument ?? '–'}</bdi>` },
    { head: 'Operator', render: ({ operator }) => markup`<bdi>${operator ?? '–'}</bdi>` },
    { head: 'Since', render: renderLastStep },
  ];
}

function findTurn({ status, created_at: planned, started_at: started }: RunItem): Turn | null {
  if (status === 'planned') return { actor: 'lab', awaiting: 'start it', since: planned };
  if (status === 'running') return { actor: 'lab', awaiting: 'add its raw files', since: started ?? planned };
  return null;
}

function renderLastStep({ canceled_at: canceled, started_at: started, created_at: planned }: RunItem): Part {
  const [at, word] =
    canceled !== null
      ? [canceled, 'canceled']
      : started !== null
        ? [started, 'started']
        : [planned, 'planned'];
  return markup`<span class="nowrap">${renderDay(at)}</span><span class="sub">${word}</span>`;
}
