/** `/target-requests/new`: asks the lab for a target that the catalog lacks. */
import { parseNumber } from '#ui/amount.ts';
import { formatCount } from '#core/words.ts';
import { Failure, type Problem } from '#core/failures.ts';
import { createCustomTargetRequest } from '../request-contract.ts';
import { readChains, REQUESTED_ALREADY } from '../request-rules.ts';
import { formatSize, MEBIBYTE } from '#core/size.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { readKey, renderFormField, renderFormFields, type FormField } from '#ui/form.ts';
import { queryParameter, STRUCTURE_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import { REQUESTS_PATH } from './target-request-pieces.ts';
import { renderRoleSentence } from './target-requests.ts';
import type { Routes } from '#ui/routes.ts';

const PATH = `${REQUESTS_PATH}/new`;
const NAME_LENGTH_MAX = 200;
/** Leaves room in the form for its other fields, and for what browsers add to each line. */
const STRUCTURE_BYTES_MAX = 1.5 * MEBIBYTE;

const FIELDS = [
  'name',
  'vendor',
  'product_id',
  'product_url',
  'sequence',
  'pdb_id',
  'pdb_file',
  'molecular_weight',
  'note',
] as const;
type FieldName = (typeof FIELDS)[number];
/** The values of the form, as they were typed. */
type Draft = Readonly<Record<FieldName, string>>;

const EMPTY: Draft = {
  name: '',
  vendor: '',
  product_id: '',
  product_url: '',
  sequence: '',
  pdb_id: '',
  pdb_file: '',
  molecular_weight: '',
  note: '',
};

export function addTargetRequestForm(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, async (context) => {
    if (!canCall(context.session, createCustomTargetRequest)) return renderNoRequestPage(context.session);
    const name = queryParameter(context.request, 'name').trim().slice(0, NAME_LENGTH_MAX).toWellFormed();
    return renderFormPage(context, { draft: { ...EMPTY, name } });
  });
  addPortalForm(routes, parts, PATH, sendRequest, { bytesMax: STRUCTURE_FORM_BYTES_MAX });
}

/** For a person whose role only reads, before anything is typed. */
function renderNoRequestPage(session: Session): PageContent {
  const body = markup`${CRUMBS}<div class="page-head"><h1>Request a target</h1></div>
<section class="card stack"><p class="lead">${renderRoleSentence(session)}</p>
<p>Until then you can look at <a href="${REQUESTS_PATH}">the target requests</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'Request a target', body, section: 'targets', status: 403 };
}

async function sendRequest(context: FormContext): Promise<string | PageContent> {
  const draft = parseDraft(context.form);
  try {
    const { id } = await context.api.call(createCustomTargetRequest, {
      body: buildBody(draft),
      idempotencyKey: readKey(context.form),
    });
    return `${REQUESTS_PATH}/${id}`;
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500 || error.status === 403) throw error;
    return renderFormPage(context, { draft, ...toOutcome(error), status: error.status });
  }
}

/** Lines are parted by a line feed, whatever the browser sends. */
function parseDraft(form: Form): Draft {
  const typed = FIELDS.map((name) => [name, (form[name] ?? '').replaceAll('\r\n', '\n')] as const);
  return { ...EMPTY, ...Object.fromEntries(typed) };
}

/** Builds the body as a program would send it: what was left empty is left out. */
function buildBody(draft: Draft): object {
  const filledFields = FIELDS.map((name) => [name, draft[name].trim()] as const).filter(
    ([, text]) => text !== '',
  );
  const { sequence, molecular_weight: weight, ...body } = Object.fromEntries(filledFields);
  return {
    name: '',
    product_id: '',
    ...body,
    ...(sequence === undefined ? {} : { sequence: readChains(sequence) }),
    // A structure file has columns, so its spaces stay as they are.
    ...(draft.pdb_file.trim() === '' ? {} : { pdb_file: draft.pdb_file }),
    ...(weight === undefined ? {} : { molecular_weight: parseNumber(weight) }),
  };
}

interface FormView {
  readonly draft: Draft;
  readonly problems?: readonly Problem[];
  /** A message about the form as a whole. */
  readonly sentence?: string;
  readonly status?: number;
}

function toOutcome(failure: Failure): Pick<FormView, 'problems' | 'sentence'> {
  if (failure.code === 'idempotency_key_reused')
    return {
      sentence: 'This form has already sent a request. Press the button again to send another one.',
    };
  return failure.problems.length === 0 ? { sentence: failure.message } : { problems: failure.problems };
}

function renderFormPage({ session, parts }: PortalContext, view: FormView): PageContent {
  const { status } = view;
  const key = parts.work.ids.createSecret();
  const body = markup`${CRUMBS}
<div class="page-head"><h1>Request a target</h1></div>
${renderSummary(view)}
<form method="post" action="${PATH}" class="columns split">${renderFormFields(session, key)}
<section class="card first" aria-labelledby="then"><h2 id="then">What happens then</h2>
<ol class="steps"><li>The lab looks for the protein. This costs nothing and orders nothing.</li><li>It answers with a target, its price and the days until it is in the lab, or says why it cannot offer it.</li><li>You order experiments with the target as with any other. Only your organization sees it, unless the lab lists it for all.</li></ol></section>
<div class="main stack">${renderProductCard(view)}${renderProteinCard(view)}<button class="primary large">Send the request</button></div>
</form>`;
  return {
    title: 'Request a target',
    body,
    section: 'targets',
    scripts: ['text-file'],
    ...(status === undefined ? {} : { status }),
  };
}

const CRUMBS = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a> / <a href="${REQUESTS_PATH}">Requests</a></nav>`;

const isFieldName = (path: string): path is FieldName => FIELDS.some((name) => name === path);

/** Says above the form how much there is to correct, and what belongs to no field. */
function renderSummary({ draft, problems = [], sentence }: FormView): Markup | null {
  if (problems.length === 0 && sentence === undefined) return null;
  const general = problems.filter(({ path }) => !isFieldName(path));
  const isRepeat = problems.some(({ message }) => message === REQUESTED_ALREADY);
  const search = new URLSearchParams({ search: draft.product_id.trim() }).toString();
  return markup`<div class="note attention form-note" role="alert">${sentence ?? `${formatCount(problems.length, 'problem')} to solve; nothing was sent.`}
${isRepeat && markup` <a href="${REQUESTS_PATH}?${search}">Show the earlier request</a>`}
${general.length > 0 && markup`<ul>${general.map(({ path, message }) => markup`<li><code>${path}</code> ${message}</li>`)}</ul>`}</div>`;
}

function renderField(view: FormView, name: FieldName, field: Omit<FormField, 'name' | 'problems'>): Markup {
  const problems = (view.problems ?? []).filter(({ path }) => path === name);
  return renderFormField({
    ...field,
    name,
    problems: problems.map((each) => formatMessage(each, view.draft)),
  });
}

/** The messages of the operation are written for programs; a person with a form needs others. */
function formatMessage({ path, message }: Problem, draft: Draft): string {
  if (message === REQUESTED_ALREADY) return 'Your organization has requested this product before.';
  const isEmpty = isFieldName(path) && draft[path].trim() === '';
  if (isEmpty && path === 'sequence') return 'Give a sequence, a PDB id or a structure file.';
  if (isEmpty) return 'Fill in this field.';
  if (path === 'molecular_weight') return 'Give a number above 0, at most 1,000,000, such as 68.5.';
  return message.charAt(0).toUpperCase() + message.slice(1);
}

function renderLine(
  view: FormView,
  name: FieldName,
  label: string,
  attributes: Markup,
  hint?: string,
): Markup {
  return renderField(view, name, {
    label,
    hint,
    renderControl: (own) =>
      markup`<input type="text" ${own} ${attributes} value="${view.draft[name]}" autocomplete="off">`,
  });
}

function renderProductCard(view: FormView): Markup {
  return markup`<section class="card" aria-labelledby="product"><h2 id="product">Product</h2><div class="fields">
${renderLine(view, 'name', 'Name of the protein', markup`maxlength="200" required`, 'As you call it, with its form: “EGFR extracellular domain, His-tagged”.')}
<div class="row">${renderLine(view, 'product_id', 'Product number', markup`maxlength="200" required`, 'Of the vendor, or your own. Each can be requested once.')}
${renderLine(view, 'vendor', 'Vendor', markup`maxlength="200"`, 'Optional.')}</div>
${renderLine(view, 'product_url', 'Page of the product', markup`maxlength="2000" inputmode="url" spellcheck="false" placeholder="https://"`, 'Optional.')}</div></section>`;
}

function renderProteinCard(view: FormView): Markup {
  const { draft } = view;
  // HTML drops a line feed right after the tag; this one preserves a line feed that was typed, here and below.
  return markup`<section class="card" aria-labelledby="protein"><h2 id="protein">Protein</h2><div class="fields">
<p class="hint">Give at least one of sequence, PDB id and structure file, so that the lab knows which protein it is.</p>
${renderField(view, 'sequence', {
  label: 'Sequence',
  hint: 'One-letter amino acids or FASTA. Chains are joined by “:”; each record of FASTA is a chain.',
  renderControl: (own) =>
    markup`<textarea ${own} rows="6" spellcheck="false" autocapitalize="off">
${draft.sequence}</textarea>`,
})}
<div class="row">${renderLine(view, 'pdb_id', 'PDB id', markup`maxlength="20" spellcheck="false" placeholder="1IVO"`, 'Entry of the Protein Data Bank.')}
${renderLine(view, 'molecular_weight', 'Molecular weight in kDa', markup`maxlength="20" inputmode="decimal"`, 'Optional.')}</div>
${renderStructure(view)}
${renderField(view, 'note', {
  label: 'Note for the lab',
  hint: 'Optional: what the protein is for, tags or forms that would do as well, when you need it.',
  renderControl: (own) =>
    markup`<textarea class="short" ${own} maxlength="10000">
${draft.note}</textarea>`,
})}</div></section>`;
}

function renderStructure(view: FormView): Markup {
  const { draft, problems = [] } = view;
  const isOpen = draft.pdb_file !== '' || problems.some(({ path }) => path === 'pdb_file');
  return markup`<details${isOpen && markup` open`}><summary>Structure file</summary><div class="fields">
<div class="field" data-file-for="pdb_file" data-bytes-max="${STRUCTURE_BYTES_MAX}" hidden><label for="file">Choose a structure file</label><input type="file" id="file" accept=".pdb,.ent,.cif,.mmcif,text/plain"><p class="hint" role="status">It is put into the field below.</p></div>
${renderField(view, 'pdb_file', {
  label: 'Text of the structure file',
  hint: `PDB or mmCIF, up to ${formatSize(STRUCTURE_BYTES_MAX)}. The API takes larger ones.`,
  renderControl: (own) =>
    markup`<textarea ${own} rows="4" spellcheck="false" autocapitalize="off">
${draft.pdb_file}</textarea>`,
})}</div></details>`;
}
