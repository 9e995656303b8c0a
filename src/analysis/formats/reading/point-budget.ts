/** Counts how many more points the curves of an upload may have, across all its files. */
import { FormatError } from '../../failures/errors.ts';
import { LIMITS } from './limits.ts';

export class PointBudget {
  private spent = 0;

  /** Subtracts the points of one curve; throws FormatError beyond the limit. */
  spend(file: string, steps: readonly { readonly timeS: { readonly length: number } }[]): void {
    for (const { timeS } of steps) this.spent += timeS.length;
    if (this.spent <= LIMITS.points) return;
    const expected = `at most ${LIMITS.points} points in all curves of an upload`;
    throw new FormatError({ file, line: null, column: null, expected, found: 'more' });
  }
}
