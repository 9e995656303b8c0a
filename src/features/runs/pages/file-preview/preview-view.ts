/** What raw files hold, as the parsers of the analysis read them, compared with the order. */
import { renderNames } from '../raw-files.ts';
import { formatCount } from '#core/words.ts';
import { writeMinusSigns, formatConcentration } from '#core/number-words.ts';
import type { Output } from '#core/operation.ts';
import type { previewRawFiles } from '../../raw-files/preview-contract.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';

export type Preview = Output<typeof previewRawFiles>;
type PlateSet = Preview['sets'][number];
type Well = PlateSet['wells'][number];

const TONES = { error: 'attention', warning: 'warn', info: 'plain' } as const;
const WELLS_SHOWN = 200;
/** A longer list of wells is folded. */
const OPEN_MAX = 16;

type Names = 'samples_not_ordered' | 'sequences_missing';
/** What is shown of an order or of a stored run, whose problems name such samples. */
type Shown = Pick<Preview, 'files' | 'sets' | 'problems' | 'is_analyzable'> & Partial<Pick<Preview, Names>>;

interface PreviewPlace {
  /** Says whether the files are in the run already. */
  readonly title: string;
  /** Names the section; a page may show two previews. */
  readonly id?: string;
  /** What the files are held against; the order unless stated. */
  readonly against?: 'order' | 'plan';
  /** What the files hold of each order. */
  readonly shares?: Part;
}

export function renderPreview(
  preview: Shown,
  { title, id = 'preview', against = 'order', shares = null }: PreviewPlace,
): Markup {
  const { files, sets, is_analyzable: isAnalyzable } = preview;
  // What is wrong with a file stands beside its name.
  const problems = preview.problems.filter(
    ({ message }) => !files.some(({ problem }) => problem === message),
  );
  const units = sets.map(
    (set, index) =>
      markup`<details${sets.length === 1 && set.n_wells <= OPEN_MAX && markup` open`}><summary>${describeSet(set, index)}</summary>${renderSet(set)}</details>`,
  );
  return markup`<section class="card stack preview" id="${id}" aria-labelledby="${id}-title"><div class="card-head"><h2 id="${id}-title">${title}</h2><span class="chip ${isAnalyzable ? 'good' : 'attention'}">${isAnalyzable ? 'Can be analyzed' : 'Cannot be analyzed'}</span></div>
<ul class="rows">${files.map(renderFile)}</ul>
${preview.problems.length === 0 ? markup`<p class="note">The files and the ${against} match.</p>` : problems.length > 0 && markup`<ul class="flag-list">${problems.map(({ severity, message }) => markup`<li class="${TONES[severity]}"><span>${message}</span></li>`)}</ul>`}
${renderMatches(preview)}${shares}
${units}</section>`;
}

function renderFile({
  name,
  size_bytes: bytes,
  formats,
  version,
  problem,
}: Preview['files'][number]): Markup {
  const size = `${Math.max(1, Math.round(bytes / 1_000)).toLocaleString('en-US')} kB`;
  return markup`<li><div><strong><bdi>${name}</bdi></strong><p class="hint">${size} · version ${version}${formats.length > 0 && ` · ${formats.join(', ')}`}</p>${problem !== null && markup`<p class="problem">${problem}</p>`}</div></li>`;
}

function renderMatches({
  samples_not_ordered: foreign = [],
  sequences_missing: missing = [],
}: Shown): Markup | null {
  if (foreign.length === 0 && missing.length === 0) return null;
  return markup`<dl class="facts">${missing.length > 0 && markup`<div><dt>Sequences without data</dt><dd>${renderNames(missing)}</dd></div>`}${foreign.length > 0 && markup`<div><dt>Samples that nobody ordered</dt><dd>${renderNames(foreign)}</dd></div>`}</dl>`;
}

function describeSet(set: PlateSet, index: number): string {
  return `${set.plate ?? `Plate ${index + 1}`}: ${formatCount(set.n_wells, set.kind === 'traces' ? 'trace' : 'well')}, ${set.format}`;
}

function renderSet(set: PlateSet): Markup {
  const facts = [set.instrument, set.technique?.toUpperCase(), set.signal_unit].filter(
    (fact) => fact !== null && fact !== undefined,
  );
  const rows = set.wells.slice(0, WELLS_SHOWN).map((well) => renderWell(well, set));
  const more = set.n_wells - rows.length;
  return markup`${facts.length > 0 && markup`<p class="hint">${facts.join(' · ')}</p>`}${set.notices.map((notice) => markup`<p class="hint">${notice}</p>`)}
<div class="scroll" role="region" aria-label="Wells of ${set.plate ?? set.format}" tabindex="0"><table class="folding"><thead><tr><th scope="col">Well</th><th scope="col">Role</th><th scope="col">Sample</th><th scope="col">Replicate</th><th scope="col">Steps</th></tr></thead><tbody>${rows}</tbody></table></div>${more > 0 && markup`<p class="hint">and ${more.toLocaleString('en-US')} more</p>`}`;
}

function renderWell(well: Well, { axis_unit: unit }: PlateSet): Markup {
  const {
    id,
    well: position,
    role,
    sample,
    matched_sequence: matched,
    is_mapped: isMapped,
    concentration_m: molar,
  } = well;
  const isForeign = role === 'sample' && matched === null;
  const steps = well.parts.map(({ name, from, to, gap }) => {
    const span = from === null || to === null ? '' : ` ${round(from)}–${round(to)} ${unit ?? ''}`;
    return markup`<span class="step">${name}${span}${gap !== null && markup` <strong class="gap">gap of ${round(gap)} ${unit ?? ''}</strong>`}</span>`;
  });
  const dose = molar === null || molar === 0 ? '' : ` at ${formatConcentration(molar)}`;
  return markup`<tr><th scope="row"><span class="nowrap">${position ?? id}</span>${position !== null && position !== id && markup`<span class="sub mono">${id}</span>`}</th><td data-label="Role"><span>${toSentenceCase(role)}${isMapped && markup`<span class="sub">by hand</span>`}</span></td>
<td data-label="Sample"><span><bdi>${sample === '' ? '–' : sample}</bdi>${dose}${isForeign && markup`<span class="sub gap">not ordered</span>`}</span></td><td data-label="Replicate"><span>${well.replicate}</span></td><td data-label="Steps"><span class="steps">${steps}</span></td></tr>`;
}

function round(value: number): string {
  return writeMinusSigns(String(Number(value.toPrecision(4))));
}
