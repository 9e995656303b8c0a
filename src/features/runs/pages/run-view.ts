/** The page of one stored run: what keeps it from starting, its orders, its plan and its files. */
import { formatCount } from '#core/words.ts';
import { editLabRun, writeLabRunFile, cancelLabRun, startLabRun } from '../run-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderFormFields, type FormsView } from '#ui/form.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import { type RawFile, renderFileList } from './raw-files.ts';
import { type FileDraft, PLAN_FORM, renderFilesCard } from './planner/files.ts';
import { packPlan, type PlanState } from './planner/plan-state.ts';
import {
  findShownPlate,
  renderNarrowWells,
  renderPlateCard,
  renderPlanProblems,
  renderStoredPlate,
} from './planner/plan-view.ts';
import { describeLayout } from './planner/words.ts';
import { describeAssay, renderRunChip, type Run } from './words.ts';
import { previewRunRawFiles } from '../file-contract.ts';
import { allowUnpaidRun } from '../raw-files/contract.ts';
import { renderInvoiceChip } from '../../invoices/pages/invoice-chip.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { renderTable, type Column } from '#ui/list.ts';

const PAGE = '/lab/runs/:run_id';
const PEOPLE = {
  instrument: { label: 'Instrument', hint: 'Such as Octet R8' },
  operator: { label: 'Operator' },
};

const details = defineAction(editLabRun, {
  path: `${PAGE}/details`,
  page: PAGE,
  button: 'Save',
  fields: PEOPLE,
  done: 'Instrument and operator were saved.',
});
const start = defineAction(startLabRun, {
  path: `${PAGE}/start`,
  page: PAGE,
  button: 'Start the run',
  tone: 'primary',
  hint: 'All its orders move to production. This cannot be taken back.',
  fields: {
    instrument: { ...PEOPLE.instrument, isRequired: true },
    operator: { ...PEOPLE.operator, isRequired: true },
  },
  done: 'The run has started; its orders are in production.',
});
const cancellation = defineAction(cancelLabRun, {
  path: `${PAGE}/cancel`,
  page: PAGE,
  button: 'Cancel the run',
  tone: 'danger',
  summary: 'Cancel the run',
  hint: 'Its orders stay in the queue.',
  fields: { reason: { label: 'Reason', hint: 'Clients never see it.' } },
  done: 'The run was canceled; its orders stay in the queue.',
});
const permission = defineAction(allowUnpaidRun, {
  path: `${PAGE}/allow-unpaid/:experiment_id`,
  page: PAGE,
  button: 'Allow it',
  fields: { reason: { label: 'Reason', hint: 'Clients never see it; they still owe the invoice.' } },
  done: 'The order may start before its payment.',
});
export const runActions = [details, start, cancellation, permission];

export interface RunView {
  readonly run: Run;
  /** The plan as it is stored, with what the page remembers of its edits. */
  readonly state: PlanState;
  /** Name of the plate that is shown. */
  readonly shown: string;
  readonly files: FileDraft;
  readonly now: Date;
  /** Raw files of a run that has started. */
  readonly rawFiles?: readonly RawFile[] | undefined;
  /** What a form of the page has done. */
  readonly notice?: Part;
  readonly done?: string;
  readonly refusal?: string;
}

export function renderRunPage(forms: FormsView, view: RunView): PageContent {
  const { run, state } = view;
  const path = `/lab/runs/${run.code}`;
  const plate = findShownPlate(view);
  const isEditable = run.status === 'planned' && canCall(forms.session, editLabRun);
  const files =
    plate !== undefined &&
    canCall(forms.session, writeLabRunFile) &&
    renderFilesCard(state, plate.name, view.files, `${path}/file`);
  const grid =
    plate !== undefined && (isEditable ? renderPlateCard(view, plate) : renderStoredPlate(view, plate, path));
  const body = markup`${renderLabHead(markup`<span class="mono">${run.code}</span>`, {
    above: ['/lab/runs', 'Runs'],
    over: describeAssay(run),
    side: renderRunChip(run.status),
  })}
${view.notice}
<form id="${PLAN_FORM}" data-live-keep method="post" action="${path}/edit">${renderFormFields(forms.session, forms.createKey())}<input type="hidden" name="plan" value="${packPlan({ samples: state.samples, undo: state.undo })}"><input type="hidden" name="shown" value="${plate?.name ?? ''}"></form>
<div id="plan" class="stack" data-said="${view.refusal ?? view.done ?? ''}">
<div class="columns run"><div class="stack">${renderOrdersCard(forms, run, view.now)}${view.rawFiles !== undefined && renderRawFilesCard(forms, run, view.rawFiles)}${grid}</div>
<div class="stack">${renderStartCard(forms, run)}${renderAbout(run)}${run.status === 'planned' && renderPlanProblems(state)}${files}</div></div>${plate !== undefined && renderNarrowWells(view, plate)}</div>`;
  return {
    title: `${run.code}: run`,
    body,
    ...(isEditable && plate !== undefined ? { scripts: ['plate'] } : {}),
  };
}

function renderAbout(run: Run): Markup {
  const { plan } = run;
  const facts = renderFacts([
    ['Plan', `${describeLayout(plan.layout)}, ${formatCount(plan.plates.length, 'plate')} of ${plan.size}`],
    ['Seed', markup`<span class="mono">${plan.seed}</span>`],
    ['Instrument', run.instrument !== null && markup`<bdi>${run.instrument}</bdi>`],
    ['Operator', run.operator !== null && markup`<bdi>${run.operator}</bdi>`],
    ['Saved', markup`${renderTime(run.created_at)}<span class="sub"><bdi>${run.created_by}</bdi></span>`],
    [
      'Started',
      run.started_at !== null &&
        markup`${renderTime(run.started_at)}<span class="sub"><bdi>${run.started_by}</bdi></span>`,
    ],
    [
      'Canceled',
      run.canceled_at !== null &&
        markup`${renderTime(run.canceled_at)}<span class="sub"><bdi>${run.cancel_reason}</bdi></span>`,
    ],
  ]);
  return markup`<section class="card" aria-labelledby="about"><h2 id="about">Run</h2>${facts}</section>`;
}

/** The raw files of a run that has started, on its page. */
function renderRawFilesCard({ session }: FormsView, run: Run, files: readonly RawFile[]): Markup {
  const mayLook = canCall(session, previewRunRawFiles);
  const words = run.status === 'running' ? 'Add files and complete the run' : 'Wells and steps';
  const link =
    mayLook &&
    markup`<div class="actions"><a class="button${run.status === 'running' && ' primary'}" href="/lab/runs/${run.code}/raw-files">${words}</a></div>`;
  const list =
    files.length === 0
      ? markup`<p class="muted">No raw files yet. One file may hold the wells of all orders of the run.</p>`
      : renderFileList(files);
  return markup`<section class="card stack" aria-labelledby="raw-files"><h2 id="raw-files">Raw files</h2>${list}${link}</section>`;
}

/** What keeps a planned run from starting, order by order, and the forms that mend or start it. */

type Order = Run['experiments'][number];

function renderOrdersCard(forms: FormsView, run: Run, now: Date): Markup {
  const isPlanned = run.status === 'planned';
  const columns: readonly Column<Order>[] = [
    {
      head: 'Order',
      render: (order) =>
        markup`<a class="mono" href="/lab/experiments/${order.experiment_code}">${order.experiment_code}</a><span class="sub"><bdi>${order.organization_name}</bdi></span>`,
    },
    { head: 'State', render: (order) => renderStatusChip(order.status) },
    ...(isPlanned
      ? [
          { head: 'Materials', render: renderMaterials },
          { head: 'Payment', render: (order: Order) => renderPayment(forms, run, order, now) },
        ]
      : []),
  ];
  return markup`<section class="card flush" aria-labelledby="orders"><div class="card-head"><h2 id="orders">${formatCount(run.experiments.length, 'order')}</h2>${!isPlanned && markup`<p class="hint">Results stand on the page of each order.</p>`}</div>${renderTable(columns, run.experiments)}</section>`;
}

function renderMaterials({ experiment_code: code, n_missing_materials: missing }: Order): Markup {
  const chip =
    missing === 0
      ? markup`<span class="chip good">All there</span>`
      : markup`<span class="chip attention">${missing} missing</span>`;
  return markup`<span>${chip} <a class="sub" href="/lab/experiments/${code}/materials">Materials<span class="visually-hidden"> of ${code}</span></a></span>`;
}

/** An order that is not paid needs a reason of somebody who may review. */
function renderPayment(forms: FormsView, run: Run, order: Order, now: Date): Markup {
  const { experiment_code: code, invoice_status: status, unpaid_reason: reason } = order;
  const chip =
    status === null
      ? markup`<span class="chip attention">No invoice</span>`
      : renderInvoiceChip({ status, due_date: null }, now);
  if (status === 'paid') return markup`<span>${chip}</span>`;
  const may = canCall(forms.session, allowUnpaidRun);
  return markup`<div>${chip}${reason !== null && markup`<span class="sub">May start unpaid: <bdi>${reason}</bdi></span>`}${renderAction(
    forms,
    permission,
    {
      params: { run_id: run.code, experiment_id: code },
      summary: markup`${reason === null ? 'Allow to start unpaid' : 'Change the reason'}<span class="visually-hidden">: ${code}</span>`,
    },
  )}${reason === null && !may && markup`<span class="sub">A manager may let it start before the payment.</span>`}</div>`;
}

/** A sentence about who or what carries out the run is mended in the form of the start itself. */
const isNamedAtStart = (sentence: string): boolean =>
  /^The run has no (?:instrument|operator)/.test(sentence);

function renderStartCard(forms: FormsView, run: Run): Markup | null {
  if (run.status !== 'planned') return null;
  const reasons = run.start_problems.filter((sentence) => !isNamedAtStart(sentence));
  const shown = { params: { run_id: run.code }, values: run };
  const isReady = reasons.length === 0;
  return markup`<section class="card stack" aria-labelledby="start"><h2 id="start">Start</h2>
${isReady ? markup`<p><span class="chip good">Ready to start</span></p>` : markup`<div class="note warn"><strong>${formatCount(reasons.length, 'reason')} why it cannot start yet</strong><ul>${reasons.map((sentence) => markup`<li>${sentence}</li>`)}</ul></div>`}
${isReady && canCall(forms.session, startLabRun) && markup`<div class="decision">${renderAction(forms, start, shown)}</div>`}
${!isReady && renderAction(forms, details, shown)}
${renderAction(forms, cancellation, { params: shown.params })}</section>`;
}
