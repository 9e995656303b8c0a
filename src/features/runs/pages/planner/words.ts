/** Words and letters of the planner. */
import { LAYOUTS, type LayoutName } from '../../layouts.ts';
import type { PlannedRole } from '../../plan.ts';
import { formatConcentration } from '#core/number-words.ts';

/** A letter for each role, so that no role is told by its color alone. */
export const ROLES: Readonly<Record<PlannedRole, readonly [letter: string, words: string]>> = {
  sample: ['S', 'sample'],
  reference: ['R', 'reference sensor'],
  blank: ['B', 'blank'],
  positive_control: ['P', 'positive control'],
  negative_control: ['N', 'negative control'],
  standard: ['C', 'standard curve'],
};

interface Content {
  readonly role: PlannedRole;
  readonly sample: string;
  readonly replicate: number;
  readonly concentration_m: number | null;
}

/** Such as `design-4, replicate 2, 100 nM`; a role other than sample is named. */
export function describeContent({
  role,
  sample,
  replicate,
  concentration_m: concentrationM,
}: Content): string {
  const parts = [
    sample,
    role === 'sample' ? '' : ROLES[role][1],
    `replicate ${replicate}`,
    concentrationM === null ? '' : formatLevel(concentrationM),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

export function formatLevel(concentrationM: number): string {
  return concentrationM === 0 ? 'buffer' : formatConcentration(concentrationM);
}

/** Instruments by the arrangement of wells that they need; capillaries come in two counts. */
export const INSTRUMENTS: readonly (readonly [value: string, label: string])[] = [
  ['', 'Usual for the assay and method'],
  ['sensor_columns', 'BLI: sensors dipped in columns'],
  ['cycles', 'SPR: injections in cycles'],
  ['capillaries-24', 'nanoDSF: 24 capillaries'],
  ['capillaries-48', 'nanoDSF: 48 capillaries'],
  ['melt_wells', 'Thermocycler: melting with a dye'],
  ['reader_wells', 'Plate reader: wells alike'],
  ['standard_curve', 'Plate reader: with a standard curve'],
];

export function describeLayout(layout: LayoutName): string {
  return LAYOUTS[layout].title;
}

export const FILES: Readonly<Record<string, string>> = {
  plate_list: 'Plate map, a row per well (CSV)',
  plate_blocks: 'Plate map, blocks (CSV)',
  loading_list: 'Loading list (CSV)',
  quantstudio_setup: 'QuantStudio sample setup',
  tecan_worklist: 'Tecan worklist',
  echo_pick_list: 'Echo pick list',
  hamilton_worklist: 'Hamilton worklist',
  opentrons_csv: 'Opentrons CSV',
};
