/** What affinity and screening show alike: the headline of a result, its replicates, its sensorgrams. */
import { findBindingRow, findResponseUnit } from './row.ts';
import type { AffinityReplicate } from '#features/results/contract.ts';
import { formatSignalValue } from '#features/results/words/quantities.ts';
import { formatRate } from '#documents/rates.ts';
import { formatReplicateKd } from './replicate-kd.ts';
import { isOutcome } from '#features/results/words/outcomes.ts';
import { describeDetectable } from '#features/results/words/results.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { formatScientific, toSentenceCase } from '#ui/words.ts';
import { outcomeWords, toKdReading } from '#features/results/pages/readings.ts';
import {
  formatBounded,
  formatFixed,
  formatHeadUnit,
  renderFlagCell,
  formatNumber,
  renderReplicateSection,
  type Item,
  type AssayView,
} from '../cells.ts';
import { describeDoubt, type Doubt } from './candidates.ts';

export const bindingView: Pick<
  AssayView,
  'getHeadline' | 'renderReplicates' | 'plotTitle' | 'picturesTitle' | 'isReadWhole' | 'getPlotHint'
> = {
  getHeadline: (item) => {
    const doubt = findDoubt(item);
    if (doubt !== undefined)
      return {
        label: markup`K<sub>D</sub> in doubt`,
        readings: doubt.candidates.map(({ kd, name, isUsed }) => ({
          value: `≈ ${kd}`,
          interval: null,
          by: `by ${name}${isUsed ? ' (fitted)' : ''}`,
        })),
      };
    const reading = toKdReading(item.quantities.kd);
    if (reading !== null) return { label: markup`K<sub>D</sub>`, readings: [reading] };
    const detectable =
      item.outcome === 'non_binder' ? describeDetectable(findBindingRow(item) ?? {}) : undefined;
    return detectable === undefined
      ? null
      : { label: markup`No binding:`, readings: [{ value: detectable, interval: null }] };
  },
  renderReplicates: renderReplicates,
  plotTitle: 'Sensorgrams',
  picturesTitle: 'Sensorgrams',
  isReadWhole: true,
  getPlotHint: (item) =>
    (findBindingRow(item)?.replicates ?? []).some(({ model }) => typeof model === 'string')
      ? 'Measured curves with fit, residuals and parameters of each replicate.'
      : 'Measured curves, without a fit.',
};

/** The candidates of a measured result whose model is in doubt. */
export function findDoubt({ outcome, qc, details, ...item }: Item): Doubt | undefined {
  if (outcome !== 'measured') return undefined;
  const { replicates = [] } = findBindingRow(item) ?? {};
  return describeDoubt({ flags: qc.flags, replicates, details: details ?? null });
}

function renderReplicates(item: Item): Markup | null {
  const measured = findBindingRow(item)?.replicates ?? [];
  const unit = findResponseUnit(item);
  const isKinetic = measured.some(({ kd }) => typeof kd === 'number');
  // An empty column would push the flags out of sight.
  const hasScore = measured.some(({ z_score: score }) => typeof score === 'number');
  const head = isKinetic
    ? markup`<th scope="col">K<sub>D</sub></th><th scope="col">k<sub>on</sub> (1/(M·s))</th><th scope="col">k<sub>off</sub> (1/s)</th><th scope="col" class="number">R<sub>max</sub>${formatHeadUnit(item.quantities.rmax?.unit)}</th><th scope="col" class="number">χ²</th><th scope="col" class="number">R²</th><th scope="col">Fit</th>`
    : hasScore &&
      markup`<th scope="col" class="number">z score</th><th scope="col" class="number">Threshold${formatHeadUnit(unit)}</th>`;
  const hasExpression = measured.some(({ expression }) => typeof expression === 'string');
  const rows = measured.map(
    (each) =>
      markup`<tr><th scope="row">${each.replicate}</th><td>${formatOutcome(each)}</td>${isKinetic ? renderKineticCells(each) : hasScore && markup`<td class="number">${formatNumber(each.z_score)}</td><td class="number">${formatSignal(each.threshold)}</td>`}<td class="number">${formatSignal(each.response)}</td>${hasExpression && markup`<td>${toSentenceCase(each.expression ?? '–')}</td>`}<td>${renderFlagCell(each.flags)}</td></tr>`,
  );
  return renderReplicateSection(
    markup`<th scope="col">Outcome</th>${head}<th scope="col" class="number">Response${formatHeadUnit(unit)}</th>${hasExpression && markup`<th scope="col">Expression</th>`}`,
    rows,
  );
}

function formatOutcome({ outcome, binding }: AffinityReplicate): string {
  const said = outcome ?? binding ?? '–';
  return isOutcome(said) ? outcomeWords[said] : toSentenceCase(said);
}

const formatSignal = (value: number | null | undefined): string =>
  typeof value === 'number' ? formatSignalValue(value) : '–';

function renderKineticCells(each: AffinityReplicate): Markup {
  const { kon, koff, rmax, chi2, r2, fit_quality: fit } = each;
  return markup`<td class="nowrap">${formatReplicateKd(each)?.signed ?? '–'}</td><td class="nowrap">${formatBounded(kon, each.kon_relation, formatRate)}</td><td class="nowrap">${formatBounded(koff, each.koff_relation, formatRate)}</td><td class="number nowrap">${formatBounded(rmax, each.rmax_relation, formatSignalValue)}</td><td class="number nowrap">${typeof chi2 === 'number' ? formatScientific(chi2) : '–'}</td><td class="number">${formatFixed(r2, 4)}</td><td>${toSentenceCase(fit ?? '–')}</td>`;
}
