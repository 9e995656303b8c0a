import { formatLaterTransitions } from './melt-captions.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';
import { writeWithoutTm } from './without-tm.ts';

export const thermostabilityWords: ResultWords = {
  writeLine,
  curves: 'melting curves',
};

function writeLine(result: ResultCurves): string {
  const { quantities, outcome } = result;
  const tm = formatQuantity(quantities.tm, 1);
  const onset = formatQuantity(quantities.tonset, 1);
  if (tm === undefined) {
    if (outcome !== 'measured') return writePlainLine(result);
    return writeWithoutTm({ ...result.summary, flags: result.flags });
  }
  return `Tm ${tm}${describeSeveral(result)}${onset === undefined ? '' : `, onset ${onset}`}`;
}

/** `, first of 2 transitions (the other: 69.3 °C (95% CI 68.9–69.7))`; empty for a single one. */
function describeSeveral({ summary: { tm_all: all }, quantities }: ResultCurves): string {
  const others = formatLaterTransitions(all, quantities);
  if (others.length === 0) return '';
  return `, first of ${others.length + 1} transitions (${others.length === 1 ? 'the other' : 'the others'}: ${others.join(', ')})`;
}
