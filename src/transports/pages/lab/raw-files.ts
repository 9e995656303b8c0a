/** The raw files of the latest run, with what was understood of each. */
import { formatCount, renderTime } from '../words.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import type { Recorded } from './experiment.ts';

type RawFile = Recorded['files'][number];

/** Names beyond these are counted. */
const NAMES_SHOWN = 12;

export function renderRawFiles(
  { experiment_code: code, run, files, sequences_without_data: missing }: Recorded,
  mayLook: boolean,
): Markup | null {
  if (run === null) return null;
  const list =
    files.length === 0
      ? markup`<p class="muted">No raw files yet.</p>`
      : markup`<ul class="rows">${files.map(renderFile)}</ul>`;
  return markup`<section class="card" aria-labelledby="files"><div class="card-head"><h2 id="files">Raw files</h2><p class="hint">Run ${run.ordinal}${mayLook && markup` · <a href="/lab/experiments/${code}/raw-files">Wells and steps</a>`}</p></div>
${files.length > 0 && missing.length > 0 && markup`<p class="note warn">Without data so far: ${renderNames(missing)}</p>`}${list}</section>`;
}

function renderNames(names: readonly string[]): Part {
  const more = names.length - NAMES_SHOWN;
  return markup`${names.slice(0, NAMES_SHOWN).map((name, index) => markup`${index > 0 && ', '}<bdi>${name}</bdi>`)}${more > 0 && ` and ${more} more`}`;
}

function renderFile(file: RawFile): Markup {
  const size = `${Math.max(1, Math.round(file.size_bytes / 1_000)).toLocaleString('en-US')} kB`;
  return markup`<li><div><strong><bdi>${file.name}</bdi></strong>
<p class="hint">${size} · ${renderTime(file.created_at)} · SHA-256 <code title="${file.sha256}">${file.sha256.slice(0, 12)}</code></p>
${file.understood === null ? markup`<p class="hint">Recorded by the simulated lab.</p>` : renderUnderstood(file.understood)}</div></li>`;
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
