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
import { readSpec } from '#features/experiments/rules.ts';
import { buildInvoicedCosts } from '#features/invoices/wire.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { acceptQuote } from '../quote/accept-quote.ts';
import { draftQuote, openQuote, scheduleSendQuote } from '#features/quotes/prepare-quote.ts';
import { describeEstimate } from '#features/pricing/rules.ts';
import { storeExperiment } from './store-experiment.ts';

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
  const targetRequestId = context.ids.createUuid();
  const known = { tax: terms.tax, targetRequestId };
  const { rail, spec, price, warnings } = await prepareOrder(context, context.tx, request, known);

  const { body } = request;
  const started = chooseStartingStatus(body);
  const experimentId = context.ids.createUuid();
  const quoteId = await draftQuote(context, context.tx, scope, experimentId, price);
  const experiment = await storeExperiment(context, scope, {
    id: experimentId,
    name: body.name,
    description: body.description ?? null,
    webhookUrl: body.webhook_url ?? null,
    webhookSecret: body.webhook_secret ?? null,
    status: started,
    spec,
    rail,
    targetRequestId,
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
