/**
 * `/lab/experiments/{id or code}/raw-files`: what the files of the run hold, files to look at before they are added,
 * and the mapping of wells by hand.
 * This folder: raw files before they are analyzed. Not here: how they are read (`analysis/preview`).
 */
import { fail, Failure } from '#core/failures.ts';
import { listRawFiles, putRawFile } from '../../raw-files/run-contract.ts';
import { getRawFileMapping, mapRawFiles } from '../../raw-files/mapping-contract.ts';
import { previewRawFile, previewRawFiles } from '../../raw-files/preview-contract.ts';
import { renderDone, writeNext } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { type FormFile, renderUploadForm } from '#ui/upload-form.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { createFormsView, readKey } from '#ui/form.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { LabRoutes, Remark } from '#ui/screen.ts';
import { listNames, readMappingForm, renderMapping, writeMapping, type MappingLine } from './mapping-form.ts';
import { renderPreview, type Preview } from './preview-view.ts';

const PATH = '/lab/experiments/:experiment_id/raw-files';
const mappingDeed = {
  path: `${PATH}/mapping`,
  page: PATH,
  done: 'The mapping is kept; the next analysis of the run uses it.',
};

export function addRawFiles(routes: LabRoutes): void {
  routes.addPage(PATH, (context) => loadFilesPage(context), previewRawFiles);
  routes.addUpload(`${PATH}/preview`, previewRawFile, showPreview, loadFilesPage);
  routes.addForm(mappingDeed.path, mapRawFiles, map, loadFilesPage);
}

/** What a person looks at before it is kept. */
interface Shown {
  readonly preview: Preview;
  readonly title: string;
  /** The mapping that was tried, as it was typed. */
  readonly entries?: string;
}

async function loadFilesPage(context: PortalContext, remark?: Remark, shown?: Shown): Promise<PageContent> {
  const { api, request, session } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const [recorded, mapping, kept] = await Promise.all([
    api.call(listRawFiles, { params }),
    api.call(getRawFileMapping, { params }),
    findKept(context, params),
  ]);
  const { experiment_code: code, run } = recorded;
  const pagePath = `/lab/experiments/${code}/raw-files`;
  const forms = createFormsView(context, remark);
  const [present] = mapping.versions;
  const written = shown?.entries ?? writeMapping(present?.entries ?? suggestLines(kept));
  const mayUpload =
    run?.by_hand === true && recorded.status === 'in_production' && canCall(session, putRawFile);
  const body = markup`${renderLabHead('Raw files', {
    above: [`/lab/experiments/${code}`, code],
    over: run === null ? 'No run yet' : `Run ${run.ordinal} on ${run.instrument}`,
  })}
${renderDone(context, [mappingDeed])}
<div class="stack">
${shown !== undefined && renderPreview(shown.preview, { title: shown.title })}
${mayUpload && markup`<section class="card" aria-labelledby="upload"><h2 id="upload">Add files</h2>${renderUploadForm(forms, { action: `/lab/experiments/${code}/files`, preview: `${pagePath}/preview` })}</section>`}
${shown?.entries === undefined && kept !== null && renderPreview(kept, { title: 'In this run', id: 'kept' })}
${kept === null && shown === undefined && markup`<section class="card"><p class="muted">The run has no raw files yet.</p></section>`}
${kept !== null && run?.by_hand === true && canCall(session, mapRawFiles) && renderMapping(forms, { action: `${pagePath}/mapping`, written, names: listNames(kept, kept.sequences_missing), versions: mapping.versions })}
</div>`;
  return { title: `Raw files of ${code}`, body, scripts: ['upload'] };
}

async function findKept(
  { api }: PortalContext,
  params: Readonly<Record<string, string>>,
): Promise<Preview | null> {
  try {
    return await api.call(previewRawFiles, { params, body: {} });
  } catch (error) {
    if (error instanceof Failure && error.code === 'run_without_files') return null;
    throw error;
  }
}

/** A line for each sample that nobody ordered: a person says which sequence it is, or that it is left out. */
function suggestLines(kept: Preview | null): MappingLine[] {
  return (kept?.samples_not_ordered ?? []).map((sample) => ({
    plate: null,
    well: null,
    sample,
    role: 'left_out',
    sequence: null,
    replicate: null,
  }));
}

async function map(context: FormContext): Promise<string | PageContent> {
  const { api, form, request } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const { text, entries, reason, isTrial } = readMappingForm(form);
  if (isTrial) {
    const preview = await api.call(previewRawFiles, { params, body: { entries } });
    return loadFilesPage(context, undefined, { preview, title: 'With this mapping', entries: text });
  }
  await api.reply(mapRawFiles, { params, body: { entries, ...reason }, idempotencyKey: readKey(form) });
  return writeNext(mappingDeed, params);
}

/** Nothing is kept: the file is read, shown and forgotten. */
async function showPreview(context: PortalContext, file: FormFile): Promise<PageContent> {
  if (file.name === '') throw fail('invalid_request', { reason: 'choose a file.' });
  const params = { experiment_id: getPathParameter(context.request, 'experiment_id'), name: file.name };
  const preview = await context.api.call(previewRawFile, { params, upload: file.staged });
  return loadFilesPage(context, undefined, { preview, title: 'Not added yet' });
}
