/**
 * `/lab/runs/{id or code}/raw-files`: files of a stored run, whose each well is, the mapping by hand, and the completion
 * of the whole run.
 */
import { fail } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import {
  completeLabRun,
  getRunRawFileMapping,
  listRunRawFiles,
  mapRunRawFiles,
  previewRunRawFile,
  previewRunRawFiles,
  putRunRawFile,
} from '../file-contract.ts';
import { getLabRun } from '../run-contract.ts';
import { defineAction, renderAction, renderDone, writeNext } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { type FormFile, renderUploadForm } from '#ui/upload-form.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { canCall } from '#ui/session.ts';
import { listNames, readMappingForm, renderMapping, writeMapping } from './file-preview/mapping-form.ts';
import { renderPreview } from './file-preview/preview-view.ts';
import { createFormsView, readKey, type FormsView } from '#ui/form.ts';
import { addAssociation, COMPLETION, WITHOUT_ASSOCIATION } from '../../experiments/pages/lab-actions.ts';
import { renderTable, type Column } from '#ui/list.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import { renderFileList } from './raw-files.ts';
import type { LabRoutes, Remark } from '#ui/screen.ts';
import { hasStarted, renderRunChip, type Run } from './words.ts';

type Preview = Output<typeof previewRunRawFiles>;
type Share = Preview['experiments'][number];

const PATH = '/lab/runs/:run_id/raw-files';

const completion = addAssociation(
  defineAction(completeLabRun, {
    path: '/lab/runs/:run_id/complete',
    page: PATH,
    button: 'Complete the run',
    tone: 'primary',
    hint: 'All its orders move to the analysis, or none does. Each must have data in the files.',
    fields: COMPLETION,
    done: 'The run is complete; every order is analyzed on its own wells.',
  }),
);
const upload = { path: PATH, page: PATH, done: 'The file was read and stored.' };
const mappingDeed = {
  path: `${PATH}/mapping`,
  page: PATH,
  done: 'The mapping is kept; the next analysis of each order uses it.',
};

export function addRunFiles(routes: LabRoutes): void {
  routes.addPage(PATH, (context) => loadFilesPage(context), previewRunRawFiles);
  routes.addUpload(upload.path, putRunRawFile, addFile, loadFilesPage);
  routes.addUpload(`${PATH}/preview`, previewRunRawFile, showPreview, loadFilesPage);
  routes.addForm(mappingDeed.path, mapRunRawFiles, map, loadFilesPage);
  routes.addActions([completion], loadFilesPage);
}

const getParams = ({ request }: PortalContext): { readonly run_id: string } => ({
  run_id: getPathParameter(request, 'run_id'),
});

/** What a person looks at before it is kept. */
interface Shown {
  readonly preview: Preview;
  readonly title: string;
  /** The mapping that was tried, as it was typed. */
  readonly entries?: string;
}

async function loadFilesPage(context: PortalContext, remark?: Remark, shown?: Shown): Promise<PageContent> {
  const { api } = context;
  const params = getParams(context);
  const [run, { files, experiments_taking_files: taking }, { versions }] = await Promise.all([
    api.call(getLabRun, { params }),
    api.call(listRunRawFiles, { params }),
    api.call(getRunRawFileMapping, { params }),
  ]);
  const preview = files.length === 0 ? null : await api.call(previewRunRawFiles, { params, body: {} });
  const forms = createFormsView(context, remark);
  const pagePath = `/lab/runs/${run.code}/raw-files`;
  const written = shown?.entries ?? writeMapping(versions[0]?.entries ?? []);
  const names =
    preview === null
      ? []
      : listNames(
          preview,
          preview.experiments.flatMap((each) => each.sequences_without_data),
        );
  const mayMap = hasStarted(run) && canCall(forms.session, mapRunRawFiles);
  const body = markup`${renderLabHead('Raw files', {
    above: [`/lab/runs/${run.code}`, run.code],
    over: run.instrument === null ? 'No instrument yet' : `On ${run.instrument}`,
    side: renderRunChip(run.status),
  })}
${renderDone(context, [upload, mappingDeed, completion])}
<div class="stack">
${shown !== undefined && renderHeld(shown.preview, shown.title, 'preview')}
${taking.length > 0 && renderUpload(forms, run, pagePath)}
${shown?.entries === undefined && preview !== null && renderHeld(preview, 'In this run', 'kept')}
${preview !== null && renderCompletionCard(forms, run)}
${renderVersions(run, files)}
${mayMap && renderMapping(forms, { action: `${pagePath}/mapping`, written, names, versions })}
</div>`;
  return { title: `Raw files of ${run.code}`, body, scripts: ['upload'] };
}

/** A preview with the wells that each order has in it. */
function renderHeld(preview: Preview, title: string, id: string): Markup {
  const shares = renderTable(COLUMNS, preview.experiments);
  return renderPreview(preview, { title, id, against: 'plan', shares });
}

const COLUMNS: readonly Column<Share>[] = [
  {
    head: 'Order',
    render: ({ experiment_code: code }) =>
      markup`<a class="mono" href="/lab/experiments/${code}">${code}</a>`,
  },
  { head: 'State', render: ({ status }) => renderStatusChip(status) },
  {
    head: 'Its curves or readings',
    isNumber: true,
    render: ({ n_curves: count }) => count.toLocaleString('en-US'),
  },
  {
    head: 'Without data',
    render: ({ sequences_without_data: names }) =>
      names.length === 0
        ? markup`<span class="muted">none</span>`
        : markup`<span>${names.map((name, index) => markup`${index > 0 && ', '}<bdi>${name}</bdi>`)}</span>`,
  },
];

/** For a run that takes files; a complete one takes them again for the orders whose analysis was stopped. */
function renderUpload(forms: FormsView, run: Run, here: string): Markup | null {
  if (!canCall(forms.session, putRunRawFile)) return null;
  const hint =
    run.status === 'complete'
      ? 'For orders whose analysis was stopped.'
      : 'One file may hold the wells of several orders; the plan says whose each well is.';
  return markup`<section class="card" aria-labelledby="upload"><div class="card-head"><h2 id="upload">Add files</h2><p class="hint">${hint}</p></div>${renderUploadForm(forms, { action: here, preview: `${here}/preview` })}</section>`;
}

function renderVersions(run: Run, files: Output<typeof listRunRawFiles>['files']): Markup {
  const none = hasStarted(run)
    ? 'The run has no raw files yet.'
    : 'The run takes raw files once it has started.';
  return markup`<section class="card" aria-labelledby="files"><h2 id="files">Files and versions</h2>${files.length === 0 ? markup`<p class="muted">${none}</p>` : renderFileList(files)}</section>`;
}

function renderCompletionCard(forms: FormsView, { code, status, method }: Run): Markup | null {
  const shown = { params: { run_id: code }, fields: method === null ? WITHOUT_ASSOCIATION : {} };
  const form = status === 'running' ? renderAction(forms, completion, shown) : null;
  if (form === null) return null;
  return markup`<section class="card" aria-labelledby="complete"><h2 id="complete">Complete the run</h2>${form}</section>`;
}

function requireName({ name }: FormFile): string {
  if (name === '') throw fail('invalid_request', { reason: 'choose a file.' });
  return name;
}

async function addFile(context: FormContext, file: FormFile): Promise<string> {
  const params = { ...getParams(context), name: requireName(file) };
  await context.api.reply(putRunRawFile, { params, upload: file.staged });
  return writeNext(upload, params);
}

/** Nothing is kept: the file is read, shown and forgotten. */
async function showPreview(context: FormContext, file: FormFile): Promise<PageContent> {
  const params = { ...getParams(context), name: requireName(file) };
  const preview = await context.api.call(previewRunRawFile, { params, upload: file.staged });
  return loadFilesPage(context, undefined, { preview, title: 'Not added yet' });
}

async function map(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const params = getParams(context);
  const { text, entries, reason, isTrial } = readMappingForm(form);
  if (isTrial) {
    const preview = await api.call(previewRunRawFiles, { params, body: { entries } });
    return loadFilesPage(context, undefined, { preview, title: 'With this mapping', entries: text });
  }
  await api.reply(mapRunRawFiles, { params, body: { entries, ...reason }, idempotencyKey: readKey(form) });
  return writeNext(mappingDeed, params);
}
