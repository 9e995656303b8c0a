/**
 * The layouts of plates. An assay names those that it can have, and the method of the order narrows them.
 *
 * Room for samples, by plate: `standard_curve` 74 of 96 wells with eight standards, `melt_wells` 88 of 96 and 292 of 384, `capillaries` 22
 * of 24 and 46 of 48.
 */
import type { PlateSize } from '#core/wells.ts';

export const layoutNames = [
  'sensor_columns',
  'cycles',
  'capillaries',
  'melt_wells',
  'reader_wells',
  'standard_curve',
] as const;
export type LayoutName = (typeof layoutNames)[number];

export interface ControlCounts {
  readonly positive_control: number;
  readonly negative_control: number;
  readonly blank: number;
}

export interface Layout {
  readonly title: string;
  /** Null: any method. */
  readonly method: 'bli' | 'spr' | null;
  /**
   * `columns`: sensors of one column are dipped together. `cycles`: wells are injected one after another. `capillaries`: wells
   * are drawn into capillaries in their order. `wells`: wells are alike and may stand anywhere.
   */
  readonly arrangement: 'columns' | 'cycles' | 'capillaries' | 'wells';
  /** The least number of wells of each control on each plate. */
  readonly countControls: (size: PlateSize) => ControlCounts;
  /** Wells of each concentration of the standard; 0 without a standard curve. */
  readonly standardRepeats: number;
  /** Plate sizes on which wells of the border stay empty, because they evaporate first. */
  readonly innerOnly: readonly PlateSize[];
}

const createCount = (positive: number, negative: number, blank: number) => (): ControlCounts => ({
  positive_control: positive,
  negative_control: negative,
  blank,
});

const MELT_96: ControlCounts = { positive_control: 4, negative_control: 0, blank: 4 };
const MELT_384: ControlCounts = { positive_control: 8, negative_control: 0, blank: 8 };

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  sensor_columns: {
    title: 'sensors in columns',
    method: 'bli',
    arrangement: 'columns',
    countControls: createCount(1, 1, 0),
    standardRepeats: 0,
    innerOnly: [],
  },
  cycles: {
    title: 'cycles',
    method: 'spr',
    arrangement: 'cycles',
    countControls: createCount(1, 1, 3),
    standardRepeats: 0,
    innerOnly: [],
  },
  capillaries: {
    title: 'capillaries',
    method: null,
    arrangement: 'capillaries',
    countControls: createCount(1, 0, 1),
    standardRepeats: 0,
    innerOnly: [],
  },
  melt_wells: {
    title: 'melting with a dye',
    method: null,
    arrangement: 'wells',
    countControls: (size) => (size === 96 ? MELT_96 : MELT_384),
    standardRepeats: 0,
    innerOnly: [384],
  },
  reader_wells: {
    title: 'plate reader',
    method: null,
    arrangement: 'wells',
    countControls: createCount(4, 4, 4),
    standardRepeats: 0,
    innerOnly: [],
  },
  standard_curve: {
    title: 'standard curve',
    method: null,
    arrangement: 'wells',
    countControls: createCount(2, 4, 0),
    standardRepeats: 2,
    innerOnly: [],
  },
};
