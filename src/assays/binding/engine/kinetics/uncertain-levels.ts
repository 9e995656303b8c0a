/** What is uncertain of the level of a curve beside the noise of its points. */
import { takeZeros } from './column-room.ts';
import { CurveCache } from './curve-cache.ts';
import type { FitCurve } from './model.ts';

/**
 * A level whose error shifts all points of a curve after a time: the baseline of the alignment, or the shift of a
 * join.
 */
export interface UncertainLevel {
  /** Levels of one name come from the same blank where curves share one. */
  name: 'alignment' | 'join' | 'start' | 'end';
  /** Standard error in the unit of the residual, above 0. */
  se: number;
  afterS: number;
  /** Default: to the end of the curve. */
  untilS?: number;
}

/** Returns the levels of a curve as processed. */
function listLevels(curve: FitCurve): UncertainLevel[] {
  const { alignmentSe = 0, joinSe = 0, stepSe, associationS } = curve;
  // A dissociation that is joined to association moves with it.
  const { start = 0, end = 0 } = stepSe ?? {};
  const steps =
    joinSe > 0
      ? [{ name: 'start' as const, se: start, afterS: 0 }]
      : [
          { name: 'start' as const, se: start, afterS: 0, untilS: associationS },
          { name: 'end' as const, se: end, afterS: associationS },
        ];
  const all: UncertainLevel[] = [
    { name: 'alignment', se: alignmentSe, afterS: Number.NEGATIVE_INFINITY },
    { name: 'join', se: joinSe, afterS: associationS },
    ...steps,
  ];
  return all.filter(({ se }) => se > 0);
}

/** A level with its column, which must not be changed. */
export interface DrawnLevel extends UncertainLevel {
  column: Float64Array;
}

/** The levels of a curve: each fit of a curve, and its errors, need them. */
const drawn = new CurveCache<readonly DrawnLevel[]>();

/** Returns the levels of a curve as processed, drawn at its times. */
export function drawLevels(curve: FitCurve): readonly DrawnLevel[] {
  return drawn.get(curve, () =>
    listLevels(curve).map((level) => ({ ...level, column: drawLevel(level, curve.timeS) })),
  );
}

/** Returns the column of a level at these times: its standard error where it shifts the points, else 0. */
function drawLevel(
  { se, afterS, untilS = Number.POSITIVE_INFINITY }: UncertainLevel,
  timeS: Float64Array,
): Float64Array {
  // In a loop of its own, because it runs for each level of each fit.
  const column = takeZeros(timeS.length);
  for (let i = 0; i < timeS.length; i += 1) if (timeS[i] > afterS && timeS[i] <= untilS) column[i] = se;
  return column;
}
