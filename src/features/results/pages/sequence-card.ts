/** The sequence behind a result: its chains with places, to be copied, and what differs from another of the order. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { getExperiment } from '../../experiments/contract.ts';
import {
  compareSequences,
  computeIdentity,
  findClosest,
  type ChainComparison,
  type Difference,
} from '../../sequences/align.ts';

interface NamedSequence {
  readonly name: string;
  readonly aa_string: string;
  readonly isControl: boolean;
}

type Spec = Output<typeof getExperiment>['experiment_spec'];

/** Lists the sequences of an order with their amino acids. */
export function listOrdered({ sequences = {} }: Pick<Spec, 'sequences'>): NamedSequence[] {
  return Object.entries(sequences).map(([name, value]) =>
    typeof value === 'string'
      ? { name, aa_string: value, isControl: false }
      : { name, aa_string: value.aa_string, isControl: value.control === true },
  );
}

/** A control less like it than this is another protein. */
const CONTROL_IDENTITY_MIN = 0.5;
const CONTROLS_ALIGNED_MAX = 8;

/**
 * Chooses what a sequence is shown beside: the one that was asked for, otherwise a control that resembles it, otherwise
 * the closest of the order, which is the parent of most libraries.
 */
function chooseReference(
  own: NamedSequence,
  others: readonly NamedSequence[],
  asked: string,
): NamedSequence | undefined {
  if (asked !== '') return others.find(({ name }) => name === asked);
  const [control] = others
    .filter(({ isControl }) => isControl)
    .slice(0, CONTROLS_ALIGNED_MAX)
    .map((other) => ({ other, identity: computeIdentity(own.aa_string, other.aa_string) }))
    .filter(({ identity }) => identity >= CONTROL_IDENTITY_MIN)
    .toSorted((a, b) => b.identity - a.identity);
  return control?.other ?? findClosest(own.aa_string, others);
}

/** So many choices fit a list that people scroll. */
const CHOICES_MAX = 200;
const DIFFERENCES_MAX = 60;

interface Shown {
  readonly path: string;
  /** What the address says beside the choice of this card. */
  readonly kept?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly ordered: readonly NamedSequence[];
  /** The name that the address asks for; empty for none. */
  readonly beside: string;
}

/** Nothing for a sample that the order does not have, such as a control of the lab. */
export function renderSequenceCard({ path, kept = {}, name, ordered, beside }: Shown): Markup | null {
  const own = ordered.find((sequence) => sequence.name === name);
  if (own === undefined) return null;
  const others = ordered.filter((sequence) => sequence !== own);
  const reference = chooseReference(own, others, beside);
  const chains = compareSequences(own.aa_string, reference?.aa_string ?? own.aa_string);
  const residues = chains.reduce((sum, chain) => sum + chain.own.length, 0);
  const size = `${formatCount(residues, 'residue')}${chains.length > 1 ? ` in ${chains.length} chains` : ''}`;
  const whole =
    chains.length > 1 &&
    markup`<code id="chains" hidden>${own.aa_string}</code><button type="button" class="quiet" data-copy="chains" hidden>Copy all chains</button>`;
  return markup`<section class="card sequence" aria-labelledby="sequence"><div class="card-head"><h2 id="sequence">Sequence</h2><p class="hint">${size}</p></div>
${chains.map((chain, index) => renderChain(chain, index, chains.length))}
<p class="copies">${whole}<span class="hint" role="status" data-copied></span></p>
${reference !== undefined && renderDifferences(own, reference, chains)}
${others.length > 0 && renderChoice({ path, kept }, others, reference)}</section>`;
}

function renderChain({ own, differences }: ChainComparison, index: number, count: number): Markup {
  const id = `chain-${index + 1}`;
  const changed = new Map(differences.filter(({ own: mine }) => mine !== '').map((each) => [each.at, each]));
  const title = count > 1 && markup`<h3>Chain ${index + 1} <span class="muted">${own.length}</span></h3>`;
  const tens: Part[] = [];
  for (let from = 0; from < own.length; from += TEN) tens.push(renderTen(own, from, changed));
  return markup`<div class="chain"><div class="chain-head">${title}<button type="button" class="quiet" data-copy="${id}" hidden>${count > 1 ? `Copy chain ${index + 1}` : 'Copy the sequence'}</button></div>
<p class="residues" id="${id}">${tens}</p></div>`;
}

const TEN = 10;

/** Ten residues; the place of the last of ten is drawn by the style, so that the text is the sequence alone. */
function renderTen(chain: string, from: number, changed: ReadonlyMap<number, Difference>): Markup {
  const letters = chain.slice(from, from + TEN);
  const parts = Array.from(letters, (letter, index): Part => {
    const difference = changed.get(from + index + 1);
    if (difference === undefined) return letter;
    return markup`<mark title="${describeDifference(difference)}">${letter}</mark>`;
  });
  const place = letters.length === TEN ? markup` data-at="${from + TEN}"` : null;
  return markup`<span class="ten"${place}>${parts}</span>`;
}

/** In the notation of the field: the residue of the other, the place in this one, its own residue. */
function describeDifference({ kind, at, otherAt, own, other }: Difference): string {
  if (kind === 'exchange') return `${other}${at}${own}`;
  return kind === 'insertion' ? `${own}${at} inserted` : `${other}${otherAt} deleted`;
}

function renderDifferences(
  own: NamedSequence,
  reference: NamedSequence,
  chains: readonly ChainComparison[],
): Markup {
  const all = chains.flatMap(({ differences }, index) =>
    differences.map((difference) =>
      chains.length > 1
        ? `chain ${index + 1}: ${describeDifference(difference)}`
        : describeDifference(difference),
    ),
  );
  const name = markup`<bdi>${reference.name}</bdi>${reference.isControl && ', a control'}`;
  if (all.length === 0) return markup`<p><strong>The same amino acids as</strong> ${name}.</p>`;
  const percent = (100 * computeIdentity(own.aa_string, reference.aa_string)).toFixed(0);
  const listed =
    all.length > DIFFERENCES_MAX
      ? markup`<p class="hint">Too many to list; the residues above are marked.</p>`
      : markup`<ul class="differences">${all.map((text) => markup`<li>${text}</li>`)}</ul>`;
  return markup`<p><strong>${formatCount(all.length, 'difference')}</strong> from ${name} <span class="muted">(${percent} % identical)</span></p>${listed}`;
}

function renderChoice(
  { path, kept }: Required<Pick<Shown, 'path' | 'kept'>>,
  others: readonly NamedSequence[],
  reference: NamedSequence | undefined,
): Markup {
  const sorted = others.toSorted((a, b) => Number(b.isControl) - Number(a.isControl)).slice(0, CHOICES_MAX);
  const listed =
    reference === undefined || sorted.includes(reference) ? sorted : [reference, ...sorted.slice(1)];
  const options = listed.map(
    (other) =>
      markup`<option value="${other.name}"${other === reference && markup` selected`}>${other.name}${other.isControl && ' (control)'}</option>`,
  );
  return markup`<form class="filters" method="get" action="${path}#sequence">${Object.entries(kept).map(([name, value]) => value !== '' && markup`<input type="hidden" name="${name}" value="${value}">`)}<label for="beside">Differences from <select id="beside" name="beside">${reference === undefined && markup`<option value="">Choose a sequence</option>`}${options}</select></label><button class="quiet">Show</button></form>`;
}
