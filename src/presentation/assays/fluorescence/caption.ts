import type { ResultCurves } from '#domain/results/store.ts';
import { isMadeSince, readSettings, writeAggregate, writeSource } from '../../figures/captions.ts';
import { formatFixed } from '../../words/quantities.ts';
import { describePlateEffects } from './effects.ts';

const WELL_MARKS = 'R: reference; D: dark control; B: blank; S: standard; >: saturated; dashed: no value';

function describeWells(isNormalized: boolean): string {
  return `Wells by ${isNormalized ? '(F − blank)/(reference − blank)' : 'signal'}`;
}

/** Writes the caption of the plates of a whole experiment. */
export function writePlatesCaption(isNormalized: boolean): string {
  return `${describeWells(isNormalized)}; each sample well is one replicate. ${WELL_MARKS}; point: no well.`;
}

/** The first engine whose interval of an intensity contains how much places of the plate differ. */
const PLACES_SINCE = [1, 9] as const;

export function writeFluorescenceCaption(result: ResultCurves, isNormalized: boolean): string {
  const { ex_nm: ex, em_nm: em, z_prime_plate: z } = result.summary;
  const { reference, plate_effects: effects } = readSettings(result);
  const member = isNormalized ? 'normalized_to_control' : 'intensity';
  const quantity = result.quantities[member];
  const optics = typeof ex === 'number' && typeof em === 'number' ? `, ${ex}/${em} nm` : '';
  const basis = isNormalized && typeof reference === 'string' ? `, reference: ${reference} of its wells` : '';
  const corrected = describePlateEffects(effects);
  return [
    `${describeWells(isNormalized)}${optics}${basis}${corrected === '' ? '' : `; ${corrected}`}. Ringed: this sequence; ${WELL_MARKS}.`,
    typeof z === 'number' ? `Z′ ${formatFixed(z, 2)}, the lowest of its plates.` : '',
    `Bar: ${writeAggregate(result, quantity, { mean: 'arithmetic', member, error: 'plate', amongLimits: 'median' })}`,
    typeof quantity?.ci95_low === 'number' ? 'Whiskers: that interval.' : '',
    typeof result.quantities.intensity?.ci95_low === 'number' &&
    effects !== 'correct' &&
    isMadeSince(result, PLACES_SINCE)
      ? `The interval in ${result.signal_unit} also contains how much places of the plate differ, as far as replicates show it.`
      : '',
    `Circles: replicates; open triangles and a dashed bar: limits${isNormalized ? '; dashed line: the reference' : ''}.`,
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
