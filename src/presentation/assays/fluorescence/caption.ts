import type { ResultCurves } from '#domain/results/store.ts';
import { writeMean, writeSource } from '../../figures/captions.ts';

const WELL_MARKS = 'R: reference; D: dark control; B: blank; S: standard; >: saturated; dashed: no value';

function describeWells(isNormalized: boolean): string {
  return `Wells by ${isNormalized ? '(F − blank)/(reference − blank)' : 'signal'}`;
}

/** Writes the caption of the plates of a whole experiment. */
export function writePlatesCaption(isNormalized: boolean): string {
  return `${describeWells(isNormalized)}; each sample well is one replicate. ${WELL_MARKS}; point: no well.`;
}

export function writeFluorescenceCaption(result: ResultCurves, isNormalized: boolean): string {
  const { ex_nm: ex, em_nm: em, z_prime_plate: z } = result.summary;
  const quantity = result.quantities[isNormalized ? 'normalized_to_control' : 'intensity'];
  const optics = typeof ex === 'number' && typeof em === 'number' ? `, ${ex}/${em} nm` : '';
  return [
    `${describeWells(isNormalized)}${optics}. Ringed: this sequence; ${WELL_MARKS}.`,
    typeof z === 'number' ? `Z′ of the plate ${z.toFixed(2)}.` : '',
    `Bar: ${writeMean('arithmetic', quantity?.n, false)}`,
    typeof quantity?.ci95_low === 'number' ? 'Whiskers: 95% CI of that mean.' : '',
    `Circles: replicates; open triangles and a dashed bar: limits${isNormalized ? '; dashed line: the reference' : ''}.`,
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
