import type { Problem } from '#core/failures.ts';
import type { TargetInfo } from '#domain/targets/contract.ts';
import { PAGE_ASSAYS } from '../assays/registry.ts';
import { formField, select, type FormField } from '../form-field.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { formFields } from './actions.ts';
import type { Checked } from './new-experiment.ts';
import { estimate } from './price.ts';

/** The values of the form, as they were typed. */
export interface Draft {
  readonly name: string;
  readonly targetId: string;
  readonly experimentType: string;
  readonly method: string;
  readonly replicates: string;
  readonly sequences: string;
  readonly library: string;
}

export interface FormView {
  readonly draft: Draft;
  readonly session: Session;
  readonly targets: readonly TargetInfo[];
  readonly isSandbox: boolean;
  readonly key: string;
  readonly problems?: readonly Problem[];
  readonly checked?: Checked;
  /** A message about the form as a whole. */
  readonly sentence?: string;
}

export function newExperimentBody(view: FormView): Markup {
  const { session, key } = view;
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><h1>New experiment</h1></div>
${summary(view)}
<form method="post" action="/experiments/new" class="columns">${formFields(session, key)}
<div class="card fields">${assayFields(view)}${sequencesField(view)}</div>
<div class="stack"><section class="card stack money" aria-labelledby="money"><h2 id="money">Price</h2>
${view.checked === undefined ? markup`<p class="muted">Check the price as often as you like; nothing is stored until you create the experiment.</p>` : priceOf(view.checked)}
<div class="actions"><button name="intent" value="check" class="${view.checked === undefined ? 'primary' : ''}">Check price</button><button name="intent" value="create" class="${view.checked === undefined ? '' : 'primary'}">Create draft</button></div>
<p class="hint">A draft costs nothing. You submit it for a quote on the next page.</p>${view.checked !== undefined && warningsOf(view.checked)}</section></div>
</form>`;
}

const OWN_PLACES: ReadonlySet<string> = new Set([
  'name',
  'target_id',
  'experiment_type',
  'method',
  'n_replicates',
  'sequences',
]);

function placeOf(problem: Problem): string {
  const [place = ''] = problem.path.replace(/^experiment_spec\.?/, '').split('.');
  return OWN_PLACES.has(place) ? place : '';
}

/** Lists all problems once above the form. */
function summary({ problems = [], sentence }: FormView): Markup | null {
  const general = problems.filter((problem) => placeOf(problem) === '');
  if (problems.length === 0 && sentence === undefined) return null;
  return markup`<div class="note attention form-note" role="alert">${sentence ?? `${counted(problems.length, 'problem')} to solve; nothing was stored.`}
${general.length > 0 && markup`<ul>${general.map(({ path, message }) => markup`<li><code>${path}</code> ${message}</li>`)}</ul>`}</div>`;
}

function fieldset(view: FormView, field: Omit<FormField, 'problems'>): Markup {
  const problems = (view.problems ?? []).filter((problem) => placeOf(problem) === field.name);
  return formField({ ...field, problems: problems.map((problem) => messageOf(problem, view.draft)) });
}

function messageOf({ path, message }: Problem, draft: Draft): string {
  if (path === 'experiment_spec.target_id' && draft.targetId === '')
    return 'Choose a target from the catalogue.';
  const [, name] = /^experiment_spec\.sequences\.(.+)$/s.exec(path) ?? [];
  return name === undefined || message.includes(name) ? message : `${name}: ${message}`;
}

const ASSAYS = Object.entries(PAGE_ASSAYS).map(([name, { label }]) => [name, label] as const);

function assayFields(view: FormView): Markup {
  const { draft } = view;
  return markup`${fieldset(view, {
    name: 'name',
    label: 'Name',
    control: (attributes) =>
      markup`<input type="text" ${attributes} value="${draft.name}" maxlength="300" required autocomplete="off" placeholder="EGFR binders, round 1">`,
  })}
${fieldset(view, {
  name: 'experiment_type',
  label: 'Assay',
  control: (attributes) => select(attributes, draft.experimentType, ASSAYS),
})}
<div class="on-target">${fieldset(view, {
    name: 'target_id',
    label: 'Target',
    control: (attributes) =>
      markup`<select ${attributes}><option value="">Choose a target</option>${targetOptions(view)}</select>`,
  })}</div>
<div class="row"><div class="on-target">${fieldset(view, {
    name: 'method',
    label: 'Method',
    control: (attributes) =>
      select(attributes, draft.method, [
        ['bli', 'BLI'],
        ['spr', 'SPR'],
      ]),
  })}</div>
${fieldset(view, {
  name: 'n_replicates',
  label: 'Replicates',
  control: (attributes) =>
    markup`<input type="number" ${attributes} value="${draft.replicates}" min="1" step="1" inputmode="numeric">`,
})}</div>
${
  view.isSandbox &&
  fieldset(view, {
    name: 'library',
    label: 'Simulated library',
    hint: 'Sandbox only: how often the simulated designs bind.',
    control: (attributes) =>
      select(attributes, draft.library, [
        ['', 'Naive: few binders'],
        ['enriched', 'Enriched: many binders'],
      ]),
  })
}`;
}

function sequencesField(view: FormView): Markup {
  // HTML drops a line feed right after the tag; this one preserves a line feed that was typed.
  return fieldset(view, {
    name: 'sequences',
    label: 'Sequences',
    hint: 'FASTA, one-letter amino acids. Chains of one design are joined by ":", as heavy:light.',
    control: (
      attributes,
    ) => markup`<textarea ${attributes} rows="14" spellcheck="false" autocapitalize="off" placeholder="&gt;design-1">
${view.draft.sequences}</textarea>`,
  });
}

function targetOptions({ targets, draft }: FormView): Part {
  const groups = [
    ['Priced at once', targets.filter(({ selfservice }) => selfservice)],
    ['Quoted by the lab', targets.filter(({ selfservice }) => !selfservice)],
  ] as const;
  return groups.map(
    ([label, members]) =>
      members.length > 0 &&
      markup`<optgroup label="${label}">${members.map((target) => markup`<option value="${target.id}"${target.id === draft.targetId && markup` selected`}>${target.name}${target.gene_names[0] !== undefined && target.gene_names[0] !== target.name && ` (${target.gene_names[0]})`}</option>`)}</optgroup>`,
  );
}

function priceOf({ costs }: Checked): Markup | null {
  const isEstimate = costs?.type === 'estimate' || costs?.type === 'incomplete_estimate';
  return isEstimate ? estimate(costs) : null;
}

function warningsOf({ warnings, sequence_count: count }: Checked): Markup {
  if (warnings.length === 0) {
    return markup`<p class="note good">${counted(count, 'sequence')} checked, no warnings.</p>`;
  }
  return markup`<div class="note warn"><strong>${counted(warnings.length, 'warning')}</strong>, none of which stops you:<ul>${warnings.map((warning) => markup`<li>${warning}</li>`)}</ul></div>`;
}
