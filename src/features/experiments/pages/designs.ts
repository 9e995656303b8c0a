/** The designs of an order as a table: chains, length, and what is worth pointing out of each. */
import { formatCount } from '#core/words.ts';
import { runInSlices } from '#core/slices.ts';
import { nameBox } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPager } from '#ui/pieces.ts';
import { findQualityWarnings } from '../../sequences/check-sequences.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from '../../sequences/quality.ts';
import { countResidues, isAntibody } from '../../sequences/rules.ts';
import { describeWarnings } from '../../sequences/warnings.ts';
import type { WrittenSequence } from '../../sequences/write-sequences.ts';
import type { ExpInfo } from '../contract.ts';
import { CONTROL_BOX, FORM_ROWS_MAX, OUT_BOX, type FormDesign, type FormDesigns } from './read-designs.ts';

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
    return markup`<tr><th scope="row"><bdi>${name}</bdi>${control && markup` <span class="chip idle">Control</span>`}</th><td class="number">${renderChains(aaString.split(':').map((chain) => chain.length))}</td><td class="number">${countResidues(aaString)}</td><td>${renderChecks(checks) ?? NO_CHECKS}</td></tr>`;
  });
  return markup`<div class="scroll" role="region" aria-label="Table of the sequences" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col" class="number">Chains</th><th scope="col" class="number">Length</th><th scope="col">Checks</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const NO_CHECKS = markup`<span class="muted">–</span>`;

/** The number of chains, and of several the length of each. */
function renderChains(lengths: readonly number[]): Markup {
  return lengths.length === 1
    ? markup`1`
    : markup`${lengths.length}<span class="sub">${lengths.join(' + ')}</span>`;
}

/** The names of the checks; their sentences unfold. */
function renderChecks(checks: readonly { readonly code: string; readonly message: string }[]): Markup | null {
  if (checks.length === 0) return null;
  const names = checks.map(
    ({ code }) => Object.entries(CHECKS).find(([known]) => known === code)?.[1] ?? code,
  );
  return markup`<details class="checks"><summary>${names.join(', ')}</summary><ul>${checks.map(({ message }) => markup`<li>${message}</li>`)}</ul></details>`;
}

/** Renders the designs of the order form, each with boxes that mark it as a control or leave it out. */
export function renderFormDesigns({ designs, warnings, notes, files }: FormDesigns): Markup | null {
  if (designs.length === 0) return null;
  const left = designs.filter(({ isOut }) => !isOut);
  const kept = left.filter(({ valid }) => valid);
  const count = (what: string, number: number): string => (number === 0 ? '' : `, ${number} ${what}`);
  const counts = [
    formatCount(kept.length, 'design') + ' to order',
    count('of them controls', kept.filter(({ control }) => control).length),
    count('left out', designs.length - left.length),
    count('with a problem', left.length - kept.length),
    count('ordered before', kept.filter(({ earlier }) => earlier.length > 0).length),
  ];
  const summary = counts.join('');
  const more = designs.length - FORM_ROWS_MAX;
  return markup`<div class="stack form-designs"><p class="hint" role="status"><strong>${summary}.</strong></p>
${notes.length > 0 && markup`<ul class="hint notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`}
${files.flatMap(({ name, columns }) => renderColumns(name, columns))}
${warnings.length > 0 && markup`<details class="checks"><summary>${formatCount(warnings.length, 'check')} found something, none of which stops you</summary><ul>${warnings.map((warning) => markup`<li>${warning}</li>`)}</ul></details>`}
<div class="scroll" role="region" aria-label="Designs" tabindex="0"><table class="lines"><thead><tr><th scope="col">Name</th><th scope="col" class="number">Chains</th><th scope="col" class="number">Length</th><th scope="col">Checks</th><th scope="col">Control</th><th scope="col">Leave out</th></tr></thead><tbody>${designs.slice(0, FORM_ROWS_MAX).map(renderFormDesign)}</tbody></table></div>
${more > 0 && markup`<p class="hint">and ${formatCount(more, 'design')} more, which are ordered as well. A column “control” of the text marks controls there.</p>`}</div>`;
}

/** Says which columns of a table were taken, where their headers are not ours. */
function renderColumns(file: string, columns: Readonly<Record<string, string>>): Markup[] {
  const mapped = Object.entries(columns).filter(([role, header]) => role !== header.toLowerCase());
  if (mapped.length === 0 || file === 'Text') return [];
  return [
    markup`<p class="hint"><bdi>${file}</bdi>: ${mapped.map(([role, header]) => `${role} is the column “${header}”`).join(', ')}.</p>`,
  ];
}

function renderFormDesign({
  name,
  valid,
  isOut,
  control,
  chain_lengths: chains,
  length,
  checks,
  earlier,
}: FormDesign): Markup {
  const renderBox = (field: string, label: string, isTicked: boolean): Markup =>
    markup`<td class="box"><label><input type="checkbox" name="${nameBox(field, name)}" value="yes" aria-label="${label}: ${name}"${isTicked && markup` checked`}></label></td>`;
  const before = earlier.map(
    ({ experiment_code: code }) =>
      markup`<span class="sub">ordered before in <a href="/experiments/${code}">${code}</a></span>`,
  );
  const found = renderChecks(checks.map(({ rule, message }) => ({ code: rule, message })));
  const problem = !valid && markup`<strong class="problem">cannot be ordered</strong>`;
  return markup`<tr${isOut && markup` class="left-out"`}><th scope="row"><bdi>${name}</bdi></th><td class="number">${renderChains(chains)}</td><td class="number">${length}</td><td>${problem}${found}${before}${!problem && found === null && before.length === 0 && NO_CHECKS}</td>${renderBox(CONTROL_BOX, 'Control', control)}${renderBox(OUT_BOX, 'Leave out', isOut)}</tr>`;
}
