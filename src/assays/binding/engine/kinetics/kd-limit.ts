/** What a limit of KD allows for beside the noise, by how far association gets. */
import { RELATION_RULES } from '#core/relations.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { withholdQuantity, type Quantity } from '#analysis/quantities/quantity.ts';
import type { KineticFit } from './fit.ts';
import type { ProcessedCurve } from './process.ts';

/** Association with kobs·t_a below this is still a straight line. */
export const PLATEAU_MIN = 0.5;
/** From this kobs·t_a on association comes so near to its end that slow transport, which makes it straight, is excluded. */
const BENT_MIN = 2;

/** Returns kobs·t_a of the highest concentration. */
export function computeProgress(curves: readonly ProcessedCurve[], { kon, koff }: KineticFit): number {
  const top = Math.max(...curves.map((curve) => curve.concentrationM));
  return (kon * top + koff) * Math.max(...curves.map((curve) => curve.fit.associationS));
}

/**
 * Factor by which a limit of KD is less strict than the noise allows: errors of doses and times, and a part of another
 * mechanism that the curves do not show, move it by so much.
 */
const LIMIT_MARGIN = 1.2;
/**
 * Slow transport of a tight binder makes association as straight as doses far below KD do, by rates up to so many times slower on
 * surfaces of ordinary loading (Damköhler number; Myszka et al. 1998).
 */
const TRANSPORT_MARGIN = 10;

/** Returns a limit of KD that allows for what a straight association leaves open, and says why where there is none. */
export function admitLimit(
  found: Quantity | null,
  progress: number,
  flags: Flag[],
): { kd: Quantity | null; flags: Flag[] } {
  if (found?.relation === '>') {
    const margin = LIMIT_MARGIN * (progress < BENT_MIN ? TRANSPORT_MARGIN : 1);
    return { kd: { ...found, value: found.value / margin }, flags };
  }
  if (found?.relation !== '<') return { kd: found, flags };
  const isOpen = progress < PLATEAU_MIN;
  const widened = { ...found, value: found.value * LIMIT_MARGIN };
  const kd = withholdQuantity(widened, { limit_without_plateau: isOpen });
  return { kd, flags: isOpen ? tellOpen(flags) : flags };
}

/** Says it with the flag of what the curves leave open. */
function tellOpen(flags: readonly Flag[]): Flag[] {
  const { because } = RELATION_RULES.limit_without_plateau;
  const open = flags.find(({ code }) => code === 'POORLY_IDENTIFIED');
  if (open === undefined) return [...flags, createFlag('POORLY_IDENTIFIED', 'warning', because)];
  return flags.map((flag) => (flag === open ? { ...flag, message: `${flag.message} ${because}` } : flag));
}
