/** The KD of a fit that was not chosen, in words for messages. */
import { formatConcentration } from '#core/number-words.ts';
import { isInside } from './solve.ts';

/** A rate closer than this (in ln) to the edge of the search range ended there. */
const EDGE_MARGIN = 0.5;

/** `Other models that fit about as well give 28 nM to 170 nM.` */
export function describeRivals(kdsM: readonly number[]): string {
  const [low, high] = [Math.min(...kdsM), Math.max(...kdsM)].map(formatConcentration);
  return `Other models that fit about as well give ${low} to ${high}.`;
}

/** `KD would be 3.1 nM`; a fit that ended at the edge of its search determined no KD. */
export function describeOtherKd(fit: { kon: number; koff: number; kdM: number }): string {
  return isInside(fit, EDGE_MARGIN)
    ? `KD would be ${formatConcentration(fit.kdM)}`
    : 'the curves would determine no KD';
}
