/**
 * The presentation of fluorescence.
 * This folder: fluorescence as it is shown. Not here: values.
 */
import { defineDoubles, PLACE, defineStrings } from '../../data-package/curve-columns.ts';
import type { Lesson } from '../../data-package/lessons.ts';
import { withNumber } from '../../data-package/sentences.ts';
import { createFormatter } from '../../figures/measures.ts';
import type { Measure } from '../../figures/measures.ts';
import { drawFluorescence } from './figure.ts';
import { prose, markStrong } from '../../words/prose.ts';
import { SharedPlates } from './shared-plates.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { fluorescenceWords } from './words.ts';

const measure: Measure = {
  title: 'Fluorescence',
  axis: 'Intensity relative to the reference',
  head: 'Of reference (95% CI)',
  isDecades: false,
  getQuantity: ({ quantities }) => quantities.normalized_to_control,
  getReplicateValue: (row) => row.normalized_to_control,
  getReplicateRelation: (row) => row.normalized_to_control_relation,
  formatQuantity: createFormatter(),
  level: { value: 1, name: 'reference' },
  caption: 'arithmetic mean over replicates, interval: 95% CI of that mean',
};

const lesson: Lesson = {
  curves: {
    title: 'The wells behind an intensity',
    text: prose`Every intensity is corrected for the blank of its plate and divided by that of the reference protein on the same plate. Z′ says how far apart reference and blank are in units of their noise; above 0.5 the plate separates them well.`,
  },
  doubt: {
    title: 'When not to trust an intensity',
    points: [
      prose`${markStrong('Saturated')} wells are limits: the true intensity is higher.`,
      prose`${markStrong('Edge wells')} dry out first; measure a hit at the edge again.`,
      prose`${markStrong('Brightness is also amount')}: without the expression of the same design, a bright well may only contain more protein.`,
    ],
  },
};

export const fluorescence: ShownAssay = {
  reportName: 'Fluorescence',
  words: fluorescenceWords,
  measure,
  draw: drawFluorescence,
  collectPlates: () => new SharedPlates(),
  isCall: false,
  mainQuantities: ['normalized_to_control', 'log2_fold', 'intensity'],
  notebookQuantities: ['log2_fold', 'normalized', 'intensity', 'normalized_to_control'],
  scalars: [
    { member: 'cv_pct', name: 'cv', unit: '%', meaning: 'of the replicates' },
    { member: 'ex_nm', meaning: 'excitation wavelength' },
    { member: 'em_nm', meaning: 'emission wavelength' },
    { member: 'gain', meaning: 'of the detector, as the reader counts it' },
    { member: 'z_prime_plate', meaning: 'Z′ of reference and dark control' },
    { member: 'saturated', meaning: 'whether a replicate saturated the detector' },
  ],
  curveColumns: [
    ...PLACE,
    ...defineStrings('role', 'sample'),
    { name: 'sample_replicate', type: 'INT32' },
    ...defineDoubles('signal', 'normalized'),
    { name: 'saturated', type: 'BOOLEAN' },
  ],
  lesson,
  about:
    'Fluorescence was read on a plate with blanks and a reference protein. Intensities are corrected for the blank and normalized to the reference; the quality of a plate is stated as Z′.',
  processing: ({ z_prime_min: least, plate_effects: effects }) => [
    withNumber(
      least,
      (z) => `Z′ = 1 − 3(SD + SD)/difference of reference and dark control; a plate below ${z} is flagged.`,
    ),
    effects === 'correct'
      ? 'Row and column effects were divided out (median polish).'
      : 'Row and column effects (median polish) are flagged and not corrected.',
  ],
};
