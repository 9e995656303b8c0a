/** The presentation of thermostability. */
import { formatCount } from '#core/words.ts';
import { isRecord } from '#core/records.ts';
import {
  defineDoubles,
  FITTED,
  PLACE,
  replicate,
  defineStrings,
} from '#features/results/package/curve-columns.ts';
import { type Lesson, withNumber, ARITHMETIC, countWords } from '#features/results/package/sentences.ts';
import { listReplicates, type PackagedResult } from '#features/results/package/packaged.ts';
import { describeBaselines, formatLaterTransitions, thermostabilityWords } from './melt-captions.ts';
import { createFormatter, WIDER, type Measure } from '#features/results/figures/measures.ts';
import { drawMelt } from './melt.ts';
import { MeltOverlays } from './melts.ts';
import { prose, markStrong } from '#documents/prose.ts';
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { thermostability as engine } from './engine/assay.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { thermostabilityResult } from './record.ts';
import { thermostabilityView } from './view.ts';
import { describeWithoutTm } from './without-tm.ts';

const measure: Measure = {
  title: 'Thermostability',
  axis: 'Tm (°C)',
  head: 'Tm (95% CI)',
  isDecades: false,
  getQuantity: ({ quantities }) => quantities.tm,
  getReplicateValue: ({ tm }) => tm,
  getReplicateRelation: ({ tm_relation: relation }) => relation ?? '=',
  formatQuantity: createFormatter(1),
  caption: `arithmetic mean over replicates (one fit of all of them where the signal is weak), ${WIDER}`,
  describeMeasured: describeWithoutTm,
};

const lesson: Lesson = {
  curves: {
    title: 'The melting curve behind a Tm',
    text: prose`The signal follows two sloping baselines, folded and unfolded, and moves from one to the other around Tm. The baselines matter: on real data the baseline rule changes Tm by up to 2 °C, so the rule is part of the result. The derivative shows how many transitions there are.`,
  },
  doubt: {
    title: 'When not to trust a Tm',
    points: [
      prose`${markStrong('No transition')} is a result. A Tm near an end of the ramp is not.`,
      prose`${markStrong('Compare within one plate and one buffer.')} ΔTm against the control of the same plate is more comparable than Tm itself.`,
      prose`${markStrong('Aggregation')} before unfolding distorts the curve; check the scattering channel if there is one.`,
      prose`Two transitions have two midpoints; unfolding starts at the first.`,
    ],
  },
};

/** Replicates by the number of their transitions, or by why they have none. */
const countTransitions = countWords('Replicates by transitions', (result) =>
  listReplicates(result).map(({ tm_all: all, no_transition_reason: reason }) =>
    typeof reason === 'string'
      ? `without Tm (${reason.replaceAll('_', ' ')})`
      : Array.isArray(all) && all.length > 0
        ? `with ${formatCount(all.length, 'transition')}`
        : null,
  ),
);

/** `first of 2 transitions, then 71.0 °C (95% CI 70.4–71.6)`; empty where the value is the only one of its kind. */
function formatSeveral({ rows: [{ tm_all: all } = {}], quantities }: PackagedResult): string {
  const later = formatLaterTransitions(all, quantities);
  return later.length === 0 ? '' : `first of ${later.length + 1} transitions, then ${later.join(', ')}`;
}

export const thermostability: ShownAssay<ResultOf<typeof engine>> = {
  result: thermostabilityResult,
  view: thermostabilityView,
  reportName: 'Thermostability',
  words: thermostabilityWords,
  measure,
  draw: drawMelt,
  collectOverlays: () => new MeltOverlays(),
  formatRemark: formatSeveral,
  isCall: false,
  mainQuantities: ['tm', 'tonset', 'delta_tm_vs_control'],
  notebookQuantities: ['tm'],
  replicateIntervals: { tm: 'tm_interval' },
  scalars: [
    { member: 'tm_method', meaning: 'two_state, boltzmann or derivative; one for the experiment' },
    { member: 'tm_sd', unit: '°C', meaning: 'standard deviation of the Tm of the replicates' },
    {
      member: 'tm_all',
      unit: '°C',
      meaning:
        'every transition, ascending, separated by spaces: tm_c, tm_2_c and tm_3_c, which have intervals',
    },
    {
      member: 'transition_doubts',
      meaning:
        'of each of them why it is an estimate or has no interval, separated by spaces; none where it is measured',
    },
    {
      member: 'delta_tm_control',
      meaning: 'name of the control that delta_tm_vs_control_c refers to; empty without such a difference',
    },
    { member: 'r2', meaning: 'lowest R² over the replicates with a Tm' },
    { member: 'initial_330nm', unit: 'counts', meaning: 'mean over the first °C at 330 nm' },
    { member: 'no_transition_reason', meaning: 'why there is no Tm' },
  ],
  curveColumns: [
    replicate,
    ...PLACE,
    ...defineStrings('channel'),
    ...defineDoubles('temperature_c'),
    ...FITTED,
    ...defineDoubles('derivative_per_c'),
  ],
  lesson,
  about:
    'Thermal unfolding was followed over a temperature ramp. A curve without a transition that passes the recorded limits has no melting temperature Tm, and the reason is stated.',
  processing: ({ settings, model, sharedSlopes }) => [
    describeRange(settings),
    model === null ? undefined : TM_WORDS[model],
    model === 'two_state' && typeof settings.baseline === 'string'
      ? `The two-state fit has ${describeBaselines(settings.baseline, sharedSlopes)}.`
      : undefined,
    withNumber(
      settings.derivative_half_window_c,
      (celsius) => `The derivative is a local quadratic over ±${celsius} °C.`,
    ),
    describeTransitions(settings, model),
  ],
  facts: [countTransitions],
  aggregation: ARITHMETIC,
};

type Settings = Readonly<Record<string, unknown>>;

const TM_WORDS: Readonly<Record<string, string>> = {
  two_state: 'Tm is the midpoint of a two-state fit (van ’t Hoff enthalpy).',
  boltzmann: 'Tm is the midpoint of a Boltzmann sigmoid, fitted up to the maximum of the signal.',
  derivative: 'Tm is the temperature at the maximum of the first derivative.',
};

function describeRange({ temperature_min_c: low, temperature_max_c: high }: Settings): string | undefined {
  const parts = [
    ...(typeof low === 'number' ? [`from ${low} °C`] : []),
    ...(typeof high === 'number' ? [`up to ${high} °C`] : []),
  ];
  return parts.length === 0 ? undefined : `Of each ramp the part ${parts.join(' ')} was used.`;
}

function describeTransitions(
  { transitions_max: most, limits }: Settings,
  model: string | null,
): string | undefined {
  if (model === 'derivative' || typeof most !== 'number') return undefined;
  if (most === 1) return 'One transition was fitted to each curve.';
  const gain = isRecord(limits) ? limits.bic_gain_min : undefined;
  return `Up to ${most} transitions were considered${typeof gain === 'number' ? `; one is accepted when it lowers the BIC by ${gain} or more` : ''}.`;
}
