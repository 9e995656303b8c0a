/** `/experiments/new`: from pasted sequences to a price, then to an experiment. */
import { formatCount } from '#core/words.ts';
import { hasTarget, isAssay, USUAL_ASSAY, findAssay } from '#assays/registry.ts';
import { createInvalidFieldsFailure, fail, Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { listAssayTypes } from '../../pricing/assay-types/contract.ts';
import { createExperiment, validateExperiment } from '../contract.ts';
import { readSequences } from '../../sequences/read-sequences.ts';
import { translateReading } from '../../sequences/dna.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { parseNumber } from '#ui/amount.ts';
import { getField, queryParameter, SEQUENCES_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { readKey, renderField, renderFormField, renderFormFields, type LabField } from '#ui/form.ts';
import { listTargetOptions, loadTargetChoices } from '../../targets/pages/target-choices.ts';
import type { Routes } from '#ui/routes.ts';
import type { TargetInfo } from '../../targets/contract.ts';
import { createCustomTargetRequest } from '../../targets/request-contract.ts';
import { renderEstimate } from '../../pricing/pages/price.ts';
import { REQUESTS_PATH } from '../../targets/pages/target-request-pieces.ts';

const PATH = '/experiments/new';

type Checked = Output<typeof validateExperiment>;

export function addNewExperiment(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadFormPage(context, {}));
  const showRefused = (context: PortalContext, remark: Remark): Promise<PageContent> =>
    loadFormPage(context, { typed: remark.typed, remark });
  addRefusableForm(routes, parts, PATH, act, showRefused, { bytesMax: SEQUENCES_FORM_BYTES_MAX });
}

/** Checks the price, or creates the experiment. */
async function act(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const { body, notes } = buildBody(context);
  try {
    if (form.intent !== 'create') {
      const checked = await api.call(validateExperiment, { body });
      return await loadFormPage(context, { typed: form, checked, notes });
    }
    const created = await api.call(createExperiment, { body, idempotencyKey: readKey(form) });
    return `/experiments/${created.experiment_code}`;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'looks_like_dna') throw error;
    const problems = [{ path: 'sequences', message: IS_DNA }, ...error.problems];
    throw fail(error.code, error.parameters, { problems });
  }
}

const IS_DNA = 'This is DNA. Tick “Translate DNA”, or paste amino acids; nothing was stored.';

/** For a person whose role only reads, before anything is typed. */
function renderNoOrderPage({ visitor }: Session): PageContent {
  const body = markup`<div class="page-head"><h1>New experiment</h1></div>
<section class="card stack"><p class="lead">Your role in <bdi>${visitor.organization ?? 'this organization'}</bdi> reads orders and results; it cannot order.</p>
<p>An admin can give you the role of a member under <a href="/organization">Organization</a>. Until then you can look at <a href="/experiments">the experiments</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'New experiment', body, section: 'experiments', status: 403 };
}

const USUAL_REPLICATES = 3;

/** A usual order of what the lab offers. */
function createDraft(assays: readonly OfferedAssay[], targetId: string): Form {
  const offered = assays.find(({ experiment_type: type }) => type === USUAL_ASSAY) ?? assays[0];
  const [least, most] = [offered?.n_replicates_min ?? 1, offered?.n_replicates_max ?? USUAL_REPLICATES];
  return {
    target_id: targetId,
    experiment_type: offered?.experiment_type ?? USUAL_ASSAY,
    method: offered?.methods[0] ?? 'bli',
    n_replicates: String(Math.min(Math.max(USUAL_REPLICATES, least), most)),
  };
}

/** The request body as a program would send it. Throws `invalid_request` for what are no sequences. */
function buildBody({ form, parts }: FormContext): { body: unknown; notes: readonly string[] } {
  const { sequences, problems, notes } = readPasted(form);
  const isSandbox = parts.work.site.environment === 'sandbox';
  const read = (name: string): string => getField(form, name);
  const [type, target, replicates, library] = [
    read('experiment_type'),
    read('target_id'),
    read('n_replicates'),
    read('library'),
  ];
  if (problems.length > 0)
    throw createInvalidFieldsFailure(
      problems.map(({ line, message }) => ({ path: 'sequences', message: `line ${line}: ${message}` })),
    );
  const body = {
    name: read('name'),
    experiment_spec: {
      experiment_type: type,
      // The page hides these two fields for assays without them, so their values were not meant.
      ...(hasTarget(type) && { method: read('method'), ...(target !== '' && { target_id: target }) }),
      ...(replicates !== '' && { n_replicates: parseNumber(replicates) }),
      sequences,
      ...(isSandbox && library !== '' && { parameters: { sandbox: { library } } }),
    },
  };
  return { body, notes };
}

/** Reads FASTA or a table; an empty field is left to the rules of creation. */
function readPasted(form: Form) {
  const text = form.sequences ?? '';
  const reading = text.trim() === '' ? { records: [], problems: [] } : readSequences(text);
  if (getField(form, 'translate') !== '') {
    const { translatedCount, notes, ...translated } = translateReading(reading);
    const count = `Translated ${formatCount(translatedCount, 'sequence')} of DNA.`;
    return { ...translated, notes: [count, ...notes] };
  }
  const sequences = Object.fromEntries(reading.records.map(({ name, value }) => [name, value]));
  return { sequences, problems: reading.problems, notes: [] };
}

interface Outcome {
  /** Undefined for a new form, for the target that the address names. */
  readonly typed?: Form;
  readonly remark?: Remark;
  readonly checked?: Checked;
  /** What is worth knowing of the translation. */
  readonly notes?: readonly string[];
}

async function loadFormPage(context: PortalContext, outcome: Outcome): Promise<PageContent> {
  const { api, request, session, parts } = context;
  if (!canCall(session, createExperiment)) return renderNoOrderPage(session);
  const [{ items }, targets] = await Promise.all([
    api.call(listAssayTypes, { query: { limit: 100 } }),
    loadTargetChoices(context),
  ]);
  const assays = items.filter(({ experiment_type: type }) => isAssay(type));
  const body = renderNewExperimentBody({
    ...outcome,
    typed: outcome.typed ?? createDraft(assays, queryParameter(request, 'target_id')),
    session,
    assays,
    targets,
    isSandbox: parts.work.site.environment === 'sandbox',
    key: parts.work.ids.createSecret(),
  });
  return { title: 'New experiment', body, section: 'experiments' };
}

type OfferedAssay = Output<typeof listAssayTypes>['items'][number];

interface FormView extends Outcome {
  readonly typed: Form;
  readonly session: Session;
  /** What the lab offers and these pages know. */
  readonly assays: readonly OfferedAssay[];
  readonly targets: readonly TargetInfo[];
  readonly isSandbox: boolean;
  readonly key: string;
}

function renderNewExperimentBody(view: FormView): Markup {
  const { session, key, checked } = view;
  const problems = (view.remark?.problems ?? []).map((problem) => locateProblem(problem, view.typed));
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><h1>New experiment</h1></div>
${view.remark && renderSummary(view.remark, problems)}
${view.assays.length === 0 && markup`<p class="note warn">The lab offers no assay at present. Nothing can be ordered until it does.</p>`}
<form method="post" action="${PATH}" class="columns">${renderFormFields(session, key)}
<div class="card fields">${renderOrderFields(view, problems)}</div>
<div class="stack"><section class="card stack money" aria-labelledby="money"><h2 id="money">Price</h2>
${checked === undefined ? markup`<p class="muted">Check the price as often as you like; nothing is stored until you create the experiment.</p>` : renderPrice(checked)}
<div class="actions"><button name="intent" value="check" class="${checked === undefined && 'primary'}">Check price</button><button name="intent" value="create" class="${checked !== undefined && 'primary'}">Create draft</button></div>
<p class="hint">A draft costs nothing. You submit it for a quote on the next page.</p>${checked !== undefined && renderWarnings(checked, view.notes ?? [])}</section></div>
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

/** Moves a problem of the body to its field; one of a sequence says of which. */
function locateProblem({ path, message }: Problem, typed: Form): Problem {
  const [place = '', ...rest] = path.replace(/^experiment_spec\.?/, '').split('.');
  if (!OWN_PLACES.has(place)) return { path, message };
  if (place === 'target_id' && getField(typed, place) === '')
    return { path: place, message: 'Choose a target from the catalog.' };
  const name = place === 'sequences' ? rest.join('.') : '';
  return { path: place, message: message.includes(name) ? message : `${name}: ${message}` };
}

/** Lists all problems once above the form. */
function renderSummary({ message, markSaid }: Remark, problems: readonly Problem[]): Markup {
  markSaid();
  const general = problems.filter(({ path }) => !OWN_PLACES.has(path));
  const sentence =
    problems.length === 0
      ? message
      : `${formatCount(problems.length, 'problem')} to solve; nothing was stored.`;
  return markup`<div class="note attention form-note" role="alert">${sentence}
${general.length > 0 && markup`<ul>${general.map(({ path, message: said }) => markup`<li><code>${path}</code> ${said}</li>`)}</ul>`}</div>`;
}

/** Lists what the lab offers; the assay of a draft that is withdrawn stays, so that its problem has a place. */
function renderAssays({ assays, typed }: FormView, attributes: Markup): Markup {
  const chosen = getField(typed, 'experiment_type');
  const names = assays.map(({ experiment_type: type }) => type);
  const isWithdrawn = names.length > 0 && isAssay(chosen) && !names.includes(chosen);
  const options = [...names, ...(isWithdrawn ? [chosen] : [])].map((type) => {
    const label = findAssay(type)?.label ?? type;
    return markup`<option value="${type}"${!hasTarget(type) && markup` class="without-target"`}${type === chosen && markup` selected`}>${label}${type === chosen && isWithdrawn && ' (not offered any more)'}</option>`;
  });
  return markup`<select ${attributes}>${options}</select>`;
}

/** Lists the methods that the lab offers of any assay; the check of the price says which go together. */
function listMethods({ assays }: FormView): (readonly [value: string, label: string])[] {
  const methods = [...new Set(assays.flatMap((assay) => assay.methods))];
  return methods.toSorted().map((method) => [method, method.toUpperCase()] as const);
}

const LIBRARY: LabField = {
  name: 'library',
  label: 'Simulated library',
  hint: 'Sandbox only: how often the simulated designs bind.',
  options: [
    ['', 'Naive: few binders'],
    ['enriched', 'Enriched: many binders'],
  ],
};

function renderOrderFields(view: FormView, problems: readonly Problem[]): Markup {
  const { typed } = view;
  const render = (field: LabField): Markup => renderField('order', field, { problems, typed });
  const assay = renderFormField({
    name: 'experiment_type',
    label: 'Assay',
    problems: problems.flatMap(({ path, message }) => (path === 'experiment_type' ? message : [])),
    renderControl: (attributes) => renderAssays(view, attributes),
  });
  return markup`${render({ name: 'name', label: 'Name', lengthMax: 300, isRequired: true, hint: 'Such as “EGFR binders, round 1”.' })}
${assay}
<div class="on-target">${render({ name: 'target_id', label: 'Target', options: listTargetOptions(view.targets), ...renderTargetHint(view) })}</div>
<div class="row"><div class="on-target">${render({ name: 'method', label: 'Method', options: listMethods(view) })}</div>
${render({ name: 'n_replicates', label: 'Replicates', kind: 'number' })}</div>
${view.isSandbox && render(LIBRARY)}
${render({ name: 'sequences', label: 'Sequences', kind: 'code', hint: 'FASTA, or CSV whose first row names the columns name and sequence; one-letter amino acids. Chains of one design are joined by ":", as heavy:light.' })}
${render({ name: 'translate', label: 'Translate DNA: standard code, reading frame 1, or the only frame without a stop inside', kind: 'check' })}`;
}

/** The form for a request opens in a tab of its own, so that what was typed here stays. */
function renderTargetHint({ session, targets }: FormView): Pick<LabField, 'hint'> {
  if (!canCall(session, createCustomTargetRequest)) return {};
  return {
    hint: markup`${targets.length === 0 ? 'The catalog has no target yet.' : 'Not in the list?'} <a href="${REQUESTS_PATH}/new" target="_blank">Request a target (new tab)</a>`,
  };
}

function renderPrice({ costs }: Checked): Markup | null {
  const isEstimate = costs?.type === 'estimate' || costs?.type === 'incomplete_estimate';
  return isEstimate ? renderEstimate(costs) : null;
}

function renderWarnings({ warnings, sequence_count: count }: Checked, notes: readonly string[]): Markup {
  const translation =
    notes.length > 0 &&
    markup`<div class="note"><ul>${notes.map((note) => markup`<li>${note}</li>`)}</ul></div>`;
  if (warnings.length === 0) {
    return markup`${translation}<p class="note good">${formatCount(count, 'sequence')} checked, no warnings.</p>`;
  }
  return markup`${translation}<div class="note warn"><strong>${formatCount(warnings.length, 'warning')}</strong>, none of which stops you:<ul>${warnings.map((warning) => markup`<li>${warning}</li>`)}</ul></div>`;
}
