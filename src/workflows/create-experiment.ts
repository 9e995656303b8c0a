/** Creating an experiment: checked, priced, stored and announced in one transaction. */
import { fail, type Problem } from '#core/failures.ts';
import type { ReadContext, Work, WriteContext } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { Answer, type Input } from '#core/operation.ts';
import { scopeOf, type Principal } from '#core/principal.ts';
import { runInSlices } from '#core/slices.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type {
  CreateExpRequest,
  ExperimentSpec,
  createExperiment,
  validateExperiment,
} from '#domain/experiments/contract.ts';
import {
  checkEnvelope,
  checkSpec,
  problemsFailure,
  refuseIfNotOffered,
  refuseIfTooMany,
  type NewExperimentSpec,
} from '#domain/experiments/rules.ts';
import { insertExperiment, nextExperimentNumber, type ExperimentRow } from '#domain/experiments/store.ts';
import { chooseRail, type PaymentMethod } from '#domain/invoices/rules.ts';
import { invoicedCosts } from '#domain/invoices/wire.ts';
import type { ExperimentCosts } from '#domain/pricing/contract.ts';
import type { Price } from '#domain/pricing/rules.ts';
import { insertSequences } from '#domain/sequences/store.ts';
import { insertTargetRequest } from '#domain/targets/store.ts';
import { announce } from './advance-experiment.ts';
import { acceptQuote } from './confirm-quote.ts';
import { draftQuote, openQuote, scheduleSendQuote } from './prepare-quote.ts';
import { priceOf, requireTarget } from './price-experiment.ts';

const DEFAULT_SERIES = 1;

export interface Prepared {
  readonly spec: NewExperimentSpec;
  readonly price: Price;
  readonly warnings: string[];
}

/** Everything that can be said about a specification, and what stands beside it, before anything is stored. */
export async function prepareSpec(
  context: Pick<ReadContext, 'site' | 'clock'>,
  scope: OrganizationScope,
  sql: Sql,
  wire: ExperimentSpec,
  besides: readonly Problem[] = [],
): Promise<Prepared> {
  const { site } = context;
  refuseIfNotOffered(wire.experiment_type, site.offeredTypes);
  refuseIfTooMany(Object.keys(wire.sequences ?? {}).length, site.limits);
  const { spec, problems, warnings } = await runInSlices(checkSpec(wire, site.limits));
  if (spec === null || besides.length > 0) throw problemsFailure([...besides, ...problems]);
  const target =
    spec.targetId === null
      ? undefined
      : await requireTarget(scope, sql, spec.targetId, 'experiment_spec.target_id');
  const priceable = { ...spec, sequenceCount: spec.sequences.length };
  const price = await priceOf(site, scope, sql, priceable, context.clock.now(), target);
  return { spec, price, warnings: [...warnings] };
}

export function estimateOf(price: Price): ExperimentCosts {
  return price.kind === 'complete'
    ? { type: 'estimate', breakdown: price.breakdown, totals: estimatedTotals(price) }
    : { type: 'incomplete_estimate', ...price.incomplete };
}

export function estimatedTotals({ totals, tax }: Extract<Price, { kind: 'complete' }>) {
  return { ...totals, tax };
}

/** `POST /experiments/validate`: everything a creation would say. */
export async function validateNewExperiment(input: Input<typeof validateExperiment>, context: ReadContext) {
  refuseUnservedRail(context, railOf(input.headers['payment-method'], context.principal));
  const prepared = await prepareSpec(
    context,
    scopeOf(context.principal),
    context.sql,
    input.body.experiment_spec,
    checkEnvelope(input.body),
  );
  refuseIncompleteAcceptance(input.body, prepared.price);
  return {
    valid: true as const,
    warnings: prepared.warnings,
    sequence_count: prepared.spec.sequences.length,
    costs: estimateOf(prepared.price),
  };
}

/** `POST /experiments`. */
export async function createNewExperiment(input: Input<typeof createExperiment>, context: WriteContext) {
  const { body } = input;
  const rail = railOf(input.headers['payment-method'], context.principal);
  refuseUnservedRail(context, rail);
  const scope = scopeOf(context.principal);
  const prepared = await prepareSpec(context, scope, context.tx, body.experiment_spec, checkEnvelope(body));
  refuseIncompleteAcceptance(body, prepared.price);

  const experiment = await store(context, scope, body, prepared.spec, rail);
  const quoteId = await draftQuote(context, context.tx, scope, experiment.id, prepared.price);
  const started = startingStatus(body);
  const quote =
    quoteId === undefined || started === 'draft'
      ? undefined
      : await openQuote(context, context.tx, scope, experiment, quoteId);

  const created = {
    experiment_id: experiment.id,
    error: null,
    experiment_code: experiment.code,
    status: experiment.status,
    costs: estimateOf(prepared.price),
    ...(prepared.warnings.length > 0 ? { warnings: prepared.warnings } : {}),
  };
  if (body.auto_accept_quote !== true || quote === undefined) {
    if (quote !== undefined) await scheduleSendQuote(context, context.tx, scope, experiment.id);
    return created;
  }
  const isMachine = rail !== 'async_invoice';
  const accepted = await acceptQuote(context, scope, { experiment, quote }, { finalize: isMachine });
  // Nobody has to look at an invoice that a machine pays at once.
  if (isMachine) return new Answer(200, accepted.response);
  return {
    ...created,
    status: accepted.experiment.status,
    costs: invoicedCosts(context.site, accepted.invoice),
    provider_invoice_id: accepted.invoice.external_id,
    provider_hosted_invoice_url: null,
  };
}

function startingStatus(body: CreateExpRequest): ExperimentStatus {
  return body.skip_draft === true || body.auto_accept_quote === true ? 'waiting_for_confirmation' : 'draft';
}

/** A token with a payment policy pays by the first of its methods unless asked otherwise, and never by another machine. */
function railOf(header: string | undefined, { restrictions }: Principal): PaymentMethod {
  const methods = restrictions.paymentMethods;
  const rail = chooseRail(header ?? methods?.[0]);
  if (methods !== null && rail !== 'async_invoice' && !methods.includes(rail))
    throw fail('token_restricted', { reason: `it does not pay by ${rail}` });
  return rail;
}

/** Machine rails are pinned at creation, so an environment that does not serve one says so before any work is done. */
function refuseUnservedRail({ site }: Work, rail: PaymentMethod): void {
  if (rail !== 'async_invoice' && !site.machineMethods.includes(rail))
    throw fail('payment_rail_not_served', { method: rail });
}

function refuseIncompleteAcceptance(body: CreateExpRequest, price: Price): void {
  if (body.auto_accept_quote === true && price.kind === 'incomplete') {
    throw fail('pricing_incomplete', { reason: price.incomplete.materials_unavailable.reason });
  }
}

async function store(
  context: WriteContext,
  scope: OrganizationScope,
  body: CreateExpRequest,
  spec: NewExperimentSpec,
  rail: PaymentMethod,
): Promise<ExperimentRow> {
  const { tx, principal, ids, clock } = context;
  const createdAt = clock.now();
  const id = ids.uuid();
  const number = await nextExperimentNumber(scope, tx, DEFAULT_SERIES);
  const code = experimentCode(principal.organizationSlug, DEFAULT_SERIES, number);
  const experiment = await insertExperiment(scope, tx, {
    id,
    code,
    name: body.name,
    description: body.description ?? null,
    status: startingStatus(body),
    spec,
    paymentMethod: rail,
    webhookUrl: body.webhook_url ?? null,
    webhookSecret: body.webhook_secret ?? null,
    userId: principal.userId,
    tokenId: principal.tokenId,
    createdAt,
  });
  const sequenceIds = spec.sequences.map(() => ids.uuid());
  await insertSequences(
    scope,
    tx,
    { experimentId: id, firstOrdinal: 1, createdAt },
    spec.sequences,
    sequenceIds,
  );
  if (spec.requestedTarget !== null) await requestTarget(context, scope, id, spec.requestedTarget);
  await announce(context, tx, experiment, {
    type: 'status_change',
    name: 'Experiment created',
    previousStatus: null,
    status: experiment.status,
  });
  return experiment;
}

async function requestTarget(
  context: WriteContext,
  scope: OrganizationScope,
  experimentId: string,
  requested: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { name, catalog_number: catalogNumber, uniprot_id: uniprotId } = requested;
  const productId = [catalogNumber, uniprotId].find((value) => typeof value === 'string') ?? 'unspecified';
  await insertTargetRequest(scope, context.tx, {
    id: context.ids.uuid(),
    experimentId,
    name: String(name),
    productId,
    request: requested,
    createdAt: context.clock.now(),
  });
}

function experimentCode(slug: string, series: number, number: number): string {
  return `${slug}-${series.toString().padStart(3, '0')}-${number.toString().padStart(3, '0')}`;
}
