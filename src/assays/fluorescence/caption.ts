import type { ResultCurves } from '#features/results/store.ts';
import type { HeatWell } from '#documents/figures/heat-map.ts';
import {
  describeDots,
  isMadeSince,
  readSettings,
  writeAggregate,
  writeSource,
} from '#features/results/figures/captions.ts';
import { formatFixed } from '#features/results/words/quantities.ts';
import { describePlateEffects } from './effects.ts';

const MARK_WORDS: Readonly<Record<string, string>> = {
  R: 'reference',
  D: 'dark control',
  B: 'blank',
  S: 'standard',
  '>': 'saturated',
};

/** Explains the marks that some well has: `R: reference; dashed: no value`. */
function describeMarks(wells: readonly HeatWell[]): string[] {
  const seen = new Set(wells.map(({ mark }) => mark));
  return [
    ...Object.entries(MARK_WORDS).flatMap(([mark, words]) => (seen.has(mark) ? [`${mark}: ${words}`] : [])),
    ...(wells.some(({ value }) => value === null) ? ['dashed: no value'] : []),
  ];
}

function describeWells(isNormalized: boolean): string {
  return `Wells by ${isNormalized ? '(F − blank)/(reference − blank)' : 'signal'}`;
}

/** Writes the caption of the plates of a whole experiment. */
export function writePlatesCaption(isNormalized: boolean, wells: readonly HeatWell[]): string {
  const marks = [...describeMarks(wells), 'point: no well'].join('; ');
  return `${describeWells(isNormalized)}; each sample well is one replicate. ${marks.charAt(0).toUpperCase()}${marks.slice(1)}.`;
}

/** The first engine whose interval of an intensity contains how much places of the plate differ. */
const PLACES_SINCE = [1, 9] as const;

export function writeFluorescenceCaption(
  result: ResultCurves,
  { isNormalized, wells }: { readonly isNormalized: boolean; readonly wells: readonly HeatWell[] },
): string {
  const { ex_nm: ex, em_nm: em, z_prime_plate: z } = result.summary;
  const { reference, plate_effects: effects } = readSettings(result);
  const member = isNormalized ? 'normalized_to_control' : 'intensity';
  const quantity = result.quantities[member];
  const optics = typeof ex === 'number' && typeof em === 'number' ? `, ${ex}/${em} nm` : '';
  const basis = isNormalized && typeof reference === 'string' ? `, reference: ${reference} of its wells` : '';
  const corrected = describePlateEffects(effects);
  return [
    `${describeWells(isNormalized)}${optics}${basis}${corrected === '' ? '' : `; ${corrected}`}. ${['Ringed: this sequence', ...describeMarks(wells)].join('; ')}.`,
    typeof z === 'number' ? `Z′ ${formatFixed(z, 2)}, the lowest of its plates.` : '',
    typeof quantity?.value === 'number'
      ? `Bar: ${writeAggregate(result, quantity, { mean: 'arithmetic', member, error: 'plate', amongLimits: 'median' })}`
      : 'No intensity was determined.',
    typeof quantity?.ci95_low === 'number' ? 'Whiskers: that interval.' : '',
    typeof result.quantities.intensity?.ci95_low === 'number' &&
    effects !== 'correct' &&
    isMadeSince(result, PLACES_SINCE)
      ? `The interval in ${result.signal_unit} also contains how much places of the plate differ, as far as replicates show it.`
      : '',
    describeDots(
      result.replicates.map((row) => ({ value: row[member], relation: row[`${member}_relation`] })),
      { quantity, where: '' },
    ),
    isNormalized ? 'Dashed line: the reference.' : '',
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
