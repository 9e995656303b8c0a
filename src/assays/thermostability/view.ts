import { formatRelation } from '#core/relations.ts';
import { type ThermostabilityResult, findThermostabilityRow } from './row.ts';
import { describeWithoutTm, isTmMissing } from './without-tm.ts';
import { markup } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import {
  defineQuantityColumn,
  MUTED,
  toReading,
  formatFixed,
  formatBounded,
  formatDifference,
  formatQuantityNumber,
  renderReplicateTable,
  renderReplicateRow,
  type Item,
  type AssayView,
} from '../cells.ts';

/** Quantities of the transitions above the first. */
const LATER = ['tm_2', 'tm_3'] as const;

/** `50.1 (49.8–50.4)` for each transition of a replicate; a result of an earlier engine has only their temperatures. */
function listTransitions({
  transitions,
  tm_all: all = [],
}: ThermostabilityResult['replicates'][number]): string[] {
  if (transitions === undefined) return all.map((tm) => formatFixed(tm, 1));
  return transitions.map(({ tm, tm_relation: relation, tm_interval: interval }) => {
    const value = `${formatRelation(relation)}${formatFixed(tm, 1)}`;
    const { ci_low: low, ci_high: high } = interval ?? {};
    const isKnown = typeof low === 'number' && typeof high === 'number';
    return isKnown ? `${value} (${formatFixed(low, 1)}–${formatFixed(high, 1)})` : value;
  });
}

const formatCelsius = (value: number | null | undefined, relation: string | null | undefined) =>
  formatBounded(value, relation, (celsius) => formatFixed(celsius, 1));

const readRow = (item: Item) => ({ ...findThermostabilityRow(item), flags: item.qc.flags });

export const thermostabilityView: AssayView = {
  listColumns: () => [
    defineQuantityColumn('tm', {
      label: 'Tm (95% CI)',
      head: markup`T<sub>m</sub> (95% CI)`,
      isLargeFirst: true,
      render: (item) => {
        const tm = toReading(item.quantities.tm, 1);
        return tm === null ? MUTED : renderReading(tm);
      },
    }),
    defineQuantityColumn('delta_tm_vs_control', {
      label: 'ΔTm (°C)',
      head: markup`ΔT<sub>m</sub> (°C)`,
      className: 'number',
      isLargeFirst: true,
      render: (item) => formatDifference(item.quantities.delta_tm_vs_control),
    }),
    defineQuantityColumn('tonset', {
      label: 'Onset (°C)',
      className: 'number wide-only',
      isLargeFirst: true,
      render: (item) => formatQuantityNumber(item.quantities.tonset),
    }),
  ],
  describeMeasured: (item) => {
    const words = describeWithoutTm(readRow(item));
    return words === undefined ? undefined : toSentenceCase(words);
  },
  isUnanswered: (item) => isTmMissing(readRow(item)),
  getHeadline: (item) => {
    const reading = toReading(item.quantities.tm, 1);
    if (reading === null) return null;
    const { length: count } = findThermostabilityRow(item)?.tm_all ?? [];
    const later = LATER.flatMap((name) => toReading(item.quantities[name], 1) ?? []);
    const isSaid = later.length === count - 1;
    const few = isSaid ? `Tm of ${count} transitions` : `Tm, first of ${count} transitions`;
    return { label: count > 1 ? few : 'Tm', readings: isSaid ? [reading, ...later] : [reading] };
  },
  renderReplicates: (item) =>
    renderReplicateTable(
      markup`<th scope="col" class="number">T<sub>m</sub> (°C)</th><th scope="col" class="number">Onset (°C)</th><th scope="col" class="number">ΔH (kcal/mol)</th><th scope="col" class="number">R²</th><th scope="col">Transitions (°C)</th>`,
      (findThermostabilityRow(item)?.replicates ?? []).map((each) =>
        renderReplicateRow(
          each,
          markup`<td class="number nowrap">${formatCelsius(each.tm, each.tm_relation)}</td><td class="number nowrap">${formatCelsius(each.tonset, each.tonset_relation)}</td><td class="number nowrap">${formatBounded(each.dh, each.dh_relation)}</td><td class="number">${formatFixed(each.r2, 4)}</td><td>${each.no_transition_reason ? toSentenceCase(each.no_transition_reason) : listTransitions(each).join(', ')}</td>`,
        ),
      ),
    ),
  plotTitle: 'Melting curves',
  picturesTitle: 'Melting curves',
  isReadWhole: true,
  getPlotHint: (item) => {
    const { tm_method: method, tm } = findThermostabilityRow(item) ?? {};
    const fit = method === 'two_state' || method === 'boltzmann' ? ' with fit' : '';
    const line = typeof tm === 'number' ? '; the dashed line is the melting temperature' : '';
    return `Signal${fit}, and its first derivative${line}.`;
  },
};
