/** Which failures a person can act on: those of the files and the settings, and those of the room an analysis has. */
import { AnalysisError, FormatError } from './errors.ts';
import { PoolError } from './pool.ts';

/** The sentence of a failure that will come again with the same files and settings; null for every other one. */
export function problemOf(error: unknown): string | null {
  if (error instanceof FormatError || error instanceof AnalysisError) return error.message;
  const isLimit = error instanceof PoolError && (error.code === 'timeout' || error.code === 'crashed');
  return isLimit ? error.message : null;
}
