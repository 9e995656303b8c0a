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
    experimentType: 'affinity',
    method: 'bli',
    sequenceCount: designs.sequences.length,
    nReplicates: designs.nReplicates,
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
    experimentId: id,
    experimentCode: code,
    createdAt,
    event: 'experiment.created',
    actorKind: 'client',
    actor: 'demo@example.org',
    name: 'Experiment created',
    status: 'draft',
  });
  await insertQuotedDesigns(sql, caller, { id, createdAt }, price, ids);
  await insertAudit(scope, sql, {
    id: ids.createUuid(),
    userId: caller.userId,
    tokenId: caller.tokenId,
    actorKind: 'user',
    actor: 'demo@example.org',
    operationId: 'create_exp',
    subject: id,
    status: 201,
    requestId: ids.createRequestId(),
    address: '127.0.0.1',
    details: null,
    createdAt,
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
      experimentType: 'affinity',
      method: 'bli',
      targetId: designs.targetId,
      requestedTarget: null,
      nReplicates: designs.nReplicates,
      antigenConcentrationsNm: designs.concentrationsNm,
      parameters: null,
      sequences: designs.sequences,
    },
    paymentMethod: 'async_invoice',
    webhookUrl: null,
    sealedWebhookSecret: null,
    userId: caller.userId,
    tokenId: caller.tokenId,
    createdAt,
  });
  const sequenceIds = designs.sequences.map(() => ids.createUuid());
  const into = { experimentId: id, firstOrdinal: 1, createdAt };
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
    experimentId: id,
    quoteNumber: formatQuoteNumber(createdAt.getUTCFullYear(), number),
    breakdown: price.breakdown,
    pricingVersion: price.breakdown.pricing_version,
    composition: null,
    tax: price.tax,
    notes: '',
    lineItems: price.lines,
    subtotalCents: totalCents,
    taxCents: 0,
    totalCents,
    currency: CURRENCY,
    terms: TERMS_AND_CONDITIONS,
    validUntil: computeValidUntil(createdAt),
    createdAt,
  });
}
