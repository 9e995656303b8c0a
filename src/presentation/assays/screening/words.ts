import type { ResultCurves } from '#domain/results/store.ts';
import { readSettings, writeReplicates } from '../../figures/captions.ts';
import { formatFixed } from '../../words/quantities.ts';
import { describeDetectable, formatKd, describeResult } from '../../words/results.ts';
import type { SensorgramWords } from '../binding/sensorgrams.ts';

export const screeningWords: SensorgramWords = {
  writeLine,
  curves: 'sensorgrams',
  writeNumbers,
  writeReplicate: ({ response }, signalUnit) =>
    typeof response === 'number' ? `response ${response.toFixed(3)} ${signalUnit}` : '',
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
  const seen = result.outcome === 'non_binder' ? describeDetectable(summary) : undefined;
  const facts = [call, ...(seen === undefined ? [] : [seen])];
  const { response, threshold } = summary;
  if (typeof response === 'number') {
    const limit = typeof threshold === 'number' ? `, threshold ${formatFixed(threshold, 3)}` : '';
    facts.push(`response ${formatFixed(response, 3)}${limit} ${result.signal_unit}`);
  }
  const estimate = formatKd(result.quantities.kd_estimate);
  if (estimate !== undefined) facts.push(`estimated ${estimate}`);
  return facts.join('; ');
}

function writeNumbers(result: ResultCurves): string {
  const { response_s: seconds } = readSettings(result);
  const over = typeof seconds === 'number' ? ` over the last ${seconds} s of association` : '';
  return `Response: mean${over}; dashed: threshold of the plate (median + 3 robust standard deviations of its negative controls, and at least 3 × noise). ${writeReplicates(result)} One concentration gives no interval.`;
}
