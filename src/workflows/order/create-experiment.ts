/**
 * Creates an experiment: checks, prices and stores it and writes its update, in one transaction.
 * This folder: an order from its draft to its submission, its changes and its end. Not here: its price and its quote.
 */
import type { WriteContext } from '#core/context.ts';
import type { Problem } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { createExperiment as operation } from '#features/experiments/contract.ts';
import { findRailProblems, readNamedRail, type NamedRail } from '#features/experiments/payment-choice.ts';
import { checkEnvelope, type SpecLike } from '#features/experiments/rules.ts';
import { buildInvoicedCosts } from '#features/invoices/wire.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { acceptQuote } from '../quote/accept-quote.ts';
import { draftQuote, openQuote, scheduleSendQuote } from '#features/quotes/prepare-quote.ts';
import {
  chooseRailFor,
  describeEstimate,
  prepareSpec,
  refuseIncompleteAcceptance,
  refuseUnservedRail,
} from '#features/experiments/prepare-spec.ts';
import { findSwitchedOff } from '#features/webhooks/find-switched-off.ts';
import { storeExperiment } from './store-experiment.ts';

/** `POST /experiments`. */
export function createExperiment({ body, headers }: Input<typeof operation>, context: WriteContext) {
  return createFrom(body, context, { named: { header: headers['payment-method'], payment: body.payment } });
}

/** A creation as the rules read it, whatever the form in which it came. */
export interface CreationRequest {
  readonly name: string;
  readonly experiment_spec: SpecLike;
  readonly auto_accept_quote?: boolean;
  readonly skip_draft?: boolean;
  readonly webhook_url?: string | null;
  readonly webhook_secret?: string | null;
  readonly description?: string | null;
}

/** What comes beside the body of a creation. */
interface CreationInput {
  readonly named: NamedRail;
  readonly problems?: readonly Problem[];
  /** Names the place of a problem where the request has another form. */
  readonly namePath?: (path: string) => string;
}

/** Checks everything, with problems that the caller found, and creates the experiment. */
export async function createFrom(body: CreationRequest, context: WriteContext, input: CreationInput) {
  const rail = chooseRailFor(readNamedRail(input.named), context.principal);
  refuseUnservedRail(context, rail);
  const scope = getScope(context.principal);
  const terms = await readCurrentTerms(context.site, scope, context.tx);
  const targetRequestId = context.ids.createUuid();
  const prepared = await prepareSpec(context, scope, context.tx, body.experiment_spec, {
    besides: [...checkEnvelope(body, context.site.findReceiverProblem), ...listProblems(input)],
    tax: terms.tax,
    targetRequestId,
    namePath: input.namePath,
  });
  refuseIncompleteAcceptance(body, prepared.price);

  const started = chooseStartingStatus(body);
  const experimentId = context.ids.createUuid();
  const quoteId = await draftQuote(context, context.tx, scope, experimentId, prepared.price);
  const experiment = await storeExperiment(context, scope, {
    id: experimentId,
    name: body.name,
    description: body.description ?? null,
    webhookUrl: body.webhook_url ?? null,
    webhookSecret: body.webhook_secret ?? null,
    status: started,
    spec: prepared.spec,
    rail,
    targetRequestId,
  });
  const quote =
    quoteId === undefined || started === 'draft'
      ? undefined
      : await openQuote(context, context.tx, scope, experiment, { quoteId, terms });

  const warnings = [...findSwitchedOff(context.site, body.webhook_url), ...prepared.warnings];
  const created = {
    experiment_id: experiment.id,
    error: null,
    experiment_code: experiment.code,
    status: experiment.status,
    costs: describeEstimate(prepared.price),
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

function listProblems({ named, problems = [] }: CreationInput): Problem[] {
  return [...findRailProblems(named), ...problems];
}

function chooseStartingStatus(body: CreationRequest): ExperimentStatus {
  return body.skip_draft === true || body.auto_accept_quote === true ? 'waiting_for_confirmation' : 'draft';
}
