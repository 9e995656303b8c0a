/** Creates an experiment: checks, prices and stores it and writes its update, in one transaction. */
import type { WriteContext } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { createExperiment as operation, CreateExpRequest } from '#domain/experiments/contract.ts';
import { checkEnvelope, type NewExperimentSpec } from '#domain/experiments/rules.ts';
import { insertExperiment, takeExperimentNumber, type ExperimentRow } from '#domain/experiments/store.ts';
import type { PaymentMethod } from '#core/capability.ts';
import { buildInvoicedCosts } from '#domain/invoices/wire.ts';
import { insertSequences } from '#domain/sequences/store.ts';
import { describeWarnings } from '#domain/sequences/warnings.ts';
import { insertTargetRequest } from '#domain/targets/store.ts';
import { presentTerms } from '../billing/billing-profile.ts';
import { acceptQuote } from '../quotes/accept-quote.ts';
import { draftQuote, openQuote, scheduleSendQuote } from '../quotes/prepare-quote.ts';
import { addUpdate } from './transition-experiment.ts';
import {
  chooseRailFor,
  describeEstimate,
  prepareSpec,
  refuseIncompleteAcceptance,
  refuseUnservedRail,
} from './prepare-spec.ts';

const DEFAULT_SERIES = 1;

/** `POST /experiments`. */
export async function createExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { body } = input;
  const rail = chooseRailFor(input.headers['payment-method'], context.principal);
  refuseUnservedRail(context, rail);
  const scope = getScope(context.principal);
  const terms = await presentTerms(context.site, scope, context.tx);
  const prepared = await prepareSpec(context, scope, context.tx, body.experiment_spec, {
    besides: checkEnvelope(body),
    tax: terms.tax,
  });
  refuseIncompleteAcceptance(body, prepared.price);

  const experiment = await storeExperiment(context, scope, body, prepared.spec, rail);
  const quoteId = await draftQuote(context, context.tx, scope, experiment.id, prepared.price);
  const started = chooseStartingStatus(body);
  const quote =
    quoteId === undefined || started === 'draft'
      ? undefined
      : await openQuote(context, context.tx, scope, experiment, { quoteId, terms });

  const created = {
    experiment_id: experiment.id,
    error: null,
    experiment_code: experiment.code,
    status: experiment.status,
    costs: describeEstimate(prepared.price),
    ...(prepared.warnings.length > 0 ? describeWarnings(prepared.warnings) : {}),
  };
  if (body.auto_accept_quote !== true || quote === undefined) {
    if (quote !== undefined) await scheduleSendQuote(context, context.tx, scope, experiment.id);
    return created;
  }
  const isMachine = rail !== 'async_invoice';
  const accepted = await acceptQuote(context, scope, { experiment, quote }, { finalize: isMachine });
  // A machine pays its invoice at once, so staff need not review it.
  if (isMachine) return new Answer(200, accepted.response);
  return {
    ...created,
    status: accepted.experiment.status,
    costs: buildInvoicedCosts(context.site, accepted.invoice),
    provider_invoice_id: accepted.invoice.external_id,
    provider_hosted_invoice_url: null,
  };
}

function chooseStartingStatus(body: CreateExpRequest): ExperimentStatus {
  return body.skip_draft === true || body.auto_accept_quote === true ? 'waiting_for_confirmation' : 'draft';
}

async function storeExperiment(
  context: WriteContext,
  scope: OrganizationScope,
  body: CreateExpRequest,
  spec: NewExperimentSpec,
  rail: PaymentMethod,
): Promise<ExperimentRow> {
  const { tx, principal, ids, clock } = context;
  const createdAt = clock.now();
  const id = ids.createUuid();
  const number = await takeExperimentNumber(scope, tx, DEFAULT_SERIES);
  const code = formatExperimentCode(principal.organizationSlug, DEFAULT_SERIES, number);
  const experiment = await insertExperiment(scope, tx, {
    id,
    code,
    name: body.name,
    description: body.description ?? null,
    status: chooseStartingStatus(body),
    spec,
    paymentMethod: rail,
    webhookUrl: body.webhook_url ?? null,
    webhookSecret: body.webhook_secret ?? null,
    userId: principal.userId,
    tokenId: principal.tokenId,
    createdAt,
  });
  const sequenceIds = spec.sequences.map(() => ids.createUuid());
  await insertSequences(
    scope,
    tx,
    { experimentId: id, firstOrdinal: 1, createdAt },
    spec.sequences,
    sequenceIds,
  );
  if (spec.requestedTarget !== null) await requestTarget(context, scope, id, spec.requestedTarget);
  await addUpdate(context, tx, experiment, {
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
    id: context.ids.createUuid(),
    experimentId,
    name: String(name),
    productId,
    request: requested,
    createdAt: context.clock.now(),
  });
}

function formatExperimentCode(slug: string, series: number, number: number): string {
  return `${slug}-${series.toString().padStart(3, '0')}-${number.toString().padStart(3, '0')}`;
}
