/** What affinity and screening show alike. */
import { findBindingRow } from './row.ts';
import { formatMolar } from '#features/results/words/results.ts';
import { formatStrength } from './strength.ts';
import type { Column } from '#cli/table.ts';
import { getPalette, getTerminal, type Style } from '#cli/terminal.ts';
import type { AssayColumns, Result } from '../columns.ts';

export const bindingParts: Pick<AssayColumns, 'csv' | 'verb' | 'isCounted' | 'formatValue'> = {
  csv: [
    ['binding_strength', (result) => findBindingRow(result)?.binding_strength],
    ['strength_classes', (result) => formatStrength(result, findBindingRow(result)?.binding_strength)],
    ['kd_m', ({ quantities }) => quantities.kd?.value],
    ['kd_relation', ({ quantities }) => quantities.kd?.relation],
    ['kd_ci95_low_m', ({ quantities }) => quantities.kd?.ci95_low],
    ['kd_ci95_high_m', ({ quantities }) => quantities.kd?.ci95_high],
    ['kd_log10_sd', ({ quantities }) => quantities.kd?.log10_sd],
    ['kon_per_m_s', ({ quantities }) => quantities.kon?.value],
    ['kon_relation', ({ quantities }) => quantities.kon?.relation],
    ['koff_per_s', ({ quantities }) => quantities.koff?.value],
    ['koff_relation', ({ quantities }) => quantities.koff?.relation],
    ['response', (result) => findBindingRow(result)?.response],
    ['response_unit', (result) => findBindingRow(result)?.response_unit],
    ['threshold', (result) => findBindingRow(result)?.threshold],
    ['z_score', (result) => findBindingRow(result)?.z_score],
  ],
  verb: ['binds', 'bind'],
  isCounted: (result) => result.outcome === 'measured' && findBindingRow(result)?.binding === 'true',
  formatValue: ({ quantities }) => formatMolar(quantities.kd)?.signed ?? '',
};

export const classColumn: Column<Result> = {
  title: 'CLASS',
  rank: 2,
  getCell: formatClass,
  getStyle,
};

/** Formats the class of a binder, or both where its interval reaches into another; empty for any other sequence. */
function formatClass(result: Result): string {
  const strength = formatStrength(result, findBindingRow(result)?.binding_strength);
  return result.outcome === 'measured' && strength !== 'none' && strength !== 'unknown' ? strength : '';
}

function getStyle(result: Result): Style {
  const palette = getPalette(getTerminal().stdout);
  if (result.assessment.grade !== 'solid') return palette.dim;
  switch (formatClass(result)) {
    case 'strong':
      return palette.green;
    case 'medium':
      return palette.cyan;
    case 'weak':
      return palette.yellow;
    default:
      return palette.dim;
  }
}
