/**
 * The presentation that affinity and screening share.
 * This folder: what affinity and screening share, from the fits to the cells of a page. Not here: what only one of them
 * needs; it imports neither.
 */
import type { Scalar } from '#features/results/package/scalars.ts';
import {
  defineDoubles,
  FITTED,
  replicate,
  type CurveColumn,
} from '#features/results/package/curve-columns.ts';
import { findText, findValue, type PackagedResult } from '#features/results/package/packaged.ts';
import { formatStrength } from './strength.ts';

export const BINDING_COLUMNS: readonly CurveColumn[] = [
  replicate,
  ...defineDoubles('concentration_m', 'time_s'),
  ...FITTED,
  ...defineDoubles('rmax'),
  { name: 'excluded', type: 'BOOLEAN' },
  ...defineDoubles('analyte_concentration_m'),
];

export const BINDING_SCALARS: readonly Scalar[] = [
  { member: 'binding', meaning: 'true, false or unknown' },
  { member: 'call', meaning: 'binder, non_binder, inconclusive or unknown' },
  { member: 'binding_strength', meaning: 'strong, medium, weak, none or unknown, by KD' },
  {
    member: 'strength_classes',
    meaning: 'both classes where the interval of KD reaches from one into another, or else the one',
    getValue: (result) => formatStrength(result, findText(findValue(result, 'binding_strength'))),
  },
  {
    member: 'kd_detectable_m',
    meaning: 'of a non-binder: the weakest KD that would have been seen, a tighter one is excluded',
  },
  { member: 'concentrations_m', meaning: 'concentrations of the analyte in mol/L, separated by spaces' },
];

export const BINDING_INTERVALS = { kd: 'kd_app', kon: 'kon_1to1', koff: 'koff_1to1' } as const;

/** `class strong to medium`; empty where the interval lies in one class. */
export function formatOpenClass(result: PackagedResult): string {
  const classes = formatStrength(result, '');
  return classes === '' ? '' : `class ${classes}`;
}
