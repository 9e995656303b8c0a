/**
 * Screening as it is shown.
 * This folder: screening as it is shown. Not here: values.
 */
import type { ShownQuantity } from '#domain/results/store.ts';
import type { Lesson } from '../../data-package/lessons.ts';
import { memberOf, wordOf, type PackagedResult } from '../../data-package/packaged.ts';
import { plainWords } from '../../figures/measures.ts';
import type { Measure, Row } from '../../figures/measures.ts';
import { drawSensorgrams } from '../../figures/sensorgram.ts';
import { code, prose, strong } from '../../words/prose.ts';
import { BINDING_COLUMNS, BINDING_SCALARS, REFERENCING } from '../binding/parts.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { screeningWords } from './words.ts';

const responseUnit = (result: PackagedResult) => wordOf(memberOf(result, 'response_unit'));

function ratio({ response, threshold }: Row): number | null {
  return typeof response === 'number' && typeof threshold === 'number' && threshold > 0
    ? response / threshold
    : null;
}

/** A response of nothing has no logarithm: it stands at the lower end of the scale, as less than that. */
const RATIO_MIN = 0.1;

function ratioQuantity(row: Row): ShownQuantity | undefined {
  const value = ratio(row);
  if (value === null) return undefined;
  return value < RATIO_MIN ? { value: RATIO_MIN, relation: '<' } : { value, relation: '=' };
}

const measure: Measure = {
  title: 'Screening',
  axis: 'Response / threshold of the plate',
  head: 'Response / threshold',
  isDecades: true,
  quantityOf: ({ summary }) => ratioQuantity(summary),
  ofReplicate: (row) => ratioQuantity(row)?.value,
  relationOfReplicate: (row) => ratioQuantity(row)?.relation,
  words: plainWords(),
  level: { value: 1, name: 'threshold' },
  caption:
    'mean over replicates at one concentration, without an interval; ranked by z-score, the response in robust deviations from the negative controls of its plate',
};

const lesson: Lesson = {
  curves: {
    title: 'The traces behind a yes or no',
    text: prose`A screen asks one question at one or two concentrations: is the response at the end of association above what the plate's negative controls do by themselves? There is no fit, so there is no KD, and an estimate from two concentrations carries the relation ${code('~')}.`,
  },
  doubt: {
    title: 'When not to trust a hit',
    points: [
      prose`${strong('Just above the threshold')} is just above the threshold: repeat it before you build on it.`,
      prose`${strong('Low loading')} gives a low response even to a good binder; look at the loading before you call a design dead.`,
      prose`${strong('A sticky design')} binds to the reference as well (flag NSB): it binds everything.`,
      prose`Two replicates that disagree are ${code('inconclusive')}, which is an answer.`,
    ],
  },
};

export const screening: ShownAssay = {
  reportName: 'Binding screen',
  words: screeningWords,
  measure,
  draw: (result) => drawSensorgrams(result, screening),
  isCall: true,
  sharesPlates: false,
  mainQuantities: ['response', 'kd_estimate'],
  notebookQuantities: ['response', 'kd_estimate', 'kd'],
  scalars: [
    ...BINDING_SCALARS,
    { member: 'response', unit: responseUnit, meaning: 'mean over replicates, reference subtracted' },
    { member: 'response_sd', unit: responseUnit, meaning: 'standard deviation over replicates' },
    { member: 'threshold', unit: responseUnit, meaning: 'of the plates, above which a response is binding' },
    { member: 'z_score', meaning: 'response in robust deviations from the negative controls' },
    { member: 'loading_level', unit: responseUnit, meaning: 'of the ligand on the sensor' },
    {
      member: 'pct_theoretical_rmax',
      name: 'theoretical_rmax',
      unit: '%',
      meaning: 'response as a part of what masses and loading allow',
    },
  ],
  curveColumns: BINDING_COLUMNS,
  lesson,
  about:
    'Designs were screened for binding at one or two analyte concentrations. The response is the mean signal at the end of association after subtraction of the reference. The threshold of a plate is the median of its negative controls plus three times their scaled median absolute deviation, and never below three times the noise.',
  processing: REFERENCING,
};
