/** The designs of an order as a table: chains, length, and what is worth pointing out of each. */
import { formatCount } from '#core/words.ts';
import { runInSlices } from '#core/slices.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPager } from '#ui/pieces.ts';
import { findQualityWarnings } from '../../sequences/check-sequences.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from '../../sequences/quality.ts';
import { countResidues, isAntibody } from '../../sequences/rules.ts';
import { describeWarnings } from '../../sequences/warnings.ts';
import type { WrittenSequence } from '../../sequences/write-sequences.ts';
import type { ExpInfo } from '../contract.ts';

/** Rows on one page, so that a large library opens as quickly as a small one. */
const ROWS_MAX = 100;

/** Names of the checks, short enough for a cell. */
const CHECKS: Readonly<Record<SequenceWarning['code'], string>> = {
  chain_short: 'short chain',
  chain_long: 'long chain',
  total_long: 'long',
  cysteine_odd: 'odd cysteines',
  cysteine_many: 'many cysteines',
  glycosylation_motif: 'glycosylation motif',
  hydrophobic: 'hydrophobic',
  highly_charged: 'highly charged',
  homopolymer: 'homopolymer',
  start_missing: 'no start',
  signal_peptide: 'signal peptide',
  internal_tag: 'tag inside',
  low_complexity: 'low complexity',
  absorbance_blind: 'no W or Y',
  labile_motif: 'labile motif',
  duplicate_sequence: 'duplicate',
};

/** Lists the sequences of an experiment in their order, with what was ordered of each. */
export function listOrdered({ sequences, experiment_spec: spec }: ExpInfo): WrittenSequence[] {
  const values = new Map(Object.entries(spec.sequences ?? {}));
  return sequences.map(({ name, fasta }) => {
    const value = values.get(name) ?? fasta.slice(fasta.indexOf('\n') + 1);
    if (typeof value === 'string') return { name, aa_string: value, control: false, metadata: null };
    return {
      name,
      aa_string: value.aa_string,
      control: value.control ?? false,
      metadata: value.metadata ?? null,
    };
  });
}

/** Renders the sequences of an experiment, beginning with the one at `offset`. */
export async function renderOrderedCard(experiment: ExpInfo, offset: number): Promise<Markup> {
  const designs = listOrdered(experiment);
  const path = `/experiments/${experiment.code}`;
  const from = offset > 0 && offset < designs.length ? Math.floor(offset) : 0;
  const shown = designs.slice(from, from + ROWS_MAX);
  const pager = renderPager(
    path,
    {},
    { offset: from, count: shown.length, total: designs.length },
    ROWS_MAX,
    'sequence',
  );
  return markup`<section class="card flush designs" aria-labelledby="designs"><div class="card-head"><h2 id="designs">Sequences</h2><a href="${path}/sequences.fasta" download>FASTA</a></div>
${await renderGroupedChecks(designs)}
${await renderDesigns(designs, shown)}
${pager}</section>`;
}

/** One sentence for each check that found something in some of the designs. */
async function renderGroupedChecks(designs: readonly WrittenSequence[]): Promise<Markup> {
  const inspected = designs.map(({ name, aa_string: aaString, metadata }) => ({ name, aaString, metadata }));
  const { warnings } = describeWarnings(await runInSlices(findQualityWarnings(inspected)));
  if (warnings.length === 0)
    return markup`<p class="hint checks-said">${formatCount(designs.length, 'sequence')} checked; there is nothing to point out.</p>`;
  return markup`<details class="checks-said"><summary>${formatCount(warnings.length, 'check')} found something</summary><ul>${warnings.map((warning) => markup`<li>${warning}</li>`)}</ul><p class="hint">None of them stops the order.</p></details>`;
}

/** Renders some of the designs; duplicates are searched in all. */
async function renderDesigns(
  designs: readonly WrittenSequence[],
  shown: readonly WrittenSequence[],
): Promise<Markup> {
  const named = designs.map(({ name, aa_string: aaString }) => ({ name, aaString }));
  const duplicates = Map.groupBy(await runInSlices(duplicateWarnings(named)), ({ sequence }) => sequence);
  const rows = shown.map((design) => {
    const { name, aa_string: aaString, control, metadata } = design;
    const checks = [
      ...findSequenceWarnings(name, aaString, { antibody: isAntibody(metadata) }),
      ...(duplicates.get(name) ?? []),
    ];
    return markup`<tr><th scope="row"><bdi>${name}</bdi>${control && markup` <span class="chip idle">Control</span>`}</th><td class="number">${renderChains(aaString)}</td><td class="number">${countResidues(aaString)}</td><td>${renderChecks(checks)}</td></tr>`;
  });
  return markup`<div class="scroll" role="region" aria-label="Sequences" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col" class="number">Chains</th><th scope="col" class="number">Length</th><th scope="col">Checks</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The number of chains, and of several the length of each. */
function renderChains(aaString: string): Markup {
  const lengths = aaString.split(':').map((chain) => chain.length);
  return lengths.length === 1
    ? markup`1`
    : markup`${lengths.length}<span class="sub">${lengths.join(' + ')}</span>`;
}

/** The names of the checks; their sentences unfold. */
function renderChecks(checks: readonly SequenceWarning[]): Markup {
  if (checks.length === 0) return markup`<span class="muted">–</span>`;
  return markup`<details class="checks"><summary>${checks.map(({ code }) => CHECKS[code]).join(', ')}</summary><ul>${checks.map(({ message }) => markup`<li>${message}</li>`)}</ul></details>`;
}
