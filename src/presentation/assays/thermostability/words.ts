import { listTransitions } from '../../figures/melt-captions.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { formatQuantity, writePlainLine } from '../../words/quantities.ts';
import type { ResultWords } from '../../words/result-words.ts';

export const thermostabilityWords: ResultWords = {
  writeLine,
  curves: 'melting curves',
};

function writeLine(result: ResultCurves): string {
  const { quantities, outcome } = result;
  const tm = formatQuantity(quantities.tm, 1);
  const onset = formatQuantity(quantities.tonset, 1);
  if (tm === undefined)
    return outcome === 'measured' ? 'no transition within the range' : writePlainLine(result);
  return `Tm ${tm}${describeSeveral(result.summary)}${onset === undefined ? '' : `, onset ${onset}`}`;
}

/** `, first of 2 transitions (69.3 °C)`; empty for a single one. */
function describeSeveral({ tm_all: all }: ResultCurves['summary']): string {
  const [, ...others] = listTransitions(all);
  if (others.length === 0) return '';
  const named = others.map((celsius) => celsius.toFixed(1)).join(', ');
  return `, first of ${others.length + 1} transitions (${others.length === 1 ? 'the other' : 'the others'}: ${named} °C)`;
}
