/** What the service sends to the database for the measured requests: the stores' own statements, called directly. */
import { CURRENCY } from '#core/money.ts';
import type { Ids } from '#core/ids.ts';
import { parseListQuery, type CursorSigner, type ListQuery } from '#core/filter/index.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { insertAudit } from '#features/audit/store.ts';
import { experimentFields } from '#features/experiments/list-fields.ts';
import { insertExperiment, takeExperimentNumber } from '#features/experiments/store.ts';
import { selectPriceListAt } from '#features/pricing/store.ts';
import { UNTAXED } from '#features/pricing/totals.ts';
import { computePrice, type Price } from '#features/pricing/rules.ts';
import { formatQuoteNumber, TERMS_AND_CONDITIONS, computeValidUntil } from '#features/quotes/rules.ts';
import { insertQuote, takeQuoteNumber } from '#features/quotes/store.ts';
import { insertSequences } from '#features/sequences/store.ts';
import type { NewSequence } from '#features/sequences/rules.ts';
import { findTarget } from '#features/targets/store.ts';
import { selectTokenStanding } from '#features/tokens/store.ts';
import { insertUpdate } from '#features/updates/store.ts';

export interface Caller {
  readonly organizationId: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly slug: string;
}

export function getScope(caller: Caller): OrganizationScope {
  return createOrganizationScope(caller.organizationId);
}

/** The one statement that every request begins with. */
export async function identify(sql: Sql, caller: Caller): Promise<void> {
  const { tokenId, userId } = caller;
  const claims = { tid: tokenId, path: [tokenId], sub: userId };
  const standing = await selectTokenStanding(getScope(caller), sql, claims);
  if (standing === undefined || standing.revoked) throw new Error('the token of the bench does not work');
}

export function listQuery(limit: number, caller: Caller, cursors?: CursorSigner): ListQuery {
  const options = cursors === undefined ? {} : { cursors, cursorList: `${caller.organizationId} ` };
  return parseListQuery(experimentFields, { limit: String(limit) }, options);
}

export interface NewDesigns {
  readonly name: string;
  readonly targetId: string;
  readonly nReplicates: number;
  readonly concentrationsNm: readonly number[];
  readonly sequences: readonly NewSequence[];
}

export interface Stored {
  readonly id: string;
  readonly code: string;
  readonly price: Price;
}

/** The statements of `POST /experiments` within its transaction, for a draft with a calibrated target. */
export async function storeDesigns(
  sql: Sql,
  caller: Caller,
  designs: NewDesigns,
  ids: Ids,
  baseUrl: string,
): Promise<Stored> {
  const scope = getScope(caller);
  const createdAt = new Date();
  const target = await findTarget(scope, sql, designs.targetId);
  const prices = await selectPriceListAt(sql, createdAt, designs.targetId);
  if (target === undefined || prices === undefined) throw new Error('nothing to price by');
  const reference = {
    name: target.name,
    sequence: target.sequence,
    supplier_url: `${baseUrl}/targets/${target.id}`,
    target_catalog_id: target.id,
  };
  const request = {
    experiment_type: 'affinity',
    method: 'bli',
    sequence_count: designs.sequences.length,
    n_replicates: designs.nReplicates,
    target: { reference, pricing: target.pricing },
  };
  const price = computePrice(request, prices, UNTAXED);
  if (price?.kind !== 'complete') throw new Error('the target of the bench has no calibrated price');
  const id = ids.createUuid();
  const number = await takeExperimentNumber(scope, sql, 1);
  const code = `${caller.slug}-001-${number.toString().padStart(3, '0')}`;
  await insertDesigns(sql, caller, { id, code, createdAt }, designs, ids);
  await insertUpdate(scope, sql, {
    id: ids.createUuid(),
    experiment_id: id,
    experiment_code: code,
    created_at: createdAt,
    event: 'experiment.created',
    actor_kind: 'client',
    actor: 'demo@example.org',
    name: 'Experiment created',
    status: 'draft',
  });
  await insertQuotedDesigns(sql, caller, { id, createdAt }, price, ids);
  await insertAudit(scope, sql, {
    id: ids.createUuid(),
    user_id: caller.userId,
    token_id: caller.tokenId,
    actor_kind: 'user',
    actor: 'demo@example.org',
    operation_id: 'create_exp',
    subject: id,
    status: 201,
    request_id: ids.createRequestId(),
    address: '127.0.0.1',
    details: null,
    created_at: createdAt,
  });
  return { id, code, price };
}

interface Place {
  readonly id: string;
  readonly code: string;
  readonly createdAt: Date;
}

async function insertDesigns(
  sql: Sql,
  caller: Caller,
  { id, code, createdAt }: Place,
  designs: NewDesigns,
  ids: Ids,
): Promise<void> {
  const scope = getScope(caller);
  await insertExperiment(scope, sql, {
    id,
    code,
    name: designs.name,
    description: null,
    status: 'draft',
    spec: {
      experiment_type: 'affinity',
      method: 'bli',
      target_id: designs.targetId,
      requested_target: null,
      n_replicates: designs.nReplicates,
      antigen_concentrations_nm: designs.concentrationsNm,
      parameters: null,
      sequences: designs.sequences,
    },
    payment_method: 'async_invoice',
    webhook_url: null,
    sealed_webhook_secret: null,
    user_id: caller.userId,
    token_id: caller.tokenId,
    created_at: createdAt,
  });
  const sequenceIds = designs.sequences.map(() => ids.createUuid());
  const into = { experiment_id: id, first_ordinal: 1, created_at: createdAt };
  await insertSequences(scope, sql, into, designs.sequences, sequenceIds);
}

async function insertQuotedDesigns(
  sql: Sql,
  caller: Caller,
  { id, createdAt }: Omit<Place, 'code'>,
  price: Extract<Price, { kind: 'complete' }>,
  ids: Ids,
): Promise<void> {
  const scope = getScope(caller);
  const { total_cents: totalCents } = price.breakdown;
  const number = await takeQuoteNumber(sql);
  await insertQuote(scope, sql, {
    id: ids.createQuoteId(),
    experiment_id: id,
    quote_number: formatQuoteNumber(createdAt.getUTCFullYear(), number),
    breakdown: price.breakdown,
    pricing_version: price.breakdown.pricing_version,
    composition: null,
    tax: price.tax,
    notes: '',
    line_items: price.lines,
    subtotal_cents: totalCents,
    tax_cents: 0,
    total_cents: totalCents,
    currency: CURRENCY,
    terms_and_conditions: TERMS_AND_CONDITIONS,
    valid_until: computeValidUntil(createdAt),
    created_at: createdAt,
  });
}
