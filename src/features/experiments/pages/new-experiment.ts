/** `/experiments/new`: from pasted sequences to a price, then to an experiment. */
import { formatCount } from '#core/words.ts';
import { hasTarget, isAssay, USUAL_ASSAY, findAssay } from '#assays/registry.ts';
import { Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { listAssayTypes } from '../../pricing/assay-types/contract.ts';
import { createExperiment, validateExperiment } from '../contract.ts';
import { readSequences } from '../../sequences/read-sequences.ts';
import { translateReading } from '../../sequences/dna.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, queryParameter, SEQUENCES_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import { readKey, renderFormField, renderSelect, type FormField, renderFormFields } from '#ui/form.ts';
import { loadTargetChoices, renderTargetOptions } from '../../targets/pages/target-choices.ts';
import type { Routes } from '#ui/routes.ts';
import type { TargetInfo } from '../../targets/contract.ts';
import { createCustomTargetRequest } from '../../targets/request-contract.ts';
import { renderEstimate } from '../../pricing/pages/price.ts';
import { REQUESTS_PATH } from '../../targets/pages/target-request-pieces.ts';

type Checked = Output<typeof validateExperiment>;

export function addNewExperiment(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/experiments/new', async (context) => {
    if (!canCall(context.session, createExperiment)) return renderNoOrderPage(context.session);
    const target = queryParameter(context.request, 'target_id');
    return loadFormPage(context, null, {}, target);
  });
  const act = async (context: FormContext): Promise<string | PageContent> => {
    const draft = parseDraft(context.form);
    const { body, problems, notes } = buildBody(draft, context);
    if (problems.length > 0) return loadFormPage(context, draft, { problems, status: 422 });
    try {
      if (context.form.intent !== 'create') {
        return await loadFormPage(context, draft, {
          checked: await context.api.call(validateExperiment, { body }),
          notes,
        });
      }
      const created = await context.api.call(createExperiment, {
        body,
        idempotencyKey: readKey(context.form),
      });
      return `/experiments/${created.experiment_code}`;
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500 || error.status === 403) throw error;
      return loadFormPage(context, draft, toOutcome(error));
    }
  };
  addPortalForm(routes, parts, '/experiments/new', act, { bytesMax: SEQUENCES_FORM_BYTES_MAX });
}

/** For a person whose role only reads, before anything is typed. */
function renderNoOrderPage({ visitor }: Session): PageContent {
  const body = markup`<div class="page-head"><h1>New experiment</h1></div>
<section class="card stack"><p class="lead">Your role in <bdi>${visitor.organization ?? 'this organization'}</bdi> reads orders and results; it cannot order.</p>
<p>An admin can give you the role of a member under <a href="/organization">Organization</a>. Until then you can look at <a href="/experiments">the experiments</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'New experiment', body, section: 'experiments', status: 403 };
}

const USUAL_REPLICATES = 3;

/** A usual order of what the lab offers. */
function createDraft(assays: readonly OfferedAssay[], targetId: string): Draft {
  const offered = assays.find(({ experiment_type: type }) => type === USUAL_ASSAY) ?? assays[0];
  const [least, most] = [offered?.n_replicates_min ?? 1, offered?.n_replicates_max ?? USUAL_REPLICATES];
  return {
    name: '',
    targetId,
    experimentType: offered?.experiment_type ?? USUAL_ASSAY,
    method: offered?.methods[0] ?? 'bli',
    replicates: String(Math.min(Math.max(USUAL_REPLICATES, least), most)),
    sequences: '',
    library: '',
    translate: false,
  };
}

function parseDraft(form: Form): Draft {
  return {
    name: getField(form, 'name'),
    targetId: getField(form, 'target_id'),
    experimentType: getField(form, 'experiment_type'),
    method: getField(form, 'method'),
    replicates: getField(form, 'n_replicates'),
    sequences: form.sequences ?? '',
    library: getField(form, 'library'),
    translate: getField(form, 'translate') !== '',
  };
}

/** The request body as a program would send it, and problems found before there is one. */
function buildBody(
  draft: Draft,
  context: FormContext,
): { body: unknown; problems: Problem[]; notes: readonly string[] } {
  const { sequences, problems, notes } = readPasted(draft);
  const isSandbox = context.parts.work.site.environment === 'sandbox';
  const replicates = Number(draft.replicates);
  // The page hides these two fields for assays without them, so their values were not meant.
  const binding = hasTarget(draft.experimentType)
    ? { method: draft.method, ...(draft.targetId === '' ? {} : { target_id: draft.targetId }) }
    : {};
  const body = {
    name: draft.name,
    experiment_spec: {
      experiment_type: draft.experimentType,
      ...binding,
      ...(draft.replicates === ''
        ? {}
        : { n_replicates: Number.isFinite(replicates) ? replicates : draft.replicates }),
      sequences,
      ...(isSandbox && draft.library !== '' ? { parameters: { sandbox: { library: draft.library } } } : {}),
    },
  };
  return {
    body,
    notes,
    problems: problems.map(({ line, message }) => ({
      path: 'experiment_spec.sequences',
      message: `line ${line}: ${message}`,
    })),
  };
}

/** Reads FASTA or a table; an empty field is left to the rules of creation. */
function readPasted({ sequences: text, translate }: Draft) {
  const reading = text.trim() === '' ? { records: [], problems: [] } : readSequences(text);
  if (translate) {
    const { translatedCount, notes, ...translated } = translateReading(reading);
    const count = `Translated ${formatCount(translatedCount, 'sequence')} of DNA.`;
    return { ...translated, notes: [count, ...notes] };
  }
  const sequences = Object.fromEntries(reading.records.map(({ name, value }) => [name, value]));
  return { sequences, problems: reading.problems, notes: [] };
}

interface Outcome {
  readonly problems?: readonly Problem[];
  readonly checked?: Checked;
  /** What is worth knowing of the translation. */
  readonly notes?: readonly string[];
  readonly sentence?: string;
  readonly status?: number;
}

function toOutcome(failure: Failure): Outcome {
  if (failure.code === 'idempotency_key_reused') {
    const sentence =
      'This form has already created an experiment. Press the button again to create another one.';
    return { sentence, status: failure.status };
  }
  if (failure.code === 'looks_like_dna') {
    const sentence = 'This is DNA. Tick “Translate DNA”, or paste amino acids; nothing was stored.';
    return { problems: failure.problems, sentence, status: failure.status };
  }
  if (failure.problems.length === 0) return { sentence: failure.message, status: failure.status };
  return { problems: failure.problems, status: failure.status };
}

/** A draft that is null is a new one, for the target that the address names. */
async function loadFormPage(
  context: PortalContext,
  draft: Draft | null,
  outcome: Outcome,
  targetId = '',
): Promise<PageContent> {
  const { api, session, parts } = context;
  const [{ items }, targets] = await Promise.all([
    api.call(listAssayTypes, { query: { limit: 100 } }),
    loadTargetChoices(context),
  ]);
  const assays = items.filter(({ experiment_type: type }) => isAssay(type));
  const body = renderNewExperimentBody({
    ...outcome,
    draft: draft ?? createDraft(assays, targetId),
    session,
    assays,
    targets,
    isSandbox: parts.work.site.environment === 'sandbox',
    key: parts.work.ids.createSecret(),
  });
  return {
    title: 'New experiment',
    body,
    section: 'experiments',
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
  };
}

/** The values of the form, as they were typed. */
interface Draft {
  readonly name: string;
  readonly targetId: string;
  readonly experimentType: string;
  readonly method: string;
  readonly replicates: string;
  readonly sequences: string;
  readonly library: string;
  /** Whether sequences that are DNA are translated. */
  readonly translate: boolean;
}

type OfferedAssay = Output<typeof listAssayTypes>['items'][number];

interface FormView {
  readonly draft: Draft;
  readonly session: Session;
  /** What the lab offers and these pages know. */
  readonly assays: readonly OfferedAssay[];
  readonly targets: readonly TargetInfo[];
  readonly isSandbox: boolean;
  readonly key: string;
  readonly problems?: readonly Problem[];
  readonly checked?: Checked;
  readonly notes?: readonly string[];
  /** A message about the form as a whole. */
  readonly sentence?: string;
}

function renderNewExperimentBody(view: FormView): Markup {
  const { session, key } = view;
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><h1>New experiment</h1></div>
${renderSummary(view)}
${view.assays.length === 0 && markup`<p class="note warn">The lab offers no assay at present. Nothing can be ordered until it does.</p>`}
<form method="post" action="/experiments/new" class="columns">${renderFormFields(session, key)}
<div class="card fields">${renderAssayFields(view)}${renderSequencesField(view)}</div>
<div class="stack"><section class="card stack money" aria-labelledby="money"><h2 id="money">Price</h2>
${view.checked === undefined ? markup`<p class="muted">Check the price as often as you like; nothing is stored until you create the experiment.</p>` : renderPrice(view.checked)}
<div class="actions"><button name="intent" value="check" class="${view.checked === undefined ? 'primary' : ''}">Check price</button><button name="intent" value="create" class="${view.checked === undefined ? '' : 'primary'}">Create draft</button></div>
<p class="hint">A draft costs nothing. You submit it for a quote on the next page.</p>${view.checked !== undefined && renderWarnings(view.checked, view.notes ?? [])}</section></div>
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

function getPlace(problem: Problem): string {
  const [place = ''] = problem.path.replace(/^experiment_spec\.?/, '').split('.');
  return OWN_PLACES.has(place) ? place : '';
}

/** Lists all problems once above the form. */
function renderSummary({ problems = [], sentence }: FormView): Markup | null {
  const general = problems.filter((problem) => getPlace(problem) === '');
  if (problems.length === 0 && sentence === undefined) return null;
  return markup`<div class="note attention form-note" role="alert">${sentence ?? `${formatCount(problems.length, 'problem')} to solve; nothing was stored.`}
${general.length > 0 && markup`<ul>${general.map(({ path, message }) => markup`<li><code>${path}</code> ${message}</li>`)}</ul>`}</div>`;
}

function renderFieldset(view: FormView, field: Omit<FormField, 'problems'>): Markup {
  const problems = (view.problems ?? []).filter((problem) => getPlace(problem) === field.name);
  return renderFormField({
    ...field,
    problems: problems.map((problem) => formatMessage(problem, view.draft)),
  });
}

function formatMessage({ path, message }: Problem, draft: Draft): string {
  if (path === 'experiment_spec.target_id' && draft.targetId === '')
    return 'Choose a target from the catalog.';
  const [, name] = /^experiment_spec\.sequences\.(.+)$/s.exec(path) ?? [];
  return name === undefined || message.includes(name) ? message : `${name}: ${message}`;
}

type AssayChoice = readonly [value: string, label: string, className?: 'without-target'];

/** Lists what the lab offers; the assay of a draft that is withdrawn stays, so that its problem has a place. */
function listChoices({ assays, draft }: FormView): AssayChoice[] {
  const names = assays.map(({ experiment_type: type }) => type);
  const isWithdrawn = !names.includes(draft.experimentType) && isAssay(draft.experimentType);
  return [...names, ...(isWithdrawn && names.length > 0 ? [draft.experimentType] : [])].map(
    (type): AssayChoice => {
      const label = findAssay(type)?.label ?? type;
      const offered = names.includes(type) ? label : `${label} (not offered any more)`;
      return hasTarget(type) ? [type, offered] : [type, offered, 'without-target'];
    },
  );
}

/** Lists the methods that the lab offers of any assay; the check of the price says which go together. */
function listMethods({ assays }: FormView): (readonly [value: string, label: string])[] {
  const methods = [...new Set(assays.flatMap((assay) => assay.methods))];
  return methods.toSorted().map((method) => [method, method.toUpperCase()] as const);
}

function renderAssayFields(view: FormView): Markup {
  const { draft } = view;
  return markup`${renderFieldset(view, {
    name: 'name',
    label: 'Name',
    renderControl: (attributes) =>
      markup`<input type="text" ${attributes} value="${draft.name}" maxlength="300" required autocomplete="off" placeholder="EGFR binders, round 1">`,
  })}
${renderFieldset(view, {
  name: 'experiment_type',
  label: 'Assay',
  renderControl: (attributes) => renderSelect(attributes, draft.experimentType, listChoices(view)),
})}
<div class="on-target">${renderFieldset(view, {
    name: 'target_id',
    label: 'Target',
    hint: renderTargetHint(view),
    renderControl: (attributes) =>
      markup`<select ${attributes}><option value="">Choose a target</option>${renderTargetOptions(view.targets, view.draft.targetId)}</select>`,
  })}</div>
<div class="row"><div class="on-target">${renderFieldset(view, {
    name: 'method',
    label: 'Method',
    renderControl: (attributes) => renderSelect(attributes, draft.method, listMethods(view)),
  })}</div>
${renderFieldset(view, {
  name: 'n_replicates',
  label: 'Replicates',
  renderControl: (attributes) =>
    markup`<input type="number" ${attributes} value="${draft.replicates}" min="1" step="1" inputmode="numeric">`,
})}</div>
${
  view.isSandbox &&
  renderFieldset(view, {
    name: 'library',
    label: 'Simulated library',
    hint: 'Sandbox only: how often the simulated designs bind.',
    renderControl: (attributes) =>
      renderSelect(attributes, draft.library, [
        ['', 'Naive: few binders'],
        ['enriched', 'Enriched: many binders'],
      ]),
  })
}`;
}

function renderSequencesField(view: FormView): Markup {
  // HTML drops a line feed right after the tag; this one preserves a line feed that was typed.
  const field = renderFieldset(view, {
    name: 'sequences',
    label: 'Sequences',
    hint: 'FASTA, or CSV whose first row names the columns name and sequence; one-letter amino acids. Chains of one design are joined by ":", as heavy:light.',
    renderControl: (
      attributes,
    ) => markup`<textarea ${attributes} rows="14" spellcheck="false" autocapitalize="off" placeholder="&gt;design-1">
${view.draft.sequences}</textarea>`,
  });
  return markup`${field}
<label class="check"><input type="checkbox" name="translate" value="yes"${view.draft.translate && markup` checked`}> <span>Translate DNA: standard code, reading frame 1, or the only frame without a stop inside</span></label>`;
}

/** The form for a request opens in a tab of its own, so that what was typed here stays. */
function renderTargetHint({ session, targets }: FormView): Markup | undefined {
  if (!canCall(session, createCustomTargetRequest)) return undefined;
  return markup`${targets.length === 0 ? 'The catalog has no target yet.' : 'Not in the list?'} <a href="${REQUESTS_PATH}/new" target="_blank">Request a target (new tab)</a>`;
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
