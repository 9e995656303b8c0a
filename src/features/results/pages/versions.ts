/** The versions of a result, and what differs between two of them. */
import { formatWholePower, writeMinusSigns } from '#core/number-words.ts';
import type { Output } from '#core/operation.ts';
import { formatCount } from '#core/words.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderTime, toSentenceCase } from '#ui/words.ts';
import type { diffResults, listResultVersions } from '../contract.ts';
import { outcomeWords } from './readings.ts';

export type Versions = Output<typeof listResultVersions>['versions'];

/** Says that there is a newer version than the one with this id; nothing on the page of the newest. */
export function renderReplaced(id: string, [newest]: Versions): Markup | null {
  if (newest === undefined || newest.id === id) return null;
  return markup`<p class="note warn">Version ${newest.version} has replaced this one. <a href="/results/${newest.id}">Open version ${newest.version}</a></p>`;
}

/** Renders every released version with the lab's reason for it; a first version alone needs no table. */
export function renderVersions(id: string, versions: Versions, changes: Changes | null): Markup | null {
  if (versions.length < 2) return null;
  const rows = versions.map((version) => {
    const isShown = version.id === id;
    const name = isShown
      ? markup`<strong>Version ${version.version}</strong> <span class="muted">this page</span>`
      : markup`<a href="/results/${version.id}">Version ${version.version}</a>`;
    const isCompared = changes?.against_version === version.version;
    const compare = isShown
      ? null
      : isCompared
        ? markup`<a href="#changes" aria-current="true">compared below</a>`
        : markup`<a href="?against=${version.version}#changes">compare</a>`;
    return markup`<tr><th scope="row" class="nowrap">${name}</th><td data-label="Released">${renderTime(version.released_at)}</td><td data-label="Status">${toSentenceCase(version.status)}</td><td data-label="Outcome">${outcomeWords[version.outcome]}</td><td data-label="Reason of the lab">${version.reason === null ? '–' : markup`<bdi>${version.reason}</bdi>`}</td><td data-label="Differences">${compare ?? '–'}</td></tr>`;
  });
  return markup`<section class="card flush" aria-labelledby="versions"><div class="card-head"><h2 id="versions">Versions</h2><p class="hint">Each stays readable at its own address.</p></div><div class="scroll" role="region" aria-label="Table of versions" tabindex="0"><table class="folding"><thead><tr><th scope="col">Version</th><th scope="col">Released</th><th scope="col">Status</th><th scope="col">Outcome</th><th scope="col">Reason of the lab</th><th scope="col">Differences</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

export type Changes = Output<typeof diffResults>;

const CHANGES_SHOWN = 60;
/** Rows and replicates repeat what the members of the result say, so they are folded. */
const DETAIL = /^(summary|details)\./;

/** Differences below the digits that people read are counted, not listed. */
export function renderChanges(found: Changes): Markup {
  const { changes, against_version: against } = found;
  const visibleChanges = changes.filter(({ before, after }) => formatValue(before) !== formatValue(after));
  const main = visibleChanges.filter(({ path }) => !DETAIL.test(path)).slice(0, CHANGES_SHOWN);
  const details = visibleChanges.filter(({ path }) => DETAIL.test(path)).slice(0, CHANGES_SHOWN);
  const rest = changes.length - main.length - details.length;
  return markup`<section class="card flush changed" aria-labelledby="changes"><div class="card-head"><h2 id="changes">Beside version ${against}</h2><p class="hint">${formatCount(changes.length, 'difference')}</p></div>
${main.length === 0 ? markup`<p class="muted flush-hint">The values of both versions are the same to four digits.</p>` : renderChangeTable(found, main, 'Differences')}
${details.length > 0 && markup`<details class="flush-hint"><summary>${formatCount(details.length, 'difference')} of rows and replicates</summary>${renderChangeTable(found, details, 'Differences of rows and replicates')}</details>`}
${rest > 0 && markup`<p class="hint flush-hint">${formatCount(rest, 'other difference')}, most of them below four digits; the API lists all.</p>`}</section>`;
}

function renderChangeTable(
  { version, against_version: against }: Changes,
  changes: Changes['changes'],
  label: string,
): Markup {
  const rows = changes.map(
    ({ path, before, after }) =>
      markup`<tr><th scope="row" class="mono">${path}</th><td data-label="Version ${against}"><span>${formatValue(before)}</span></td><td data-label="Version ${version}"><strong>${formatValue(after)}</strong></td></tr>`,
  );
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="folding"><thead><tr><th scope="col">What</th><th scope="col">Version ${against}</th><th scope="col">Version ${version}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Numbers from this size on have no power of ten. */
const PLAIN_MIN = 1e-3;
const PLAIN_MAX = 1e6;
/** A whole member is cut here. */
const TEXT_MAX = 120;

function formatValue(value: unknown): string {
  if (value === undefined) return '–';
  if (typeof value !== 'number') {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
    return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  }
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX);
  const rounded = Number(value.toPrecision(4));
  return isPlain ? writeMinusSigns(String(rounded)) : formatWholePower(rounded);
}
