/** The lists: each parses its query against its own declared fields and runs one statement. */
import { fail } from '#core/failures.ts';
import type { ReadContext } from '#core/context.ts';
import { parseListQuery, type ListFields, type ListQuery, type RawQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listExperiments } from '#domain/experiments/contract.ts';
import { experimentFields } from '#domain/experiments/list-fields.ts';
import { listExperimentPage } from '#domain/experiments/list-store.ts';
import { findExperiment } from '#domain/experiments/store.ts';
import type { listInvoices } from '#domain/invoices/contract.ts';
import { invoiceFields } from '#domain/invoices/list-fields.ts';
import { listInvoicePage } from '#domain/invoices/list-store.ts';
import type { listAllInvoices } from '#domain/invoices/lab-contract.ts';
import type { listQuotes } from '#domain/quotes/contract.ts';
import type { listAllQuotes } from '#domain/quotes/lab-contract.ts';
import { quoteFields } from '#domain/quotes/list-fields.ts';
import { listQuotePage } from '#domain/quotes/list-store.ts';
import type { listRefunds } from '#domain/refunds/contract.ts';
import { refundFields } from '#domain/refunds/list-fields.ts';
import { listRefundPage } from '#domain/refunds/list-store.ts';
import type { getExperimentResults, listResults } from '#domain/results/contract.ts';
import { experimentResultFields, resultFields } from '#domain/results/list-fields.ts';
import { listResultPage } from '#domain/results/store.ts';
import type { getExperimentSequences, listSequences } from '#domain/sequences/contract.ts';
import { sequenceFields } from '#domain/sequences/list-fields.ts';
import { listSequencePage } from '#domain/sequences/store.ts';
import type { listTargets } from '#domain/targets/contract.ts';
import { targetFields } from '#domain/targets/list-fields.ts';
import { listTargetPage } from '#domain/targets/store.ts';
import type { listTokens } from '#domain/tokens/contract.ts';
import { tokenFields } from '#domain/tokens/list-fields.ts';
import { listTokenPage } from '#domain/tokens/list-store.ts';
import type { getExperimentUpdates, listUpdates } from '#domain/updates/contract.ts';
import { experimentUpdateFields, updateFields } from '#domain/updates/list-fields.ts';
import { listUpdatePage } from '#domain/updates/store.ts';
import { withPackageLinks } from '../data-package/package-link.ts';

/** A cursor goes on only where it came from: the same organization and, where there is one, the same experiment. */
function parse(
  context: ReadContext,
  fields: ListFields,
  query: RawQuery,
  reserved: readonly string[] = [],
  experiment = '',
): ListQuery {
  return parseListQuery(fields, query, {
    reserved,
    cursors: context.cursors,
    cursorBinding: `${context.principal.organizationId} ${experiment}`,
  });
}

async function requireExperimentId(context: ReadContext, idOrCode: string): Promise<string> {
  const experiment = await findExperiment(scopeOf(context.principal), context.sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment.id;
}

/** A list that is narrowed to an unknown experiment is empty, not an error. */
async function experimentIdOrNone(
  context: ReadContext,
  idOrCode: string | undefined,
): Promise<string | null> {
  if (idOrCode === undefined) return null;
  const experiment = await findExperiment(scopeOf(context.principal), context.sql, idOrCode);
  return experiment?.id ?? NOBODY;
}

/** A cursor of a list of the lab does not go on in the list of an organization. */
const LAB = 'lab';

const NOBODY = '00000000-0000-0000-0000-000000000000';

export function experiments(input: Input<typeof listExperiments>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, experimentFields, input.query);
  return listExperimentPage(scopeOf(context.principal), context.sql, query, context.site.baseUrl);
}

export async function sequences(input: Input<typeof listSequences>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, sequenceFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await experimentIdOrNone(context, input.query.experiment_id);
  return listSequencePage(scopeOf(context.principal), context.sql, query, experimentId);
}

export async function sequencesOfExperiment(
  input: Input<typeof getExperimentSequences>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parse(context, sequenceFields, input.query, [], input.params.experiment_id);
  const experimentId = await requireExperimentId(context, input.params.experiment_id);
  return listSequencePage(scopeOf(context.principal), context.sql, query, experimentId);
}

export function targets(input: Input<typeof listTargets>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, targetFields, input.query, [
    'selfservice_only',
    'show_conjugated',
    'detailed',
  ]);
  return listTargetPage(scopeOf(context.principal), context.sql, query, {
    baseUrl: context.site.baseUrl,
    selfServiceOnly: input.query.selfservice_only ?? false,
    showConjugated: input.query.show_conjugated ?? false,
    detailed: input.query.detailed ?? false,
  });
}

export function quotes(input: Input<typeof listQuotes>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, quoteFields, input.query);
  return listQuotePage(scopeOf(context.principal), context.sql, query, context.site.baseUrl);
}

export function invoices(input: Input<typeof listInvoices>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, invoiceFields, input.query);
  return listInvoicePage(scopeOf(context.principal), context.sql, query, context.site.baseUrl);
}

export function tokens(input: Input<typeof listTokens>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, tokenFields, input.query);
  const { principal, sql } = context;
  return principal.permissions.has('admin:list')
    ? listTokenPage(labScope, sql, query, null)
    : listTokenPage(scopeOf(principal), sql, query, principal.userId);
}

export function updates(input: Input<typeof listUpdates>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, updateFields, input.query);
  return listUpdatePage(scopeOf(context.principal), context.sql, query, null);
}

export async function updatesOfExperiment(
  input: Input<typeof getExperimentUpdates>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parse(context, experimentUpdateFields, input.query, [], input.params.experiment_id);
  const experimentId = await requireExperimentId(context, input.params.experiment_id);
  return listUpdatePage(scopeOf(context.principal), context.sql, query, experimentId);
}

export async function results(input: Input<typeof listResults>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, resultFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await experimentIdOrNone(context, input.query.experiment_id);
  const apiUrl = `${context.site.baseUrl}/api/v1`;
  const scope = scopeOf(context.principal);
  return withPackageLinks(context, await listResultPage(scope, context.sql, query, { apiUrl, experimentId }));
}

export async function resultsOfExperiment(
  input: Input<typeof getExperimentResults>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parse(context, experimentResultFields, input.query, [], input.params.experiment_id);
  const experimentId = await requireExperimentId(context, input.params.experiment_id);
  const apiUrl = `${context.site.baseUrl}/api/v1`;
  const scope = scopeOf(context.principal);
  return withPackageLinks(context, await listResultPage(scope, context.sql, query, { apiUrl, experimentId }));
}

export function allQuotes(input: Input<typeof listAllQuotes>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, quoteFields, input.query, [], LAB);
  return listQuotePage(labScope, context.sql, query, context.site.baseUrl);
}

export function allInvoices(input: Input<typeof listAllInvoices>, context: ReadContext): Promise<RawJson> {
  return listInvoicePage(
    labScope,
    context.sql,
    parse(context, invoiceFields, input.query, [], LAB),
    context.site.baseUrl,
  );
}

export function refunds(input: Input<typeof listRefunds>, context: ReadContext): Promise<RawJson> {
  return listRefundPage(labScope, context.sql, parse(context, refundFields, input.query, [], LAB));
}
