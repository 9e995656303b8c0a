/**
 * Creates an experiment: checks, prices and stores it and writes its update, in one transaction.
 * This folder: an order from its draft to its submission, its changes and its end. Not here: its price and its quote.
 */
import type { WriteContext } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { createExperiment as operation } from '#features/experiments/contract.ts';
import { prepareOrder, type OrderRequest } from '#features/experiments/prepare-order.ts';
import { readSpec, type NewExperimentSpec } from '#features/experiments/rules.ts';
import { buildInvoicedCosts } from '#features/invoices/wire.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { acceptQuote } from '../quote/accept-quote.ts';
import { draftQuote, openQuote, scheduleSendQuote } from '#features/quotes/prepare-quote.ts';
import { describeEstimate } from '#features/pricing/rules.ts';
import type { PaymentMethod } from '#core/capability.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { insertExperiment, takeExperimentNumber, type ExperimentRow } from '#features/experiments/store.ts';
import { insertFact } from '#features/notifications/notice-store.ts';
import { insertSequences } from '#features/sequences/store.ts';
import { insertTargetRequest } from '#features/targets/store.ts';
import { refreshExpectedDate } from '#features/experiments/expected-dates.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';

/** `POST /experiments`. */
export function createExperiment({ body, headers }: Input<typeof operation>, context: WriteContext) {
  return createFrom(
    {
      body: { ...body, experiment_spec: readSpec(body.experiment_spec) },
      named: { header: headers['payment-method'], payment: body.payment },
    },
    context,
  );
}

/** Checks and prices the order, stores it, and opens or accepts its quote where the request asks for that. */
export async function createFrom(request: OrderRequest, context: WriteContext) {
  const scope = getScope(context.principal);
  const terms = await readCurrentTerms(context.site, scope, context.tx);
  const requestId = context.ids.createUuid();
  const known = { tax: terms.tax, targetRequestId: requestId };
  const { rail, spec, price, warnings } = await prepareOrder(context, context.tx, request, known);

  const { body } = request;
  const started = chooseStartingStatus(body);
  const experimentId = context.ids.createUuid();
  const quoteId = await draftQuote(context, context.tx, scope, experimentId, price);
  const experiment = await storeExperiment(context, scope, {
    id: experimentId,
    name: body.name,
    description: body.description ?? null,
    webhook_url: body.webhook_url ?? null,
    webhook_secret: body.webhook_secret ?? null,
    status: started,
    spec,
    rail,
    target_request_id: requestId,
  });
  const quote =
    quoteId === undefined || started === 'draft'
      ? undefined
      : await openQuote(context, context.tx, scope, experiment, { quoteId, terms });

  const created = {
    experiment_id: experiment.id,
    error: null,
    experiment_code: experiment.code,
    status: experiment.status,
    costs: describeEstimate(price),
    ...(warnings.length > 0 ? describeWarnings(warnings) : {}),
  };
  if (body.auto_accept_quote !== true || quote === undefined) {
    if (quote !== undefined) await scheduleSendQuote(context, context.tx, scope, experiment.id);
    return created;
  }
  // A machine pays its invoice at once, so staff need not review it.
  const isMachine = rail !== 'async_invoice';
  const accepted = await acceptQuote(context, scope, { experiment, quote }, { finalize: isMachine });
  if (isMachine) return new Answer(200, accepted.response);
  return {
    ...created,
    status: accepted.experiment.status,
    costs: buildInvoicedCosts(context.site, accepted.invoice),
    provider_invoice_id: accepted.invoice.external_id,
    provider_hosted_invoice_url: null,
  };
}

function chooseStartingStatus(body: OrderRequest['body']): ExperimentStatus {
  return body.skip_draft === true || body.auto_accept_quote === true ? 'waiting_for_confirmation' : 'draft';
}

/** Stores a new experiment with its number, its sequences, the request of its target and its first update. */

const DEFAULT_SERIES = 1;

interface NewExperiment {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly webhook_url: string | null;
  readonly webhook_secret: string | null;
  readonly status: ExperimentStatus;
  readonly spec: NewExperimentSpec;
  readonly rail: PaymentMethod;
  /** The id of the request of its target, where it has one; the price names it. */
  readonly target_request_id: string;
}

/**
 * Takes the number as late as it can: others who create in the organization wait for it until this transaction ends.
 * What needs no number, such as the draft of the quote, is best written before.
 */
export async function storeExperiment(
  context: WriteContext,
  scope: OrganizationScope,
  { id, spec, rail, target_request_id: requestId, webhook_secret: secret, ...given }: NewExperiment,
): Promise<ExperimentRow> {
  const { tx, principal, ids, clock, sealer } = context;
  const at = clock.now();
  const into = { experiment_id: id, first_ordinal: 1, created_at: at };
  const sequenceIds = spec.sequences.map(() => ids.createUuid());
  await insertSequences(scope, tx, into, spec.sequences, sequenceIds);
  const number = await takeExperimentNumber(scope, tx, DEFAULT_SERIES);
  const code = formatExperimentCode(principal.organizationSlug, DEFAULT_SERIES, number);
  const experiment = await insertExperiment(scope, tx, {
    ...given,
    sealed_webhook_secret: secret === null ? null : sealer.seal(secret),
    id,
    code,
    spec,
    payment_method: rail,
    user_id: principal.userId,
    token_id: principal.tokenId,
    created_at: at,
  });
  if (spec.requested_target !== null)
    await requestTarget(context, scope, { experiment_id: id, id: requestId, code }, spec.requested_target);
  if (experiment.status !== 'draft') await refreshExpectedDate(context, tx, scope, experiment.id);
  await addUpdate(context, tx, experiment, {
    event: 'experiment.created',
    name: 'Experiment created',
    previous_status: null,
    status: experiment.status,
  });
  return experiment;
}

async function requestTarget(
  context: WriteContext,
  scope: OrganizationScope,
  { code, ...ids }: { readonly id: string; readonly experiment_id: string; readonly code: string },
  requested: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { name, catalog_number: catalogNumber, uniprot_id: uniprotId } = requested;
  const productId = [catalogNumber, uniprotId].find((value) => typeof value === 'string') ?? 'unspecified';
  const at = context.clock.now();
  const request = { ...ids, name: String(name), product_id: productId, request: requested, created_at: at };
  if (!(await insertTargetRequest(scope, context.tx, request))) return;
  await insertFact(scope, context.tx, {
    id: ids.id,
    kind: 'target.requested',
    experiment_code: code,
    details: { subject: request.name },
    at,
  });
}

function formatExperimentCode(slug: string, series: number, number: number): string {
  return `${slug}-${series.toString().padStart(3, '0')}-${number.toString().padStart(3, '0')}`;
}
