/** Which failures a person can act on: those of the files and the settings, and those of the room an analysis has. */
import { AnalysisError, FormatError } from './errors.ts';
import { PoolError, type PoolErrorCode } from '../pool/pool.ts';

const LIMITS: ReadonlySet<PoolErrorCode> = new Set(['timeout', 'crashed', 'out_of_memory']);

/** The sentence of a failure that will come again with the same files and settings; null for every other one. */
export function problemOf(error: unknown): string | null {
  if (error instanceof FormatError || error instanceof AnalysisError) return error.message;
  return error instanceof PoolError && LIMITS.has(error.code) ? error.message : null;
}
