import type { ResultCurves } from '#features/results/store.ts';
import { readSettings, writeReplicates } from '#features/results/figures/captions.ts';
import { formatSignalValue } from '#features/results/words/quantities.ts';
import { describeDetectable, formatKd, describeResult } from '#features/results/words/results.ts';
import { readPlateFacts } from '../binding/replicate-facts.ts';
import type { SensorgramWords } from '../binding/sensorgrams.ts';
import { CONTROLS_MIN, describeNoiseFloor } from './threshold.ts';

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
