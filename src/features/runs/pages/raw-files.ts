/** The raw files of the latest run, with what was understood of each. */
import { formatCount } from '#core/words.ts';
import { renderTime } from '#ui/words.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { Recorded } from '../../experiments/pages/lab-experiment.ts';

export type RawFile = Recorded['files'][number];

/** Names beyond these are counted. */
const NAMES_SHOWN = 12;

export function renderRawFiles(
  { experiment_code: code, run, files, sequences_without_data: missing }: Recorded,
  mayLook: boolean,
): Markup | null {
  if (run === null) return null;
  const list = files.length === 0 ? markup`<p class="muted">No raw files yet.</p>` : renderFileList(files);
  return markup`<section class="card" aria-labelledby="files"><div class="card-head"><h2 id="files">Raw files</h2><p class="hint">Run ${run.ordinal}${mayLook && markup` · <a href="/lab/experiments/${code}/raw-files">Wells and steps</a>`}</p></div>
${files.length > 0 && missing.length > 0 && markup`<p class="note warn">Without data so far: ${renderNames(missing)}</p>`}${list}</section>`;
}

export function renderNames(names: readonly string[]): Part {
  const more = names.length - NAMES_SHOWN;
  return markup`${names.slice(0, NAMES_SHOWN).map((name, index) => markup`${index > 0 && ', '}<bdi>${name}</bdi>`)}${more > 0 && ` and ${more} more`}`;
}

export function renderFileList(files: readonly RawFile[]): Markup {
  return markup`<ul class="rows">${files.map(renderFile)}</ul>`;
}

function renderFile(file: RawFile): Markup {
  const size = `${Math.max(1, Math.round(file.size_bytes / 1_000)).toLocaleString('en-US')} kB`;
  return markup`<li><div><strong><bdi>${file.name}</bdi></strong>
<p class="hint">${size} · version ${file.version} · ${renderTime(file.created_at)} · SHA-256 <code title="${file.sha256}">${file.sha256.slice(0, 12)}</code></p>
${file.understood === null ? markup`<p class="hint">Recorded by the simulated lab.</p>` : renderUnderstood(file.understood)}${renderEarlier(file.earlier_versions)}</div></li>`;
}

function renderEarlier(versions: RawFile['earlier_versions']): Markup | null {
  if (versions.length === 0) return null;
  const rows = versions.map(
    (each) =>
      markup`<li class="hint">Version ${each.version} · ${renderTime(each.created_at)}${each.uploaded_by !== null && markup` · <bdi>${each.uploaded_by}</bdi>`} · SHA-256 <code title="${each.sha256}">${each.sha256.slice(0, 12)}</code></li>`,
  );
  return markup`<details><summary>${formatCount(versions.length, 'earlier version')}</summary><ul>${rows}</ul></details>`;
}

function renderUnderstood(found: NonNullable<RawFile['understood']>): Markup {
  const sets = found.sets.map(
    (set) =>
      markup`<li>${set.format}${set.plate !== null && markup`, plate <bdi>${set.plate}</bdi>`}: ${formatCount(set.n_traces, 'trace')}${set.notices.map((notice) => markup`<span class="sub">${notice}</span>`)}</li>`,
  );
  const { matched_sequences: matched, unmatched_samples: unmatched, n_unnamed_wells: unnamed } = found;
  return markup`<ul class="understood">${sets}</ul>
<p class="hint">${formatCount(matched.length, 'sequence')} found${unmatched.length > 0 && markup` · no sequence of the order: ${renderNames(unmatched)}`}${unnamed > 0 && ` · ${formatCount(unnamed, 'well')} without a name: a plate map has to name them`}</p>`;
}
