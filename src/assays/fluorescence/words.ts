import type { ResultCurves } from '#features/results/store.ts';
import { formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';

export const fluorescenceWords: ResultWords = {
  writeLine,
  curves: 'wells',
};

function writeLine(result: ResultCurves): string {
  const normalized = formatQuantity(result.quantities.normalized_to_control);
  const intensity = formatQuantity(result.quantities.intensity);
  if (normalized !== undefined)
    return `relative intensity ${normalized}${intensity === undefined ? '' : `, intensity ${intensity}`}`;
  return intensity === undefined ? writePlainLine(result) : `intensity ${intensity}`;
}
