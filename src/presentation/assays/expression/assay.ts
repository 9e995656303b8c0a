/**
 * The presentation of expression.
 * This folder: expression as it is shown. Not here: values.
 */
import { defineDoubles, PLACE, replicate, defineStrings } from '../../data-package/curve-columns.ts';
import type { Lesson } from '../../data-package/lessons.ts';
import { getMember, type PackagedResult } from '../../data-package/packaged.ts';
import { createFormatter } from '../../figures/measures.ts';
import type { Measure } from '../../figures/measures.ts';
import { drawExpression } from './figure.ts';
import { prose, markStrong } from '../../words/prose.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { expressionWords } from './words.ts';

const getLoadingUnit = (result: PackagedResult) => {
  const how = getMember(result, 'quantification');
  return how === 'a280' ? 'AU' : how === 'bli_capture' ? 'nm/s' : undefined;
};

const measure: Measure = {
  title: 'Expression',
  axis: 'Yield (ng/µL)',
  head: 'Yield (95% CI)',
  isDecades: true,
  getQuantity: ({ quantities }) => quantities.yield_ng_per_ul,
  getReplicateValue: (row) => row.yield_ng_per_ul,
  getReplicateRelation: (row) => row.yield_ng_per_ul_relation,
  formatQuantity: createFormatter(),
  caption: 'geometric mean over replicates, interval: 95% CI, which includes the error of the standard curve',
};

const lesson: Lesson = {
  curves: {
    title: 'The standard curve behind an amount',
    text: prose`The amount is read off a four-parameter curve through standards of known concentration on the same plate. Between the limits of quantification the standards are read back within 20 % of their nominal concentration; outside, the curve is flat and the amount is a limit.`,
  },
  doubt: {
    title: 'When not to trust an amount',
    points: [
      prose`${markStrong('Below the lower limit')} means less than that, not zero.`,
      prose`${markStrong('A280')} counts tryptophan and tyrosine: it cannot measure a design without them.`,
      prose`A tag that is buried captures badly; the amount is then too low.`,
    ],
  },
};

export const expression: ShownAssay = {
  reportName: 'Expression',
  words: expressionWords,
  measure,
  draw: drawExpression,
  isCall: false,
  mainQuantities: ['yield_ng_per_ul', 'molar_um'],
  notebookQuantities: ['yield', 'concentration', 'yield_ng_per_ul'],
  replicateIntervals: { yield_ng_per_ul: 'yield_ng_per_ul_interval' },
  scalars: [
    { member: 'expressed', meaning: 'true, false, or empty where the assay cannot decide' },
    { member: 'expression_class', meaning: 'none, low, medium or high' },
    { member: 'quantification', meaning: 'bli_capture or a280' },
    { member: 'lloq', unit: 'ng/µL', meaning: 'lower limit of quantification' },
    { member: 'uloq', unit: 'ng/µL', meaning: 'upper limit of quantification' },
    { member: 'loading_signal', unit: getLoadingUnit, meaning: 'initial rate of the capture, or absorbance' },
    { member: 'nc_adjusted', meaning: 'whether the control without DNA was subtracted' },
  ],
  curveColumns: [
    ...defineStrings('kind'),
    replicate,
    ...PLACE,
    ...defineDoubles('concentration_ng_per_ul', 'time_s', 'signal', 'fit', 'recovery_pct'),
  ],
  lesson,
  about:
    'The amount of expressed protein was quantified against a standard curve measured on the same plate, after subtraction of the control without DNA. Amounts outside the range of quantification are reported as limits.',
  processing: ({ rate_from_s: from, rate_to_s: to, recovery_min_pct: low, recovery_max_pct: high }) => [
    typeof from === 'number' && typeof to === 'number'
      ? `The initial rate is the slope from ${from} to ${to} s.`
      : undefined,
    typeof low === 'number' && typeof high === 'number'
      ? `The standard curve is a four-parameter logistic; the limits of quantification are the lowest and the highest standard that is read back within ${low} to ${high} %.`
      : undefined,
  ],
};
