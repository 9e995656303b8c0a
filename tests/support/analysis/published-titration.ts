/** A published titration by BLI: a text export of each sensor, for the sequence of an order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFile, type EncodedFile } from '../shared-files.ts';
import { findPublished } from './published-data.ts';

/** Where the exports lie among the published measurements. */
export const TITRATION = 'titrationanalysis/bli_tray1/BLI Example Tray 1';

/** Analyte on the sensors that the publication fits. */
export const TITRATION_MOLAR: Readonly<Record<string, number>> = {
  A2: 1e-6,
  B2: 6e-7,
  C2: 3e-7,
  D2: 1.5e-7,
  F2: 4e-8,
};

export interface Titration {
  readonly files: readonly EncodedFile[];
  /** Settings that say what is on each sensor, and where the phases end. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Reads the fitted sensors as measurements of a sequence; null where the measurements are not beside the project. */
export function readTitration(sample: string): Titration | null {
  const folder = findPublished({ skip: () => undefined }, TITRATION);
  if (folder === null) return null;
  const sensors = Object.entries(TITRATION_MOLAR);
  return {
    files: sensors.map(([sensor]) => {
      const name = `${sensor}Results.txt`;
      return encodeFile(name, readFileSync(join(folder, name)));
    }),
    settings: {
      assign: Object.fromEntries(
        sensors.map(([sensor, molar]) => [sensor, { sample, concentration_m: molar }]),
      ),
      association_s: 300,
      dissociation_s: 300,
      thinning: 'whole_seconds',
      reference: 'none',
    },
  };
}
