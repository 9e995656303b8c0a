import type { ResultCurves } from '#features/results/store.ts';
import { formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';

export const expressionWords: ResultWords = {
  writeLine,
  curves: 'captures',
};

function writeLine(result: ResultCurves): string {
  const amount = formatQuantity(result.quantities.yield_ng_per_ul);
  if (amount === undefined) return writePlainLine(result);
  return result.outcome === 'not_expressed' ? `not expressed, yield ${amount}` : `yield ${amount}`;
}
