/** What affinity and screening show alike. */
import { bindingRow } from '#domain/assays/binding/row.ts';
import { molarText } from '#presentation/words/results.ts';
import type { Column } from '../../table.ts';
import { paletteFor, type Style } from '../../terminal.ts';
import type { AssayColumns, Result } from '../columns.ts';

export const bindingParts: Pick<AssayColumns, 'csv' | 'verb' | 'counts' | 'value'> = {
  csv: [
    ['binding_strength', (result) => bindingRow(result)?.binding_strength],
    ['kd_m', ({ quantities }) => quantities.kd?.value],
    ['kd_relation', ({ quantities }) => quantities.kd?.relation],
    ['kd_ci95_low_m', ({ quantities }) => quantities.kd?.ci95_low],
    ['kd_ci95_high_m', ({ quantities }) => quantities.kd?.ci95_high],
    ['kd_log10_sd', ({ quantities }) => quantities.kd?.log10_sd],
    ['kon_per_m_s', ({ quantities }) => quantities.kon?.value],
    ['kon_relation', ({ quantities }) => quantities.kon?.relation],
    ['koff_per_s', ({ quantities }) => quantities.koff?.value],
    ['koff_relation', ({ quantities }) => quantities.koff?.relation],
    ['response', (result) => bindingRow(result)?.response],
    ['response_unit', (result) => bindingRow(result)?.response_unit],
    ['threshold', (result) => bindingRow(result)?.threshold],
    ['z_score', (result) => bindingRow(result)?.z_score],
  ],
  verb: ['binds', 'bind'],
  counts: (result) => result.outcome === 'measured' && bindingRow(result)?.binding === 'true',
  value: ({ quantities }) => molarText(quantities.kd)?.signed ?? '',
};

export const classColumn: Column<Result> = { title: 'CLASS', cell: classOf, style: styleOf };

/** The class of a binder; what does not bind has its outcome. */
function classOf(result: Result): string {
  const { outcome } = result;
  const strength = bindingRow(result)?.binding_strength;
  const isKnown = strength !== undefined && strength !== 'none' && strength !== 'unknown';
  return outcome === 'measured' && isKnown ? strength : '';
}

function styleOf(result: Result): Style {
  const palette = paletteFor(process.stdout);
  switch (classOf(result)) {
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
