/** `/lab/plans`: from orders of the queue to a plan of plates, and its files. */
import { Failure, type Problem } from '#core/failures.ts';
import { listLabExperiments } from '../../../queue/contract.ts';
import { editRunPlan, planRun, writeRunFile } from '../../contract.ts';
import { createLabRun } from '../../run-contract.ts';
import { writeNext } from '#ui/action.ts';
import type { FormContext, Outcome, PortalContext } from '#ui/context.ts';
import { getField, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readFilled, readKey } from '#ui/form.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { makeEdit, createPlanEditor } from './edit-wells.ts';
import { createFileDraft, isFileDraft, sendPlateFile } from './files.ts';
import { createPlanState, PLAN_FORM_BYTES_MAX, unpackPlan, type PlanState } from './plan-state.ts';
import { planSaving, renderPlanBody, type PlanView } from './plan-view.ts';
import {
  buildRunRequest,
  describeSettings,
  EMPTY_SETTINGS,
  FIELDS_OF_PROBLEMS,
  parseSettings,
  type Settings,
  renderSettingsBody,
} from './settings.ts';

/** Experiments that the page of settings lists. */
const QUEUE_SHOWN = 100;
const PATH = '/lab/plans';

export const plannerScreen: LabScreen = {
  path: PATH,
  label: 'Run planner',
  group: 'Work',
  letter: 'p',
  reads: planRun,
  add(routes) {
    const large = { bytesMax: PLAN_FORM_BYTES_MAX };
    routes.addPage(PATH, loadEmptySettings);
    routes.addForm(PATH, planRun, plan, loadRefused);
    routes.addForm(`${PATH}/edit`, editRunPlan, edit, loadRefused, large);
    routes.addForm(`${PATH}/file`, writeRunFile, sendFile, loadRefused, large);
    routes.addForm(planSaving.path, createLabRun, save, loadRefused, large);
  },
};

/** What cannot be shown beside a plan, such as a plan that cannot be read. */
function loadRefused(context: PortalContext, { message, markSaid }: Remark): Promise<PageContent> {
  markSaid();
  return loadSettings(context, EMPTY_SETTINGS, [{ path: '', message }]);
}

function loadEmptySettings(context: PortalContext): Promise<PageContent> {
  const code = queryParameter(context.request, 'experiment');
  const settings = code === '' ? EMPTY_SETTINGS : { ...EMPTY_SETTINGS, chosen: [code] };
  return loadSettings(context, settings, []);
}

async function loadSettings(
  { api, request, session }: PortalContext,
  planSettings: Settings,
  problems: readonly Problem[],
): Promise<PageContent> {
  const search = queryParameter(request, 'search').trim();
  const queue = await api.call(listLabExperiments, {
    query: {
      filter: 'eq(status,in_queue)',
      limit: QUEUE_SHOWN,
      ...(search === '' ? {} : { search }),
    },
  });
  const listed = new Set(queue.items.flatMap(({ id, code }) => [id, code]));
  const others = [
    getField(planSettings.typed, 'others'),
    ...planSettings.chosen.filter((each) => !listed.has(each)),
  ];
  const typed = { ...planSettings.typed, others: others.filter((each) => each !== '').join(', ') };
  const settings = { ...planSettings, typed };
  const body = renderSettingsBody({ session, queue, settings, search, problems });
  return {
    title: 'Plan a run',
    body,
    ...(problems.length === 0 ? {} : { status: 422 }),
  };
}

async function plan(context: FormContext): Promise<PageContent> {
  const settings = parseSettings(context.form);
  const { body, problems } = buildRunRequest(settings);
  if (problems.length > 0) return loadSettings(context, settings, problems);
  try {
    const planned = await context.api.call(planRun, { body });
    if (planned.plan === null)
      return await loadSettings(context, settings, planned.problems.map(locateProblem));
    const state = createPlanState(planned, planned.plan);
    return showPlan(context, state, {});
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 404].includes(error.status)) throw error;
    if (error.code !== 'invalid_request' && error.code !== 'experiment_not_found') throw error;
    return loadSettings(context, settings, listRefusals(error));
  }
}

function locateProblem({ code, message }: { readonly code: string; readonly message: string }): Problem {
  return { path: FIELDS_OF_PROBLEMS[code] ?? '', message };
}

/** The problems of a request that is no valid one, beside the fields that made it. */
function listRefusals(failure: Failure): Problem[] {
  if (failure.problems.length === 0) return [{ path: 'others', message: failure.message }];
  return failure.problems.map(({ path, message }) => {
    if (path.startsWith('experiment_ids'))
      return { path: 'others', message: 'Choose one to 50 experiments.' };
    const field = path.replace(/^controls\.standard.*$/, 'standard').replace(/^controls\./, '');
    return { path: field.split(/[.[]/)[0] ?? '', message };
  });
}

function showPlan(
  { session, parts, form }: FormContext,
  state: PlanState,
  changes: Partial<PlanView>,
): PageContent {
  const shown = changes.shown ?? state.plan.plates[0]?.name ?? '';
  const files = changes.files ?? createFileDraft(state);
  const key = parts.work.ids.createSecret();
  const naming = { instrument: getField(form, 'run_instrument'), operator: getField(form, 'operator') };
  const body = renderPlanBody({ session, key, state, naming, ...changes, shown, files });
  return { title: 'Run plan', body, scripts: ['plate'] };
}

async function edit(context: FormContext): Promise<PageContent> {
  const { form } = context;
  const state = unpackPlan(getField(form, 'plan'));
  const act = getField(form, 'act');
  if (act === 'settings') return loadSettings(context, describeSettings(state.request), []);
  const shown = getField(form, act === 'show' ? 'show' : 'shown');
  const files = { fields: form, problems: [] };
  if (act === 'show') return showPlan(context, state, { shown, files });
  const edited = await makeEdit(createPlanEditor(context.api), form, state, { act, shown });
  const page = showPlan(context, edited.state, { ...edited, shown, files });
  return 'refusal' in edited ? { ...page, status: 422 } : page;
}

async function sendFile(context: FormContext): Promise<Outcome> {
  const { api, form } = context;
  const state = unpackPlan(getField(form, 'plan'));
  const outcome = await sendPlateFile(context, (body) =>
    api.call(writeRunFile, { body: { plan: state.plan, ...body } }),
  );
  if (!isFileDraft(outcome)) return outcome;
  return { ...showPlan(context, state, { shown: getField(form, 'shown'), files: outcome }), status: 422 };
}

/** Stores the plan; where it is refused, the page keeps it. */
async function save(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const state = unpackPlan(getField(form, 'plan'));
  const { request, plan: made } = state;
  const instrument = getField(form, 'run_instrument');
  try {
    const run = await api.call(createLabRun, {
      body: {
        request,
        plan: made,
        ...(instrument === '' ? {} : { instrument }),
        ...readFilled(form, ['operator']),
      },
      idempotencyKey: readKey(form),
    });
    return writeNext(planSaving, run);
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 404, 422].includes(error.status)) throw error;
    const page = showPlan(context, state, { shown: getField(form, 'shown'), refusal: error.message });
    return { ...page, status: error.status };
  }
}
