/** The presentation of expression. */
import { defineDoubles, PLACE, replicate, defineStrings } from '#features/results/package/curve-columns.ts';
import {
  type Lesson,
  withNumber,
  tellLeftOut,
  GEOMETRIC_OR_MEDIAN,
  countWords,
} from '#features/results/package/sentences.ts';
import { findSignalUnit, findValue, type PackagedResult } from '#features/results/package/packaged.ts';
import { createFormatter, type Measure } from '#features/results/figures/measures.ts';
import { drawExpression, expressionWords } from './figure.ts';
import { prose, markStrong } from '#documents/prose.ts';
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { expression as engine } from './engine/assay.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { expressionResult } from './record.ts';
import { expressionView } from './view.ts';

/** Absorbance has the unit of the reader, a capture a rate in that of its sensor. */
const getLoadingUnit = (result: PackagedResult) => {
  const how = findValue(result, 'quantification');
  const unit = findSignalUnit(result);
  return how === 'a280' ? (unit ?? 'AU') : how === 'bli_capture' ? `${unit ?? 'nm'}/s` : undefined;
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
  caption: 'geometric mean over replicates, or their median where some are limits; interval: 95% CI',
};

const lesson: Lesson = {
  curves: {
    title: 'The measurement behind an amount',
    text: prose`With a capture the amount is read off a four-parameter curve through standards of known concentration on the same plate. Between the limits of quantification the standards are read back close to their nominal concentration; outside, the curve is flat and the amount is a limit. With absorbance there is no standard curve.`,
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

const QUANTIFICATIONS: Readonly<Record<string, string>> = {
  bli_capture: 'by capture on a sensor and a standard curve',
  a280: 'by absorbance at 280 nm',
};

const countQuantifications = countWords('Sequences by quantification', (result) => {
  const how = findValue(result, 'quantification');
  return [typeof how === 'string' ? (QUANTIFICATIONS[how] ?? how.replaceAll('_', ' ')) : null];
});

const countSubtractions = countWords('Sequences by control without DNA', (result) => {
  const isSubtracted = findValue(result, 'nc_adjusted');
  return [typeof isSubtracted === 'boolean' ? (isSubtracted ? 'with it subtracted' : 'without it') : null];
});

export const expression: ShownAssay<ResultOf<typeof engine>> = {
  result: expressionResult,
  view: expressionView,
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
    { name: 'excluded', type: 'BOOLEAN' },
  ],
  lesson,
  about:
    'The amount of expressed protein was quantified. Amounts outside the range of quantification are reported as limits.',
  processing: ({ settings, model }) => [
    ...(model === 'a280' ? describeAbsorbance(settings) : describeCapture(settings)),
    settings.subtract_no_dna === false
      ? 'The control without DNA was not subtracted.'
      : settings.subtract_no_dna === true
        ? 'The control without DNA was subtracted where the plate has one.'
        : undefined,
    withNumber(settings.dilution_factor, (factor) =>
      factor === 1
        ? undefined
        : `Amounts are those of the undiluted reaction: samples were diluted ${factor} times.`,
    ),
  ],
  facts: [countQuantifications, countSubtractions, tellLeftOut],
  aggregation: GEOMETRIC_OR_MEDIAN,
};

type Settings = Readonly<Record<string, unknown>>;

function describeCapture(settings: Settings): (string | undefined)[] {
  const { rate_from_s: from, rate_to_s: to, recovery_min_pct: low, recovery_max_pct: high } = settings;
  return [
    typeof from === 'number' && typeof to === 'number'
      ? `The initial rate of a capture is its slope from ${from} to ${to} s.`
      : undefined,
    typeof low === 'number' && typeof high === 'number'
      ? `The standard curve of a plate is a four-parameter logistic; the limits of quantification are the lowest and the highest standard that is read back within ${low} to ${high} %.`
      : undefined,
  ];
}

function describeAbsorbance({ path_cm: path, cystines }: Settings): (string | undefined)[] {
  return [
    'Amounts follow from the absorbance at 280 nm and the extinction coefficient of the sequence, without a standard curve.',
    withNumber(path, (cm) => `The optical path is ${cm} cm.`),
    cystines === 'all_paired' ? 'All cysteines count as paired.' : undefined,
  ];
}
