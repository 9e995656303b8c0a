/**
 * What affinity and screening show alike: the headline of a result, its replicates, its sensorgrams.
 * This folder: what affinity and screening share on the pages. Not here: values.
 */
import { bindingRow } from '#domain/assays/binding/row.ts';
import type { AffinityReplicate } from '#domain/results/contract.ts';
import { markup, type Markup } from '../../markup.ts';
import { concentrationText, kdReading, scientific, sentenceCase } from '../../words.ts';
import { bounded, fixed, flagCell, number, replicateSection, type Item } from '../cells.ts';
import type { AssayView } from '../page-assay.ts';

export const bindingView: Pick<AssayView, 'headline' | 'replicates' | 'plotTitle' | 'plotHint'> = {
  headline: ({ quantities }) => {
    const reading = kdReading(quantities.kd);
    return reading === null ? null : { label: markup`K<sub>D</sub>`, reading };
  },
  replicates,
  plotTitle: 'Sensorgrams',
  plotHint: 'Measured curves with fit; residuals below.',
};

function replicates(item: Item): Markup | null {
  const measured = bindingRow(item)?.replicates ?? [];
  const isKinetic = measured.some(({ kd }) => typeof kd === 'number');
  const head = isKinetic
    ? markup`<th scope="col">K<sub>D</sub></th><th scope="col">k<sub>on</sub></th><th scope="col">k<sub>off</sub></th><th scope="col" class="number">R²</th><th scope="col">Fit</th>`
    : markup`<th scope="col" class="number">z score</th><th scope="col" class="number">Threshold</th>`;
  const rows = measured.map(
    (each) =>
      markup`<tr><th scope="row">${each.replicate}</th><td>${sentenceCase(each.outcome ?? each.binding ?? '–')}</td>${isKinetic ? kineticCells(each) : markup`<td class="number">${number(each.z_score)}</td><td class="number">${number(each.threshold)}</td>`}<td class="number">${number(each.response)}</td><td>${sentenceCase(each.expression ?? '–')}</td><td>${flagCell(each.flags)}</td></tr>`,
  );
  return replicateSection(
    markup`<th scope="col">Outcome</th>${head}<th scope="col" class="number">Response</th><th scope="col">Expression</th>`,
    rows,
  );
}

function kineticCells({
  kd,
  kd_relation: relation,
  kon,
  koff,
  r2,
  fit_quality: fit,
}: AffinityReplicate): Markup {
  return markup`<td class="nowrap">${bounded(kd, relation, concentrationText)}</td><td class="nowrap">${typeof kon === 'number' ? `${scientific(kon)} M⁻¹s⁻¹` : '–'}</td><td class="nowrap">${typeof koff === 'number' ? `${scientific(koff)} s⁻¹` : '–'}</td><td class="number">${fixed(r2, 4)}</td><td>${sentenceCase(fit ?? '–')}</td>`;
}
