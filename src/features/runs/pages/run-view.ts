/** The page of one stored run: what keeps it from starting, its orders, its plan and its files. */
import { formatCount } from '#core/counts.ts';
import { editLabRun, writeLabRunFile } from '../run-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { renderNotice, type FormsView } from '#ui/form.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import { type RawFile, renderFileList } from './raw-files.ts';
import type { FileDraft } from './planner/files-form.ts';
import { PLAN_FORM, renderFilesCard } from './planner/files-view.ts';
import { packPlan, type PlanState } from './planner/plan-state.ts';
import {
  findShownPlate,
  renderNarrowWells,
  renderPlateCard,
  renderPlanProblems,
  renderStoredPlate,
} from './planner/plan-view.ts';
import { describeLayout } from './planner/words.ts';
import { renderOrdersCard, renderStartCard } from './start-view.ts';
import { describeAssay, renderRunChip, type Run } from './words.ts';
import { previewRunRawFiles } from '../file-contract.ts';

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
  readonly notice?: string | undefined;
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
${renderNotice(view.notice)}
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
