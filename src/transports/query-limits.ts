/** What the database says of a query, by its code (PostgreSQL, appendix A). */
import { fail } from '#core/failures.ts';
import type { Binding } from '#features/binding.ts';

const STATEMENT_TIMEOUT = '57014';

/** Turns a statement timeout into `query_too_expensive` where the caller can narrow the query. */
export function refuseExpensive({ operation }: Binding, error: unknown): never {
  const isQuery = operation.query?.properties.filter !== undefined;
  if (isQuery && getCode(error) === STATEMENT_TIMEOUT)
    throw fail('query_too_expensive', {}, { cause: error });
  throw error;
}

export function getCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
