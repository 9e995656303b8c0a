/** Tokens limited to experiments: which experiment a request is about, and whether the token may reach it. */
import { fail } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { scopeOf, type Principal } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import { findInvoice } from '#domain/invoices/store.ts';
import { findQuote } from '#domain/quotes/store.ts';
import { experimentOfResult } from '#domain/results/store.ts';
import { findSequence } from '#domain/sequences/store.ts';
import { allowsExperiment } from '#domain/tokens/attenuation.ts';

type Locate = (scope: OrganizationScope, sql: Sql, id: string) => Promise<string | undefined>;

/** The fields by which a request names an experiment or something that belongs to one. */
const addresses: Readonly<Record<string, Locate>> = {
  experiment_id: async (_scope, _sql, id) => id,
  experiment_code: async (_scope, _sql, code) => code,
  quote_id: async (scope, sql, id) => (await findQuote(scope, sql, id))?.experiment_id,
  invoice_id: async (scope, sql, id) => (await findInvoice(scope, sql, id))?.experiment_id,
  sequence_id: async (scope, sql, id) => (await findSequence(scope, sql, id))?.experiment_id,
  result_id: experimentOfResult,
};

/** Targets belong to no experiment. */
const OPEN = /^target:/;

/** What belongs to no experiment, and what says of itself that it is open. Everything else is closed. */
export function isOpenToLimited({
  permission,
  isOpenToLimitedTokens = false,
}: Pick<Operation, 'permission' | 'isOpenToLimitedTokens'>): boolean {
  return permission === 'any' || permission === 'public' || OPEN.test(permission) || isOpenToLimitedTokens;
}

interface Request {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The answer is the same whether something does not exist or belongs to another experiment. */
export async function requireAllowedExperiment(
  operation: Operation,
  request: Request,
  { principal, sql }: { readonly principal: Principal; readonly sql: Sql },
): Promise<void> {
  if (isOpenToLimited(operation)) return;
  const named = namedIn(operation, request);
  if (named.length === 0)
    throw fail('token_restricted', {
      reason: 'it is limited to certain experiments, and the request reaches beyond them; name one of them',
    });
  const scope = scopeOf(principal);
  for (const { id, locate } of named) {
    const idOrCode = await locate(scope, sql, id);
    const experiment = idOrCode === undefined ? undefined : await findExperiment(scope, sql, idOrCode);
    if (experiment === undefined || !allowsExperiment(principal.restrictions.experiments, experiment))
      throw fail('token_restricted', { reason: 'it is limited to other experiments' });
  }
}

/** Only fields that the operation declares: one that it ignores would not narrow what it does. */
function namedIn(operation: Operation, { params, query, body }: Request): { id: string; locate: Locate }[] {
  const given = [
    [operation.params, params],
    [operation.query, query],
    [operation.body, body],
  ] as const;
  return given.flatMap(([schema, values]) =>
    Object.entries(addresses).flatMap(([name, locate]) => {
      const id = declares(schema, name) ? valueAt(values, name) : undefined;
      return typeof id === 'string' ? [{ id, locate }] : [];
    }),
  );
}

function declares(schema: unknown, name: string): boolean {
  const properties = valueAt(schema, 'properties');
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}

function valueAt(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null) return undefined;
  return Object.entries(record).find(([key]) => key === name)?.[1];
}
