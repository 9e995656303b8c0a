/** Decides which failures a person can fix: those of the files and settings, and those of memory and time limits. */
import { AnalysisError, FormatError } from './errors.ts';
import { PoolError, type PoolErrorCode } from '../pool/pool.ts';

const LIMITS: ReadonlySet<PoolErrorCode> = new Set(['timeout', 'crashed', 'out_of_memory']);

/**
 * Returns the message of a failure that would recur with the same files and settings; null for every other failure.
 */
export function findProblem(error: unknown): string | null {
  if (error instanceof FormatError || error instanceof AnalysisError) return error.message;
  return error instanceof PoolError && LIMITS.has(error.code) ? error.message : null;
}
