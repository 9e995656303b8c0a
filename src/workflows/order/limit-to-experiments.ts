/** For tokens limited to experiments: finds the experiment of a request, and whether the token may access it. */
import { fail } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { getScope, type Principal } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment } from '#features/experiments/store.ts';
import { findInvoice } from '#features/invoices/store.ts';
import { findQuote } from '#features/quotes/store.ts';
import { selectExperimentOfResult } from '#features/results/store.ts';
import { findSequence } from '#features/sequences/store.ts';
import { findExperimentOfTargetRequest } from '#features/targets/request-store.ts';
import { findExperimentOfUpdate } from '#features/updates/store.ts';
import { isExperimentAllowed } from '#features/tokens/attenuation.ts';

type Locate = (scope: OrganizationScope, sql: Sql, id: string) => Promise<string | undefined>;

/** Fields of a request that name an experiment or an object that belongs to one. */
const addresses: Readonly<Record<string, Locate>> = {
  experiment_id: async (_scope, _sql, id) => id,
  experiment_code: async (_scope, _sql, code) => code,
  quote_id: async (scope, sql, id) => (await findQuote(scope, sql, id))?.experiment_id,
  invoice_id: async (scope, sql, id) => (await findInvoice(scope, sql, id))?.experiment_id,
  sequence_id: async (scope, sql, id) => (await findSequence(scope, sql, id))?.experiment_id,
  result_id: selectExperimentOfResult,
  request_id: findExperimentOfTargetRequest,
  update_id: findExperimentOfUpdate,
};

/** Open to such tokens: what anybody may ask, and operations that declare themselves open. */
export function isOpenToLimited({
  permission,
  isOpenToLimitedTokens = false,
}: Pick<Operation, 'permission' | 'isOpenToLimitedTokens'>): boolean {
  return permission === 'any' || permission === 'public' || isOpenToLimitedTokens;
}

interface Request {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Missing experiments and foreign ones get the same answer. Throws `token_restricted`. */
export async function requireAllowedExperiment(
  operation: Operation,
  request: Request,
  { principal, sql }: { readonly principal: Principal; readonly sql: Sql },
): Promise<void> {
  if (isOpenToLimited(operation)) return;
  const namedExperiments = findNamedExperiments(operation, request);
  if (namedExperiments.length === 0)
    throw fail('token_restricted', {
      reason: 'it is limited to certain experiments; name one of them in the request',
    });
  const scope = getScope(principal);
  for (const { id, locate } of namedExperiments) {
    const idOrCode = await locate(scope, sql, id);
    const experiment = idOrCode === undefined ? undefined : await findExperiment(scope, sql, idOrCode);
    if (experiment === undefined || !isExperimentAllowed(principal.restrictions.experiments, experiment))
      throw fail('token_restricted', { reason: 'it is limited to other experiments' });
  }
}

/** Reads declared fields only: a field that the operation ignores does not narrow its effect. */
function findNamedExperiments(
  operation: Operation,
  { params, query, body }: Request,
): { id: string; locate: Locate }[] {
  const namedExperiments = [
    [operation.params, params],
    [operation.query, query],
    [operation.body, body],
  ] as const;
  return namedExperiments.flatMap(([schema, values]) =>
    Object.entries(addresses).flatMap(([name, locate]) => {
      const id = hasProperty(schema, name) ? getValue(values, name) : undefined;
      return typeof id === 'string' ? [{ id, locate }] : [];
    }),
  );
}

function hasProperty(schema: unknown, name: string): boolean {
  const properties = getValue(schema, 'properties');
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}

function getValue(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null) return undefined;
  return Object.entries(record).find(([key]) => key === name)?.[1];
}
