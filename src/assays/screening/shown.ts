/** The presentation of screening. */
import type { ShownQuantity, ResultCurves } from '#features/results/store.ts';
import { WITHOUT_INTERVAL, type Lesson, type FactCollector } from '#features/results/package/sentences.ts';
import { findValue, findText, type PackagedResult } from '#features/results/package/packaged.ts';
import { createFormatter, type Measure, type Row } from '#features/results/figures/measures.ts';
import { markCode, prose, markStrong } from '#documents/prose.ts';
import { BINDING_FACTS, TRACE_PROCESSING } from '../binding/method.ts';
import { BINDING_COLUMNS, BINDING_INTERVALS, BINDING_SCALARS, formatOpenClass } from '../binding/parts.ts';
import { drawSensorgrams, type SensorgramWords } from '../binding/sensorgrams.ts';
import { SmallSensorgrams } from '../binding/small-sensorgrams.ts';
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { screening as engine } from './engine/assay.ts';
import type { ShownAssay } from '../shown-assay.ts';
import { screeningResult } from './record.ts';
import { screeningView } from './view.ts';
import { listRecords } from '#documents/records.ts';
import { readSettings, writeReplicates } from '#features/results/figures/captions.ts';
import { formatSignalValue } from '#features/results/words/quantities.ts';
import { describeDetectable, formatKd, describeResult } from '#features/results/words/results.ts';
import { readPlateFacts } from '../binding/replicate-facts.ts';
import { isRecord } from '#core/records.ts';

/** The threshold of a plate in words, as the settings and the controls of the plate make it. */

/** The scatter of fewer negative controls is not used. */
export const CONTROLS_MIN = 3;

/** `3 × the noise`; the setting is recorded among the limits. */
export function describeNoiseFloor({ limits }: Readonly<Record<string, unknown>>): string | undefined {
  const factor = isRecord(limits) ? limits.signal_to_noise : undefined;
  return typeof factor === 'number' ? `${factor} × the noise of the curve` : undefined;
}

/** The sentence of the methods; undefined where the settings do not have the limit. */
export function describeThreshold(settings: Readonly<Record<string, unknown>>): string | undefined {
  const floor = describeNoiseFloor(settings);
  return floor === undefined
    ? undefined
    : `The threshold of a plate is the median of its negative controls plus three times their scaled median absolute deviation where it has at least ${CONTROLS_MIN} of them, and never below ${floor} or what is significant above that noise.`;
}

export const screeningWords: SensorgramWords = {
  writeLine,
  curves: 'sensorgrams',
  writeNumbers,
  writeReplicate: ({ response }, signalUnit) =>
    typeof response === 'number' ? `response ${formatSignalValue(response)} ${signalUnit}` : '',
  findThreshold: ({ threshold }) => (typeof threshold === 'number' ? threshold : null),
};

const CALLS: Readonly<Record<string, string>> = {
  binder: 'binder',
  non_binder: 'no binding detected',
  inconclusive: 'inconclusive',
};

/** A screen reports a call and a response, and at most an estimate of KD. */
function writeLine(result: ResultCurves): string {
  const { summary } = result;
  const call = typeof summary.call === 'string' ? CALLS[summary.call] : undefined;
  if (call === undefined || !['measured', 'non_binder', 'inconclusive'].includes(result.outcome))
    return describeResult(result);
  const detectable = result.outcome === 'non_binder' ? describeDetectable(summary) : undefined;
  const facts = [call, ...(detectable === undefined ? [] : [detectable])];
  const { response, threshold } = summary;
  if (typeof response === 'number') {
    const limit = typeof threshold === 'number' ? `, threshold ${formatSignalValue(threshold)}` : '';
    facts.push(`response ${formatSignalValue(response)}${limit} ${result.signal_unit}`);
  }
  const estimate = formatKd(result.quantities.kd_estimate);
  if (estimate !== undefined) facts.push(`estimated ${estimate}`);
  return facts.join('; ');
}

function writeNumbers(result: ResultCurves): string {
  const settings = readSettings(result);
  const { response_s: seconds } = settings;
  const { threshold, concentrations_m: doses, response_unit: unit } = result.summary;
  const over = typeof seconds === 'number' ? ` over the last ${seconds} s of association` : '';
  const divided = unit === 'per loading' ? ', divided by the loading' : '';
  const hasThreshold =
    typeof threshold === 'number' ||
    result.replicates.some((row) => screeningWords.findThreshold(row) !== null);
  return [
    `Response: mean${over}${divided}${hasThreshold ? `; dashed: threshold of the plate${explainThreshold(result, settings)}` : ''}.`,
    writeReplicates(result),
    Array.isArray(doses) && doses.length === 1 ? 'One concentration: no KD and no interval.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** ` (median + at least 3 robust standard deviations of its 8 negative controls, and at least 3 × the noise of the curve)`. */
function explainThreshold(result: ResultCurves, settings: Readonly<Record<string, unknown>>): string {
  const { negativeControls } = readPlateFacts(result.analysis, result.replicates);
  const floor = describeNoiseFloor(settings);
  const counted = [...new Set(negativeControls)].toSorted((a, b) => a - b);
  const enough = counted.filter((count) => count >= CONTROLS_MIN);
  const byControls =
    enough.length === 0
      ? undefined
      : `median + at least 3 robust standard deviations of its ${enough.join(' or ')} negative controls`;
  const parts = [byControls, floor === undefined ? undefined : `at least ${floor}`].filter(
    (part) => part !== undefined,
  );
  const few =
    enough.length === counted.length
      ? ''
      : `${parts.length === 0 ? '' : '; '}from the noise alone where there are fewer than ${CONTROLS_MIN} negative controls`;
  return parts.length === 0 && few === '' ? '' : ` (${parts.join(', and ')}${few})`;
}

/** Says of how many plates the threshold rests on negative controls. */
const tellNegativeControls = (): FactCollector => {
  const plates = new Map<string, number>();
  return {
    take({ analysis }) {
      for (const { plate, n_negative_controls: count } of listRecords(analysis.plates))
        if (typeof count === 'number') plates.set(String(plate), count);
    },
    writeSentence() {
      const counts = [...plates.values()];
      if (counts.length === 0) return undefined;
      const enough = counts.filter((count) => count >= CONTROLS_MIN).length;
      const rest = counts.length - enough;
      return `Plates by threshold: ${[
        ...(enough > 0
          ? [
              `${enough} from negative controls (${listRange(counts.filter((count) => count >= CONTROLS_MIN))} each)`,
            ]
          : []),
        ...(rest > 0 ? [`${rest} from the noise alone`] : []),
      ].join(', ')}.`;
    },
  };
};

function listRange(counts: readonly number[]): string {
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? String(low) : `${low}–${high}`;
}

const getResponseUnit = (result: PackagedResult) => findText(findValue(result, 'response_unit'));

function computeRatio({ response, threshold }: Row): number | null {
  return typeof response === 'number' && typeof threshold === 'number' && threshold > 0
    ? response / threshold
    : null;
}

/** A zero response has no logarithm, so it is drawn at the lower end of the scale, as a limit. */
const RATIO_MIN = 0.1;

function getRatioQuantity(row: Row): ShownQuantity | undefined {
  const value = computeRatio(row);
  if (value === null) return undefined;
  return value < RATIO_MIN ? { value: RATIO_MIN, relation: '<' } : { value, relation: '=' };
}

const measure: Measure = {
  title: 'Screening',
  axis: 'Response / threshold of the plate',
  head: 'Response / threshold',
  isDecades: true,
  getQuantity: ({ summary }) => getRatioQuantity(summary),
  getReplicateValue: (row) => getRatioQuantity(row)?.value,
  getReplicateRelation: (row) => getRatioQuantity(row)?.relation,
  formatQuantity: createFormatter(),
  level: { value: 1, name: 'threshold' },
  describeFound: ({ call, binding }) =>
    call === 'binder' || binding === 'true' ? 'binding detected' : undefined,
  caption:
    'mean over replicates at the highest concentration, without an interval; ranked by z-score, the response in deviations from the negative controls of its plate, or of its own noise without enough of them',
};

const lesson: Lesson = {
  curves: {
    title: 'The traces behind a yes or no',
    text: prose`A screen asks one question: does the response at the end of association exceed that of the negative controls of the plate? One concentration gives no KD; two give at most an estimate, with the relation ${markCode('~')}.`,
  },
  doubt: {
    title: 'When not to trust a hit',
    points: [
      prose`${markStrong('Just above the threshold')} is just above the threshold: repeat it before you rely on it.`,
      prose`${markStrong('Low loading')} gives a low response even to a good binder; check the loading before you reject a design.`,
      prose`${markStrong('A sticky design')} also binds to the reference (flag NSB): it binds non-specifically.`,
      prose`Two replicates that disagree are ${markCode('inconclusive')}, which is an answer.`,
    ],
  },
};

export const screening: ShownAssay<ResultOf<typeof engine>> = {
  result: screeningResult,
  view: screeningView,
  reportName: 'Binding screen',
  words: screeningWords,
  measure,
  draw: (result) => drawSensorgrams(result, screeningWords),
  formatRemark: formatOpenClass,
  collectOthers: () => new SmallSensorgrams(),
  isCall: true,
  mainQuantities: ['response', 'kd_estimate'],
  notebookQuantities: ['response', 'kd_estimate', 'kd'],
  replicateIntervals: BINDING_INTERVALS,
  scalars: [
    ...BINDING_SCALARS,
    { member: 'response', unit: getResponseUnit, meaning: 'mean over replicates' },
    { member: 'response_sd', unit: getResponseUnit, meaning: 'standard deviation over replicates' },
    {
      member: 'threshold',
      unit: getResponseUnit,
      meaning: 'of the plates, above which a response is binding',
    },
    { member: 'z_score', meaning: 'response in robust deviations from the negative controls' },
    { member: 'loading_level', unit: getResponseUnit, meaning: 'of the ligand on the sensor' },
    {
      member: 'pct_theoretical_rmax',
      name: 'theoretical_rmax',
      unit: '%',
      meaning: 'response as a fraction of the theoretical Rmax from masses and loading',
    },
  ],
  curveColumns: BINDING_COLUMNS,
  lesson,
  about:
    'Designs were screened for binding: the response is the signal at the end of association, at the highest concentration of the analyte.',
  processing: ({ settings, model }) => [
    ...TRACE_PROCESSING({ settings, model }),
    settings.normalize_to_loading === true
      ? 'Responses and thresholds were divided by the loading of the sensor.'
      : undefined,
    describeThreshold(settings),
  ],
  facts: [...BINDING_FACTS, tellNegativeControls],
  aggregation: WITHOUT_INTERVAL,
};
