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
  return `Tm ${tm}${onset === undefined ? '' : `, onset ${onset}`}`;
}
