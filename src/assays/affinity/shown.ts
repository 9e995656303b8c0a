/** The presentation of affinity. */
import { type Lesson, GEOMETRIC } from '#features/results/package/sentences.ts';
import type { PackagedResult } from '#features/results/package/packaged.ts';
import { formatKd, WIDER, type Measure, type Row } from '#features/results/figures/measures.ts';
import { markCode, prose, markStrong } from '#documents/prose.ts';
import { formatConcentration } from '#core/number-words.ts';
import { BINDING_FACTS, FIT_FACTS, FIT_PROCESSING } from '../binding/method.ts';
import { BINDING_COLUMNS, BINDING_INTERVALS, BINDING_SCALARS, formatOpenClass } from '../binding/parts.ts';
import { drawSensorgrams, type SensorgramWords } from '../binding/sensorgrams.ts';
import { SmallSensorgrams } from '../binding/small-sensorgrams.ts';
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { affinity as engine } from './engine/assay.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { affinityResult } from './record.ts';
import { affinityView } from './view.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { writeAggregate, writeReplicates } from '#features/results/figures/captions.ts';
import { describeDoubt } from '../binding/candidates.ts';
import { formatReplicateOutcome } from '#features/results/words/models.ts';
import { formatReplicateKd } from '../binding/replicate-kd.ts';
import { describeResult } from '#features/results/words/results.ts';

export const affinityWords: SensorgramWords = {
  writeLine,
  curves: 'sensorgrams',
  writeNumbers,
  writeReplicate,
  findThreshold: () => null,
};

/** One KD in the headline would hide that the models disagree. */
function writeLine(result: ResultCurves): string {
  const doubt = result.outcome === 'measured' ? describeDoubt(result) : undefined;
  return doubt?.line ?? describeResult(result);
}

function writeNumbers(result: ResultCurves): string {
  const { kd } = result.quantities;
  if (kd === undefined || kd.value === null) return writeReplicates(result);
  const own = result.replicates.some(
    ({ kd_app: interval }) => typeof interval === 'object' && interval !== null,
  );
  const mean = writeAggregate(result, kd, {
    mean: 'geometric',
    member: 'kd',
    error: 'fit',
    amongLimits: 'mean',
  });
  return `KD: ${mean}${own && kd.n !== 1 ? ' Above each plot: KD of the replicate (95% CI of its fit).' : ''}`;
}

function writeReplicate(row: Row): string {
  const { kd, outcome } = row;
  if (typeof kd !== 'number')
    return typeof outcome === 'string' && outcome !== 'measured' ? formatReplicateOutcome(outcome) : '';
  const said = formatReplicateKd(row);
  if (said === undefined) return '';
  return `KD ${said.signed}${said.interval === undefined ? '' : ` (${said.interval})`}`;
}

const getSignalUnit = ({ quantities }: PackagedResult) => quantities.rmax?.unit;

const getSquaredSignalUnit = (result: PackagedResult) => {
  const unit = getSignalUnit(result);
  return unit === undefined ? undefined : `${unit}²`;
};

const measure: Measure = {
  title: 'Affinity',
  axis: 'KD',
  head: 'KD (95% CI)',
  isDecades: true,
  format: formatConcentration,
  getQuantity: ({ quantities }) => quantities.kd,
  getReplicateValue: ({ kd }) => kd,
  getReplicateRelation: ({ kd_relation: relation }) => relation,
  formatQuantity: formatKd,
  caption: `geometric mean over replicates, ${WIDER}`,
};

const lesson: Lesson = {
  curves: {
    title: 'The sensorgrams behind a KD',
    text: prose`Each color is one concentration of the analyte. In analyte (association) the signal rises with the rate kon·C + koff; in buffer (dissociation) it falls with koff alone. In a fit of kinetics one pair of rate constants has to explain ${markStrong('all')} concentrations of a replicate at once; KD is their ratio. The residuals below should look like noise: waves in them mean that the model is too simple, and the interval of a model that is too simple is too narrow.`,
  },
  doubt: {
    title: 'When not to trust a KD',
    points: [
      prose`${markStrong('koff is a limit')} when too little of the complex dissociated in the time given: the curve is flat, and any smaller koff fits as well. KD is then ${markCode('<')}.`,
      prose`${markStrong('kon is a limit')} when binding is faster than the analyte is transported to the surface. A very fast kon is often mass transport, not chemistry.`,
      prose`${markStrong('The top concentration lies below KD')}: the curves do not reach saturation, so Rmax and KD are uncertain.`,
      prose`${markStrong('Avidity')}: a dimeric or Fc-fused target binds with two sites, so the KD is apparent and usually too low.`,
      prose`Replicates that disagree by more than a factor of two say more about the assay than about the design.`,
    ],
  },
};

export const affinity: ShownAssay<ResultOf<typeof engine>> = {
  result: affinityResult,
  view: affinityView,
  reportName: 'Affinity',
  words: affinityWords,
  measure,
  draw: (result) => drawSensorgrams(result, affinityWords),
  formatRemark: formatOpenClass,
  collectOthers: () => new SmallSensorgrams(),
  isCall: false,
  mainQuantities: ['kd', 'kon', 'koff'],
  notebookQuantities: ['kd'],
  replicateIntervals: BINDING_INTERVALS,
  scalars: [
    ...BINDING_SCALARS,
    { member: 'fit_kind', meaning: 'kinetic or steady_state' },
    { member: 'model', meaning: 'models that were fitted, separated by spaces' },
    { member: 'method', meaning: 'kinds of site in the fit: 1:1 or 2:1, separated by spaces' },
    { member: 'kd_arithmetic_mean_m', meaning: 'beside the geometric mean kd_m' },
    { member: 'kd_geometric_cv', meaning: 'of the replicates; 0.1 is 10 %' },
    { member: 'r2', meaning: 'lowest R² over the replicates' },
    { member: 'chi2', unit: getSquaredSignalUnit, meaning: 'largest residual variance over the replicates' },
    {
      member: 'rmse_max_signal_pct',
      name: 'residual_rms_of_rmax',
      unit: '%',
      meaning: 'residual RMS as a fraction of Rmax',
    },
  ],
  curveColumns: BINDING_COLUMNS,
  lesson,
  about:
    'Affinity was measured from the signal over time at known concentrations of the analyte. Where kinetics were fitted, KD is koff / kon, the ratio of the dissociation and the association rate constant of one fit per replicate; where plateaus were fitted, it is the concentration at half saturation.',
  processing: FIT_PROCESSING,
  facts: [...BINDING_FACTS, ...FIT_FACTS],
  aggregation: GEOMETRIC,
};
