/** A plan on its page: the plate, its edits, its problems, its files. One form holds the plan. */
import { formatCount } from '#core/words.ts';
import { createLabRun } from '../../run-contract.ts';
import { renderFormField, renderSelect, renderFormFields } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { type FileDraft, PLAN_FORM, renderFilesCard } from './files.ts';
import { packPlan, type PlanState } from './plan-state.ts';
import { describeLayout, ROLES, describeContent, formatLevel } from './words.ts';
import { formatWell, PLATE_SHAPES } from '#core/wells.ts';

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
export const planSaving = {
  path: '/lab/plans/save',
  page: '/lab/runs/:code',
  done: 'The run was saved. It starts when its orders are paid and their materials are there.',
};
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
<p class="actions"><button class="primary" form="${FORM}" formaction="${planSaving.path}">Save as run</button></p></section>`;
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

/** A plate of a plan: as a grid of wells, and as a table for narrow screens. */

type Well = Plate['wells'][number];

/** Letters of a name that fit into a well of 96. */
const NAME_LENGTH_SHOWN = 6;

interface PlateView {
  readonly plate: Plate;
  readonly size: 96 | 384;
  /** Wells that a problem names. */
  readonly flagged: ReadonlySet<string>;
}

/** Renders rows and columns of a plate. The script of the page makes it a grid with keys. */
function renderPlate(view: PlateView): Markup {
  const { plate, size } = view;
  const { rows, columns } = PLATE_SHAPES[size];
  const wells = new Map(plate.wells.map((well) => [well.well, well]));
  const shorten = createNameShortener(plate.wells.map(({ sample }) => sample));
  const heads = listNumbers(columns).map((column) => markup`<th scope="col">${column + 1}</th>`);
  const body = listNumbers(rows).map((row) => {
    const cells = listNumbers(columns).map((column) => {
      const name = formatWell({ row, column });
      return renderWell(name, wells.get(name), view, shorten);
    });
    return markup`<tr><th scope="row">${formatWell({ row, column: 0 }).slice(0, 1)}</th>${cells}</tr>`;
  });
  return markup`<div class="scroll plate-frame"><table class="plate wells-${size}" data-plate="${plate.name}" aria-label="Plate ${plate.name}, ${size} wells"><thead><tr><td></td>${heads}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

function renderWell(
  name: string,
  well: Well | undefined,
  { size, flagged }: PlateView,
  shorten: (sample: string) => string,
): Markup {
  const mark = flagged.has(name) ? ', has a problem' : '';
  const flag = flagged.has(name) && ' flagged';
  if (well === undefined)
    return markup`<td class="well vacant${flag}" data-well="${name}" aria-label="${name}, empty${mark}"></td>`;
  const [letter] = ROLES[well.role];
  const content = describeContent(well);
  const shortName = size === 96 && markup` data-name="${shorten(well.sample)}"`;
  return markup`<td class="well ${well.role}${flag}" data-well="${name}" aria-label="${name}, ${content}${mark}" title="${name}: ${content}"${shortName}><span class="letter">${letter}</span></td>`;
}

/** A plan of several orders puts the code of the order before the name. */
const dropCode = (sample: string): string => sample.replace(/^\S+-\d{3}-\d{3} /, '');
const isShort = (name: string): boolean => name.length <= NAME_LENGTH_SHOWN;
const keepEnd = (name: string): string => (isShort(name) ? name : `…${name.slice(1 - NAME_LENGTH_SHOWN)}`);
const keepStart = (name: string): string =>
  isShort(name) ? name : `${name.slice(0, NAME_LENGTH_SHOWN - 1)}…`;

/** The end of a name tells the designs of a series apart; where the beginnings tell more names apart, these are kept. */
export function createNameShortener(samples: Iterable<string>): (sample: string) => string {
  const names = [...new Set([...samples].map(dropCode))];
  const countDistinct = (shorten: (name: string) => string) => new Set(names.map(shorten)).size;
  const shorten = countDistinct(keepStart) > countDistinct(keepEnd) ? keepStart : keepEnd;
  return (sample) => shorten(dropCode(sample));
}

/** Renders the filled wells as rows; a narrow screen shows them in place of the grid. */
function renderWellTable({ plate, flagged }: PlateView): Markup {
  const rows = plate.wells.map(
    (
      well,
    ) => markup`<tr><th scope="row">${well.well}${flagged.has(well.well) && markup` <span class="flag">has a problem</span>`}</th>
<td>${ROLES[well.role][0]} <span class="muted">${ROLES[well.role][1]}</span></td>
<td><bdi>${well.sample}</bdi><span class="sub">replicate ${well.replicate}${well.concentration_m !== null && `, ${formatLevel(well.concentration_m)}`}</span></td></tr>`,
  );
  return markup`<table class="well-table" aria-label="Wells of plate ${plate.name}"><thead><tr><th scope="col">Well</th><th scope="col">Role</th><th scope="col">Content</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderLegend(plate: Plate): Markup {
  const present = new Set(plate.wells.map(({ role }) => role));
  const items = Object.entries(ROLES)
    .filter(([role]) => [...present].some((each) => each === role))
    .map(
      ([role, [letter, words]]) =>
        markup`<li><span class="well ${role}" aria-hidden="true">${letter}</span> <span><span class="visually-hidden">${letter}: </span>${words}</span></li>`,
    );
  return markup`<ul class="legend" aria-label="Letters">${items}</ul>`;
}

function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
