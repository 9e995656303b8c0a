/**
 * The presentation of thermostability.
 * This folder: thermostability as it is shown. Not here: values.
 */
import { defineDoubles, FITTED, PLACE, replicate, defineStrings } from '../../data-package/curve-columns.ts';
import type { Lesson } from '../../data-package/lessons.ts';
import { isRecord } from '../../data-package/packaged.ts';
import { withNumber } from '../../data-package/sentences.ts';
import { createFormatter, WIDER } from '../../figures/measures.ts';
import type { Measure } from '../../figures/measures.ts';
import { drawMelt } from './melt.ts';
import { prose, markStrong } from '../../words/prose.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { thermostabilityWords } from './words.ts';

const measure: Measure = {
  title: 'Thermostability',
  axis: 'Tm (°C)',
  head: 'Tm (95% CI)',
  isDecades: false,
  getQuantity: ({ quantities }) => quantities.tm,
  getReplicateValue: ({ tm }) => tm,
  getReplicateRelation: () => '=',
  formatQuantity: createFormatter(1),
  caption: `arithmetic mean over replicates, ${WIDER}`,
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

export const thermostability: ShownAssay = {
  reportName: 'Thermostability',
  words: thermostabilityWords,
  measure,
  draw: drawMelt,
  isCall: false,
  mainQuantities: ['tm', 'tonset', 'delta_tm_vs_control'],
  notebookQuantities: ['tm'],
  replicateIntervals: { tm: 'tm_interval' },
  scalars: [
    { member: 'tm_method', meaning: 'two_state, boltzmann or derivative; one for the experiment' },
    { member: 'tm_sd', unit: '°C', meaning: 'standard deviation of the Tm of the replicates' },
    { member: 'tm_all', unit: '°C', meaning: 'every transition, ascending, separated by spaces' },
    { member: 'delta_tm_control', meaning: 'name of the control of delta_tm_vs_control_c' },
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
    'Thermal unfolding was followed over a temperature ramp. The melting temperature Tm is the midpoint of the transition; a curve without a transition that passes the recorded limits has no Tm, and the reason is stated.',
  processing: ({ baseline, derivative_half_window_c: window, limits }) => [
    typeof baseline === 'string' ? `Baselines of the fit: ${baseline}.` : undefined,
    withNumber(window, (celsius) => `The derivative is a local quadratic over ±${celsius} °C.`),
    withNumber(
      isRecord(limits) ? limits.bic_gain_min : undefined,
      (gain) => `A further transition is accepted when it lowers the BIC by ${gain} or more.`,
    ),
  ],
};
