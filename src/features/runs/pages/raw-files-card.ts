/** The raw files of a run that has started, on its page. */
import { previewRunRawFiles } from '../file-contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import type { FormsView } from '#ui/form.ts';
import { renderFileList, type RawFile } from './raw-files.ts';
import type { Run } from './words.ts';

export function renderRawFilesCard({ session }: FormsView, run: Run, files: readonly RawFile[]): Markup {
  const mayLook = canCall(session, previewRunRawFiles);
  const words = run.status === 'running' ? 'Add files and complete the run' : 'Wells and steps';
  const link =
    mayLook &&
    markup`<div class="actions"><a class="button${run.status === 'running' && ' primary'}" href="/lab/runs/${run.code}/raw-files">${words}</a></div>`;
  const list =
    files.length === 0
      ? markup`<p class="muted">No raw files yet. One file may hold the wells of all orders of the run.</p>`
      : renderFileList(files);
  return markup`<section class="card stack" aria-labelledby="raw-files"><h2 id="raw-files">Raw files</h2>${list}${link}</section>`;
}
