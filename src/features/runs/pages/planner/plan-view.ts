/** A plan on its page: the plate, its edits, its problems, its files. One form holds the plan. */
import { formatCount } from '#core/counts.ts';
import { createLabRun } from '../../run-contract.ts';
import { renderFormField, renderSelect } from '#ui/form-field.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { canCall, type Session } from '#ui/session.ts';
import type { FileDraft } from './files-form.ts';
import { PLAN_FORM, renderFilesCard } from './files-view.ts';
import { renderLegend, renderPlate, renderWellTable, type PlateView } from './grid-view.ts';
import { packPlan, type PlanState } from './plan-state.ts';
import { describeLayout, ROLES } from './words.ts';

export interface PlanView {
  readonly session: Session;
  /** So that a plan that is saved twice is stored once. */
  readonly key: string;
  readonly state: PlanState;
  /** Name of the plate that is shown. */
  readonly shown: string;
  /** What the last edit did. */
  readonly done?: string;
  /** Why the last edit was not made. */
  readonly refusal?: string;
  readonly files: FileDraft;
  /** What was typed to save the plan. */
  readonly naming: { readonly instrument: string; readonly operator: string };
}

const FORM = PLAN_FORM;
const PROBLEMS_SHOWN = 50;

export function renderPlanBody(view: PlanView): Markup {
  const { session, state } = view;
  const { plan, request } = state;
  const plate = findShownPlate(view);
  if (plate === undefined) return markup`<p class="note warn">The plan has no plate: plan the run again.</p>`;
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/lab/plans">Plan a run</a></nav>
<div class="page-head"><div><h1>Plan of ${formatCount(request.experiment_ids.length, 'experiment')}</h1><p class="hint">${describeLayout(plan.layout)} · ${plan.size} wells · ${formatCount(plan.plates.length, 'plate')} · seed ${plan.seed}</p></div></div>
<form id="${FORM}" method="post" action="/lab/plans/edit">${renderFormFields(session, view.key)}<input type="hidden" name="plan" value="${packPlan(state)}"><input type="hidden" name="shown" value="${plate.name}"></form>
<div id="plan" class="stack" data-said="${view.refusal ?? view.done ?? ''}"><div class="columns">
${renderPlateCard(view, plate)}
<div class="stack">${renderProblems(state)}${canCall(session, createLabRun) && renderSaving(view)}${renderFilesCard(state, plate.name, view.files, '/lab/plans/file')}
<section class="card stack" aria-labelledby="settings"><h2 id="settings">Settings</h2><p class="hint">Other experiments, controls or another seed make a new plan; edits of this one are lost.</p><p class="actions"><button form="${FORM}" name="act" value="settings">Change the settings</button></p></section></div></div>
${renderNarrowWells(view, plate)}</div>`;
}

type Plate = PlanState['plan']['plates'][number];
type Shown = Pick<PlanView, 'state' | 'shown' | 'done' | 'refusal'>;

export function findShownPlate({ state, shown }: Pick<PlanView, 'state' | 'shown'>): Plate | undefined {
  const { plates } = state.plan;
  return plates.find(({ name }) => name === shown) ?? plates[0];
}

function describeGrid({ state }: Pick<PlanView, 'state'>, plate: Plate): PlateView {
  const flagged = new Set(
    state.problems.flatMap((problem) =>
      problem.plate === plate.name && problem.well !== null ? problem.well : [],
    ),
  );
  return { plate, size: state.plan.size, flagged };
}

/** Renders the plate with the fields that edit it. */
export function renderPlateCard(view: Shown, plate: Plate): Markup {
  const { state } = view;
  const { plates } = state.plan;
  return markup`<section class="card stack plate-card" data-live-keep aria-labelledby="plate"><div class="card-head"><h2 id="plate">Plate ${plate.name}</h2>${plates.length > 1 && renderPlateChoice(plates, plate.name)}</div>
${renderPlate(describeGrid(view, plate))}<p class="well-said" hidden></p>${renderLegend(plate)}
${view.refusal !== undefined && markup`<p class="note attention" role="alert">${view.refusal}</p>`}
${view.done !== undefined && markup`<p class="note good" role="status">${view.done}</p>`}
${renderEdits(state, plate.name)}</section>`;
}

/** Renders the plate of a plan that nobody edits any more; each other plate is a link. */
export function renderStoredPlate(view: Shown, plate: Plate, path: string): Markup {
  const others = view.state.plan.plates.map(
    ({ name }) =>
      markup`<a href="${path}?plate=${encodeURIComponent(name)}"${name === plate.name && markup` aria-current="page"`}>${name}</a>`,
  );
  return markup`<section class="card stack plate-card" aria-labelledby="plate"><div class="card-head"><h2 id="plate">Plate ${plate.name}</h2></div>
${others.length > 1 && markup`<nav class="states" aria-label="Plates">${others}</nav>`}
${renderPlate(describeGrid(view, plate))}${renderLegend(plate)}</section>`;
}

/** Renders the wells as a table, which stands in for the plate on a narrow screen. */
export function renderNarrowWells(view: Shown, plate: Plate): Markup {
  return markup`<section class="card flush narrow-plate" data-live-keep aria-labelledby="wells"><div class="card-head"><h2 id="wells">Wells of plate ${plate.name}</h2></div>${renderWellTable(describeGrid(view, plate))}</section>`;
}

function renderSaving({ naming }: PlanView): Markup {
  const renderText = (name: string, label: string, value: string): Markup =>
    renderFormField({
      name,
      label,
      problems: [],
      renderControl: (attributes) =>
        markup`<input type="text" ${attributes} form="${FORM}" value="${value}" maxlength="200" autocomplete="off">`,
    });
  return markup`<section class="card stack" aria-labelledby="save"><h2 id="save">Save as run</h2>
<div class="row">${renderText('run_instrument', 'Instrument', naming.instrument)}${renderText('operator', 'Operator', naming.operator)}</div>
<p class="hint">Both may also be named at the start. The plan keeps its seed and can be edited until the run starts.</p>
<p class="actions"><button class="primary" form="${FORM}" formaction="/lab/plans/save">Save as run</button></p></section>`;
}

function renderPlateChoice(plates: PlanState['plan']['plates'], shown: string): Markup {
  const options = plates.map(({ name, wells }) => [name, `${name}: ${wells.length} wells`] as const);
  return markup`<div class="actions plate-choice"><label class="visually-hidden" for="show">Plate</label>${renderSelect(markup`id="show" name="show" form="${FORM}"`, shown, options)}<button class="quiet" form="${FORM}" name="act" value="show">Show</button></div>`;
}

function renderEdits(state: PlanState, shown: string): Markup {
  const plates = state.plan.plates.map(({ name }) => [name, `plate ${name}`] as const);
  const otherPlate =
    plates.length > 1 &&
    markup`<div class="field"><label for="other_plate">On</label>${renderSelect(markup`id="other_plate" name="other_plate" form="${FORM}"`, shown, plates)}</div>`;
  return markup`<fieldset class="edits"><legend class="visually-hidden">Edit wells</legend>
<div class="field"><label for="well">Well</label><input type="text" id="well" name="well" form="${FORM}" maxlength="200" autocomplete="off" placeholder="C7"></div>
<div class="field"><label for="other">Other well</label><input type="text" id="other" name="other" form="${FORM}" maxlength="10" autocomplete="off" placeholder="D8"></div>${otherPlate}
<div class="actions"><button form="${FORM}" name="act" value="swap">Swap or move</button><button form="${FORM}" name="act" value="clear">Mark empty</button><button form="${FORM}" name="act" value="undo"${state.undo.length === 0 && markup` disabled`}>Undo</button></div></fieldset>
<p class="hint keys-hint" hidden>In the plate: arrows move, Shift extends, Enter picks a well up and puts it down, Delete marks empty, Ctrl+Z undoes, Esc leaves. With a pointer: drag a well, or choose it, press “Pick up” and choose the other.</p>
<details><summary>Put other content into the well</summary>${renderContentFields(state)}</details>`;
}

function renderContentFields({ samples }: PlanState): Markup {
  const roles = Object.entries(ROLES).map(
    ([role, [letter, words]]) => [role, `${letter}: ${words}`] as const,
  );
  const names = samples.slice(0, 500).map(({ sample }) => markup`<option value="${sample}">`);
  return markup`<div class="fields"><div class="row">${renderFormField({
    name: 'role',
    label: 'Role',
    problems: [],
    renderControl: (attributes) => renderSelect(markup`${attributes} form="${FORM}"`, 'sample', roles),
  })}${renderFormField({
    name: 'sample',
    label: 'Name',
    problems: [],
    renderControl: (attributes) =>
      markup`<input type="text" ${attributes} form="${FORM}" list="samples" maxlength="300" autocomplete="off"><datalist id="samples">${names}</datalist>`,
  })}</div><div class="row">${renderFormField({
    name: 'replicate',
    label: 'Replicate',
    problems: [],
    renderControl: (attributes) =>
      markup`<input type="number" ${attributes} form="${FORM}" min="1" step="1" value="1">`,
  })}${renderFormField({
    name: 'concentration_nm',
    label: 'Concentration in nM',
    hint: '0 is buffer; empty where the assay has none.',
    problems: [],
    renderControl: (attributes) =>
      markup`<input type="text" ${attributes} form="${FORM}" inputmode="decimal" autocomplete="off">`,
  })}</div><p><button form="${FORM}" name="act" value="fill">Put into the well</button></p></div>`;
}

function renderProblems(state: PlanState): Markup {
  const chip = state.is_startable
    ? markup`<span class="chip good">A run can follow this plan</span>`
    : markup`<span class="chip attention">A run cannot start by it</span>`;
  const { n_problems: count } = state;
  return renderProblemCard(state, count === 0 ? 'No problem' : formatCount(count, 'problem'), chip);
}

/** Renders the problems of a stored plan; what else keeps the run from starting stands elsewhere. */
export function renderPlanProblems(state: PlanState): Markup {
  const { n_problems: count } = state;
  const title = count === 0 ? 'The plan has no problem' : `${formatCount(count, 'problem')} of the plan`;
  return renderProblemCard(state, title, null);
}

function renderProblemCard(
  { problems, n_problems: count }: PlanState,
  title: string,
  chip: Markup | null,
): Markup {
  const rows = problems
    .slice(0, PROBLEMS_SHOWN)
    .map(
      ({ severity, message, plate, well }) =>
        markup`<li class="${severity}"><strong>${severity === 'error' ? 'Error' : 'Warning'}</strong> ${message}${well !== null && plate !== null && markup` <button type="button" class="quiet goto" data-plate="${plate}" data-goto="${well}" hidden>Go to ${well}</button>`}</li>`,
    );
  return markup`<section class="card" aria-labelledby="problems"><h2 id="problems">${title}</h2>${chip !== null && markup`<p>${chip}</p>`}
${rows.length > 0 && markup`<ul class="plan-problems">${rows}${count > rows.length && markup`<li class="muted">and ${count - rows.length} more</li>`}</ul>`}</section>`;
}
