/** `/target-requests/new`: asks the lab for a target that the catalog lacks. */
import { formatCount } from '#core/words.ts';
import type { Problem } from '#core/failures.ts';
import { createCustomTargetRequest } from '../request-contract.ts';
import { readChains, REQUESTED_ALREADY } from '../request-rules.ts';
import { formatSize, MEBIBYTE } from '#core/size.ts';
import { defineAction, listShown, readBody } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { readKey, renderFields, renderFormFields } from '#ui/form.ts';
import { getField, queryParameter, STRUCTURE_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { REQUESTS_PATH } from './target-request-pieces.ts';
import { renderRoleSentence } from './target-requests.ts';
import type { Routes } from '#ui/routes.ts';

const PATH = `${REQUESTS_PATH}/new`;
const NAME_LENGTH_MAX = 200;
/** Leaves room in the form for its other fields, and for what browsers add to each line. */
const STRUCTURE_BYTES_MAX = 1.5 * MEBIBYTE;

const send = defineAction(createCustomTargetRequest, {
  path: PATH,
  page: `${REQUESTS_PATH}/:id`,
  button: 'Send the request',
  fields: {
    name: {
      label: 'Name of the protein',
      hint: 'As you call it, with its form: “EGFR extracellular domain, His-tagged”.',
    },
    product_id: {
      label: 'Product number',
      hint: 'Of the vendor, or your own. Each can be requested once.',
      isPaired: true,
    },
    vendor: { label: 'Vendor', hint: 'Optional.', isPaired: true },
    product_url: { label: 'Page of the product', kind: 'url', hint: 'Optional.' },
    sequence: {
      label: 'Sequence',
      kind: 'code',
      hint: 'One-letter amino acids or FASTA. Chains are joined by “:”; each record of FASTA is a chain.',
    },
    pdb_id: { label: 'PDB id', hint: 'Entry of the Protein Data Bank, such as 1IVO.', isPaired: true },
    molecular_weight: { label: 'Molecular weight in kDa', hint: 'Optional.', isPaired: true },
    pdb_file: {
      label: 'Text of the structure file',
      kind: 'code',
      hint: `PDB or mmCIF, up to ${formatSize(STRUCTURE_BYTES_MAX)}. The API takes larger ones.`,
    },
    note: {
      label: 'Note for the lab',
      kind: 'area',
      hint: 'Optional: what the protein is for, tags or forms that would do as well, when you need it.',
    },
  },
});

export function addTargetRequestForm(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadFormPage(context));
  addRefusableForm(routes, parts, PATH, sendRequest, loadFormPage, { bytesMax: STRUCTURE_FORM_BYTES_MAX });
}

/** For a person whose role only reads, before anything is typed. */
function renderNoRequestPage(session: Session): PageContent {
  const body = markup`${CRUMBS}<div class="page-head"><h1>Request a target</h1></div>
<section class="card stack"><p class="lead">${renderRoleSentence(session)}</p>
<p>Until then you can look at <a href="${REQUESTS_PATH}">the target requests</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'Request a target', body, section: 'targets', status: 403 };
}

async function sendRequest({ api, form }: FormContext): Promise<string> {
  const { pdb_file: file = '' } = form;
  const sequence = getField(form, 'sequence');
  const body = {
    ...readBody(send, form),
    sequence: sequence === '' ? null : readChains(sequence),
    // A structure file has columns, so its spaces stay as they are.
    pdb_file: file.trim() === '' ? null : file.replaceAll('\r\n', '\n'),
  };
  const { id } = await api.call(createCustomTargetRequest, { body, idempotencyKey: readKey(form) });
  return `${REQUESTS_PATH}/${id}`;
}

async function loadFormPage(
  { request, session, parts }: PortalContext,
  refused?: Remark,
): Promise<PageContent> {
  if (!canCall(session, createCustomTargetRequest)) return renderNoRequestPage(session);
  const name = queryParameter(request, 'name').trim().slice(0, NAME_LENGTH_MAX).toWellFormed();
  const remark = refused && {
    ...refused,
    problems: refused.problems.map((problem) => ({
      ...problem,
      message: formatMessage(problem, refused.typed),
    })),
  };
  const shown = listShown(send.fields, { name });
  const render = (...names: readonly string[]): Part =>
    renderFields(
      PATH,
      shown.filter((field) => names.includes(field.name)),
      remark,
    );
  const body = markup`${CRUMBS}
<div class="page-head"><h1>Request a target</h1></div>
${refused && renderSummary(refused)}
<form method="post" action="${PATH}" class="columns split">${renderFormFields(session, parts.work.ids.createSecret())}
<section class="card first" aria-labelledby="then"><h2 id="then">What happens then</h2>
<ol class="steps"><li>The lab looks for the protein. This costs nothing and orders nothing.</li><li>It answers with a target, its price and the days until it is in the lab, or says why it cannot offer it.</li><li>You order experiments with the target as with any other. Only your organization sees it, unless the lab lists it for all.</li></ol></section>
<div class="main stack"><section class="card" aria-labelledby="product"><h2 id="product">Product</h2><div class="fields">
${render('name', 'product_id', 'vendor', 'product_url')}</div></section>
<section class="card" aria-labelledby="protein"><h2 id="protein">Protein</h2><div class="fields">
<p class="hint">Give at least one of sequence, PDB id and structure file, so that the lab knows which protein it is.</p>
${render('sequence', 'pdb_id', 'molecular_weight')}
${renderStructure(render('pdb_file'), refused)}${render('note')}</div></section><button class="primary large">${send.button}</button></div>
</form>`;
  return { title: 'Request a target', body, section: 'targets', scripts: ['text-file'] };
}

const CRUMBS = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a> / <a href="${REQUESTS_PATH}">Requests</a></nav>`;

/** Says above the form how much there is to correct, and what belongs to no field. */
function renderSummary({ message, problems, typed, markSaid }: Remark): Markup {
  markSaid();
  const general = problems.filter(({ path }) => !send.fields.has(path));
  const isRepeat = problems.some((problem) => problem.message === REQUESTED_ALREADY);
  const search = new URLSearchParams({ search: getField(typed, 'product_id') }).toString();
  const sentence =
    problems.length === 0
      ? message
      : `${formatCount(problems.length, 'problem')} to solve; nothing was sent.`;
  return markup`<div class="note attention form-note" role="alert">${sentence}
${isRepeat && markup` <a href="${REQUESTS_PATH}?${search}">Show the earlier request</a>`}
${general.length > 0 && markup`<ul>${general.map((problem) => markup`<li><code>${problem.path}</code> ${problem.message}</li>`)}</ul>`}</div>`;
}

/** The messages of the operation are written for programs; a person with a form needs others. */
function formatMessage({ path, message }: Problem, typed: Form): string {
  if (message === REQUESTED_ALREADY) return 'Your organization has requested this product before.';
  const isEmpty = send.fields.has(path) && getField(typed, path) === '';
  if (isEmpty && path === 'sequence') return 'Give a sequence, a PDB id or a structure file.';
  if (isEmpty) return 'Fill in this field.';
  return path === 'molecular_weight' ? 'Give a number above 0, at most 1,000,000, such as 68.5.' : message;
}

/** A script puts a file that is chosen into the field. */
function renderStructure(field: Part, refused: Remark | undefined): Markup {
  const isOpen =
    refused?.typed.pdb_file !== undefined &&
    (refused.typed.pdb_file !== '' || refused.problems.some(({ path }) => path === 'pdb_file'));
  return markup`<details${isOpen && markup` open`}><summary>Structure file</summary><div class="fields">
<div class="field" data-file-for="${PATH.slice(1).replaceAll('/', '-')}-pdb_file" data-bytes-max="${STRUCTURE_BYTES_MAX}" hidden><label for="file">Choose a structure file</label><input type="file" id="file" accept=".pdb,.ent,.cif,.mmcif,text/plain"><p class="hint" role="status">It is put into the field below.</p></div>
${field}</div></details>`;
}
