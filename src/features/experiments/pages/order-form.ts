/** The form of an order, which a new experiment and a draft share. */
import { hasTarget, isAssay, findAssay, takesConcentrations } from '#assays/registry.ts';
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { capitalizeSentence, formatCount } from '#core/words.ts';
import type { PortalContext } from '#ui/context.ts';
import { renderField, renderFormField, renderFormFields, renderHidden, type LabField } from '#ui/form.ts';
import { getField, ORDER_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';
import { listAssayTypes } from '../../pricing/assay-types/contract.ts';
import { renderEstimate, renderOfferedDate } from '../../pricing/pages/price.ts';
import type { TargetInfo } from '../../targets/contract.ts';
import {
  findTargets,
  listTargetOptions,
  loadTargetChoices,
  renderHit,
} from '../../targets/pages/target-choices.ts';
import { REQUESTS_PATH } from '../../targets/pages/target-request-pieces.ts';
import { createCustomTargetRequest } from '../../targets/request-contract.ts';
import { renderFormDesigns } from './designs.ts';
import { computeShown, SHOWN_FIELD, type FormDesigns } from './read-designs.ts';
import type { ExpInfo } from '../contract.ts';
import type { OrderPrice } from './read-order.ts';
import { CONCENTRATIONS_DEFAULT_NM } from '../rules.ts';

export type OfferedAssay = Output<typeof listAssayTypes>['items'][number];

export interface OrderOutcome {
  readonly typed: Form;
  readonly remark?: Remark;
  /** Of a form that was checked or is being typed; absent before. */
  readonly price?: OrderPrice;
  readonly designs: FormDesigns;
}

/** What the pages of the form differ in. */
interface OrderPage {
  /** Where the form is sent. */
  readonly path: string;
  readonly heading: Markup;
  /** Label of the button that stores. */
  readonly button: string;
  readonly hint: string;
  /** The experiment that is changed or ordered again. */
  readonly earlier: ExpInfo | null;
  /** Its assay and method stay. */
  readonly isDraft: boolean;
}

interface OrderView extends OrderOutcome, OrderPage {
  readonly session: Session;
  /** What the lab offers and these pages know. */
  readonly assays: readonly OfferedAssay[];
  readonly targets: readonly TargetInfo[];
  /** What the search for a target found. */
  readonly hits: readonly TargetInfo[];
  readonly isSandbox: boolean;
  readonly key: string;
}

/** Lists the assays that the lab offers and these pages know. */
export async function loadOfferedAssays({ api }: Pick<PortalContext, 'api'>): Promise<OfferedAssay[]> {
  const { items } = await api.call(listAssayTypes, { query: { limit: 100 } });
  return items.filter(({ experiment_type: type }) => isAssay(type));
}

export async function loadOrderForm(
  context: PortalContext,
  page: OrderPage,
  assays: readonly OfferedAssay[],
  outcome: OrderOutcome,
): Promise<Markup> {
  const { parts, session } = context;
  const [targets, hits] = await Promise.all([
    loadTargetChoices(context),
    findTargets(context, getField(outcome.typed, 'target_search').slice(0, SEARCH_LENGTH_MAX)),
  ]);
  return renderOrderForm({
    ...page,
    ...outcome,
    session,
    assays,
    targets,
    hits,
    isSandbox: parts.work.site.environment === 'sandbox',
    key: parts.work.ids.createSecret(),
  });
}

function renderOrderForm(view: OrderView): Markup {
  const { session, key, price, remark, earlier, isDraft, path, heading, button, hint } = view;
  const problems = remark?.problems ?? view.designs.problems;
  return markup`${heading}
${remark && renderSummary(remark, problems)}
${view.assays.length === 0 && markup`<p class="note warn">The lab offers no assay at present. Nothing can be ordered until it does.</p>`}
<form method="post" action="${path}" class="columns order" enctype="multipart/form-data" data-bytes-max="${ORDER_FORM_BYTES_MAX}">${renderFormFields(session, key)}${earlier !== null && renderHidden([isDraft ? 'code' : 'from', earlier.code])}
<div class="card fields">${renderOrderFields(view, problems)}</div>
<div class="stack"><section class="card stack money" aria-labelledby="money"><h2 id="money">Price</h2>
<div id="order-price" class="stack" aria-live="polite">${renderPrice(price, button)}</div>
<div class="actions"><button name="intent" value="check" class="${price?.costs === undefined && 'primary'}">Check price</button><button name="intent" value="create" class="${price?.costs !== undefined && 'primary'}">${button}</button></div>
<p class="hint">${hint}</p></section></div>
</form>`;
}

const PLACES: ReadonlySet<string> = new Set([
  'name',
  'description',
  'target_id',
  'experiment_type',
  'method',
  'n_replicates',
  'antigen_concentrations',
  'sequences',
  'files',
  'webhook_url',
  'requested_name',
  'requested_uniprot_id',
  'requested_note',
  'expected_kd_nm',
]);

/** Lists all problems once above the form. */
function renderSummary({ message, markSaid }: Remark, problems: readonly Problem[]): Markup {
  markSaid();
  const general = problems.filter(({ path }) => !PLACES.has(path));
  const sentence =
    problems.length === 0
      ? message
      : `${formatCount(problems.length, 'problem')} to solve; nothing was stored.`;
  return markup`<div class="note attention form-note" role="alert">${sentence}
${general.length > 0 && markup`<ul>${general.map(({ path, message: said }) => markup`<li><code>${path}</code> ${said}</li>`)}</ul>`}</div>`;
}

/** Lists what the lab offers; the assay of a draft that is withdrawn stays, so that its problem has a place. */
function renderAssays({ assays, typed }: OrderView, attributes: Markup): Markup {
  const chosen = getField(typed, 'experiment_type');
  const names = assays.map(({ experiment_type: type }) => type);
  const isWithdrawn = names.length > 0 && isAssay(chosen) && !names.includes(chosen);
  const options = [...names, ...(isWithdrawn ? [chosen] : [])].map((type) => {
    const label = findAssay(type)?.label ?? type;
    return markup`<option value="${type}"${renderOptionClass(type)}${type === chosen && markup` selected`}>${label}${type === chosen && isWithdrawn && ' (not offered any more)'}</option>`;
  });
  return markup`<select ${attributes}>${options}</select>`;
}

/** The style sheet hides the fields that an assay lacks. */
function renderOptionClass(type: string): Part {
  if (!hasTarget(type)) return markup` class="without-target"`;
  return takesConcentrations(type) ? markup` class="with-doses"` : null;
}

/** Lists the methods that the lab offers of any assay; the check of the price says which go together. */
function listMethods({ assays }: OrderView): (readonly [value: string, label: string])[] {
  const methods = [...new Set(assays.flatMap((assay) => assay.methods))];
  return methods.toSorted().map((method) => [method, method.toUpperCase()] as const);
}

const LIBRARY: LabField = {
  name: 'library',
  label: 'Simulated library',
  hint: 'Sandbox only: how often the simulated designs bind.',
  options: [
    ['', 'Naive: about one in seven binds'],
    ['enriched', 'Enriched: at least six in ten bind'],
  ],
};

const EXPECTED: LabField = { name: 'expected_kd_nm', label: 'Expected KD, nM', kind: 'number' };
const DOSES: LabField = {
  name: 'antigen_concentrations',
  label: 'Concentrations of the target, nM',
  hint: `Separated by commas. If you leave it empty: ${CONCENTRATIONS_DEFAULT_NM.join(', ')}.`,
};

function renderOrderFields(view: OrderView, problems: readonly Problem[]): Markup {
  const { typed, isDraft } = view;
  const render = (field: LabField): Markup => renderField('order', field, { problems, typed });
  return markup`${render({ name: 'name', label: 'Name', lengthMax: 300, isRequired: true, hint: 'Such as “EGFR binders, round 1”.' })}
${isDraft ? renderKeptAssay(view, render) : renderChosenAssay(view, problems, render)}
${render({ name: 'n_replicates', label: 'Replicates', kind: 'number' })}
${(!isDraft || takesConcentrations(getField(typed, 'experiment_type'))) && markup`<div class="on-doses doses">${render(DOSES)}<div class="search">${render(EXPECTED)}<button name="intent" value="propose" class="quiet">Propose concentrations</button></div></div>`}
${view.isSandbox && render(LIBRARY)}
${renderDesignFields(view, problems, render)}
${renderMore(view, render)}`;
}

/** What few orders need. */
function renderMore({ typed, remark }: OrderView, render: (field: LabField) => Markup): Markup {
  const isOpen =
    ['description', 'webhook_url'].some((name) => getField(typed, name) !== '') ||
    remark?.problems.some(({ path }) => path === 'webhook_url' || path === 'description') === true;
  return markup`<details${isOpen && markup` open`}><summary>More</summary><div class="fields">${render({ name: 'description', label: 'Description', kind: 'area', hint: 'For your colleagues and the lab.' })}
${render({ name: 'webhook_url', label: 'Webhook', kind: 'url', hint: 'An https address that receives a signed POST for each change of status.' })}
<p class="hint">You give a purchase order number when you accept the quote.</p></div></details>`;
}

const DESIGN_FILES = '.fasta,.fa,.faa,.fas,.csv,.tsv,.txt,.xlsx';

/** Files and text stand beside each other; reading the files puts their designs into the text. */
function renderDesignFields(
  { typed, designs }: OrderView,
  problems: readonly Problem[],
  render: (field: LabField) => Markup,
): Markup {
  const files = renderFormField({
    name: 'files',
    id: 'order-files',
    label: 'Files of designs',
    hint: 'FASTA, CSV, TSV or xlsx, several at once: choose them, or drop them here. Columns are found by their headers.',
    problems: problems.flatMap(({ path, message }) => (path === 'files' ? message : [])),
    renderControl: (attributes) =>
      markup`<input type="file" multiple accept="${DESIGN_FILES}" ${attributes}>`,
  });
  return markup`<fieldset class="designs-in"><legend>Designs</legend>${files}
<div class="actions"><button name="intent" value="add" class="quiet">Add the files</button><span class="hint order-said" role="status"></span></div>
${render({ name: 'sequences', label: 'Sequences', kind: 'code', hint: 'FASTA, or a table with a row of headers; one-letter amino acids. Chains of one design are joined by ":", as heavy:light.' })}
<div id="order-columns">${renderColumnChoice(designs, typed)}</div>
${render({ name: 'translate', label: 'Translate DNA: standard code, reading frame 1, or the only frame without a stop inside', kind: 'check' })}
<div id="order-designs">${renderHidden([SHOWN_FIELD, computeShown(typed.sequences ?? '')])}${renderFormDesigns(designs)}</div></fieldset>`;
}

/** Of a pasted table whose sequences were not found, the columns to choose from. */
function renderColumnChoice({ files }: FormDesigns, typed: Form): Markup | null {
  const chosen = getField(typed, 'column_sequence') !== '';
  const unread = files.find(
    ({ format, columns }) =>
      format === 'table' && (chosen || (columns.sequence === undefined && !('heavy' in columns))),
  );
  if (unread === undefined) return null;
  const options = unread.header.map((header) => [header, header] as const);
  const choose = (name: string, label: string, none: string): Markup =>
    renderField('order', { name, label, options: [['', none], ...options] }, { problems: [], typed });
  return markup`<div class="row">${choose('column_sequence', 'Column of the sequences', 'Found by its cells')}${choose('column_name', 'Column of the names', 'Found by its header')}</div>`;
}

function renderChosenAssay(
  view: OrderView,
  problems: readonly Problem[],
  render: (field: LabField) => Markup,
): Markup {
  const assay = renderFormField({
    name: 'experiment_type',
    label: 'Assay',
    problems: problems.flatMap(({ path, message }) => (path === 'experiment_type' ? message : [])),
    renderControl: (attributes) => renderAssays(view, attributes),
  });
  return markup`${assay}
<div class="on-target">${renderTarget(view, render)}</div>
<div class="on-target">${render({ name: 'method', label: 'Method', options: listMethods(view) })}</div>`;
}

const SEARCH_LENGTH_MAX = 200;

/** The catalog as a list to choose from, with a search that shows what tells the hits from each other. */
function renderTarget(view: OrderView, render: (field: LabField) => Markup): Markup {
  const { typed, hits, isDraft } = view;
  const search = getField(typed, 'target_search');
  const found = hits.map((target) =>
    renderHit(
      target,
      markup`<button name="choose_target" value="${target.id}" class="quiet" aria-label="Choose ${target.name}">Choose</button>`,
    ),
  );
  return markup`<div class="stack target-choice">${render({ name: 'target_id', label: 'Target', options: listTargetChoices(view) })}
<div class="search"><div class="field"><label for="order-target_search">Find a target</label><input type="search" id="order-target_search" name="target_search" value="${search}" maxlength="${SEARCH_LENGTH_MAX}" placeholder="Name, gene, accession or species" autocomplete="off"></div><button name="intent" value="search" class="quiet">Search</button></div>
<div id="order-targets">${search !== '' && (found.length > 0 ? markup`<ul class="hits">${found}</ul>` : markup`<p class="hint" role="status">No target of the catalog matches “${search}”.${!isDraft && ' You can request it below.'}</p>`)}</div>
${!isDraft && renderRequest(view, render)}</div>`;
}

/** A target that the catalog lacks, with the order; its full form has a page of its own. */
function renderRequest({ typed, session, remark }: OrderView, render: (field: LabField) => Markup): Markup {
  const fields = ['requested_name', 'requested_uniprot_id', 'requested_note'];
  const isOpen =
    fields.some((name) => getField(typed, name) !== '') ||
    remark?.problems.some(({ path }) => fields.includes(path)) === true;
  const link =
    canCall(session, createCustomTargetRequest) &&
    markup` With a sequence, a structure or a product: <a href="${REQUESTS_PATH}/new" target="_blank">Request a target (new tab)</a>.`;
  return markup`<details${isOpen && markup` open`}><summary>Not in the catalog? Request a target</summary><div class="fields">${render({ name: 'requested_name', label: 'Name of the antigen', lengthMax: 300 })}
${render({ name: 'requested_uniprot_id', label: 'UniProt accession', lengthMax: 20, hint: 'Such as P00533.' })}
${render({ name: 'requested_note', label: 'What the lab should know of it', kind: 'area', hint: 'Construct, tags, vendor. It counts while no target of the catalog is chosen, and the lab quotes the order by hand.' })}
<p class="hint">${link}</p></div></details>`;
}

/** The first choice keeps the antigen that the experiment asked the lab for. */
function listTargetChoices({ targets, earlier }: OrderView): NonNullable<LabField['options']> {
  const [none, ...others] = listTargetOptions(targets);
  const requested = earlier?.experiment_spec.requested_target;
  const kept =
    requested === null || requested === undefined ? none : (['', `${requested.name} (requested)`] as const);
  return kept === undefined ? others : [kept, ...others];
}

/** The assay of a draft, which cannot be changed; hidden fields hold it, so that the price can be checked. */
function renderKeptAssay(view: OrderView, render: (field: LabField) => Markup): Markup {
  const [type, method] = [getField(view.typed, 'experiment_type'), getField(view.typed, 'method')];
  return markup`${Object.entries({ experiment_type: type, method }).map(renderHidden)}
<dl class="facts"><div><dt>Assay</dt><dd>${toSentenceCase(type)}${method !== '' && markup` <span class="muted">${method.toUpperCase()}</span>`}</dd></div></dl>
<p class="hint">The assay of a draft stays. Duplicate the draft to order another assay.</p>
${hasTarget(type) && renderTarget(view, render)}`;
}

const MISSING_SHOWN = 5;

function renderPrice(price: OrderPrice | undefined, button: string): Markup {
  const { costs, eta, missing = [] } = price ?? {};
  if (costs?.type === 'estimate' || costs?.type === 'incomplete_estimate')
    return markup`${renderEstimate(costs)}${renderOfferedDate(eta)}`;
  if (missing.length === 0)
    return markup`<p class="muted">The price appears here as you fill in the form. Nothing is ordered before you press “${button}” and accept the quote.</p>`;
  return markup`<p class="muted">The price needs:</p><ul class="hint notes">${missing.slice(0, MISSING_SHOWN).map(({ message }) => markup`<li>${capitalizeSentence(message)}</li>`)}${missing.length > MISSING_SHOWN && markup`<li>and ${missing.length - MISSING_SHOWN} more</li>`}</ul>`;
}
