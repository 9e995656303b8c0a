/** Shared by the operations on quotes by hand: locking, composing and presenting one. */
import { addMs, DAY_MS } from '#core/clock.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail, createInvalidFieldsFailure, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectAppliedTax } from '../billing/store.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';
import { selectOrganizationName } from '../organizations/store.ts';
import { composeQuote, CUSTOM_PRICING } from './composition.ts';
import type * as contract from './lab-contract.ts';
import { TERMS_AND_CONDITIONS, computeValidUntil } from './rules.ts';
import { findQuote, type QuoteContent, type QuoteRow } from './store.ts';
import { describeQuote } from './describe-quote.ts';
import { holdQuote } from './hold-quote.ts';

const VALIDITY_MS_MAX = 2 * 365 * DAY_MS;

/** Throws `quote_not_found`. */
export async function showAnyQuote({ site }: Pick<ReadContext, 'site'>, sql: Sql, quoteId: string) {
  const quote = await findQuote(labScope, sql, quoteId);
  if (quote === undefined) throw fail('quote_not_found');
  const experiment = await findExperiment(labScope, sql, quote.experiment_id);
  if (experiment === undefined) throw fail('quote_not_found');
  const organization = await selectOrganizationName(createOrganizationScope(quote.organization_id), sql);
  const { origin, composition, opened_at: openedAt, rejection } = quote;
  return {
    ...describeQuote(site, quote, experiment.code, organization),
    origin,
    composition,
    opened_at: openedAt,
    rejection,
  };
}

type Draft = Input<typeof contract.editCustomQuote>['body'];

/** Given fields replace those of the draft; the tax is the current one. */
export async function composeContent(
  context: WriteContext,
  experiment: ExperimentRow,
  draft: Draft,
  present: QuoteRow | undefined,
): Promise<QuoteContent> {
  const tax = await selectAppliedTax(createOrganizationScope(experiment.organization_id), context.tx);
  const composition = {
    line_items: draft.line_items ?? present?.composition?.line_items ?? [],
    discounts: draft.discounts ?? present?.composition?.discounts ?? [],
  };
  const now = context.clock.now();
  const until = draft.valid_until ?? present?.valid_until;
  const validity = until === undefined ? computeValidUntil(now) : new Date(until);
  const composed = composeQuote(composition, tax);
  const problems = [
    ...composed.problems,
    ...(typeof draft.valid_until === 'string' ? findValidityProblems(validity, now) : []),
  ];
  if (problems.length > 0 || !('lines' in composed)) throw createInvalidFieldsFailure(problems);
  return {
    pricingVersion: CUSTOM_PRICING,
    breakdown: null,
    composition,
    lineItems: composed.lines,
    subtotalCents: composed.totals.subtotal_cents,
    taxCents: composed.totals.tax_cents,
    totalCents: composed.totals.total_cents,
    tax,
    notes: draft.notes ?? present?.notes ?? '',
    terms: draft.terms_and_conditions ?? present?.terms_and_conditions ?? TERMS_AND_CONDITIONS,
    validUntil: validity,
  };
}

function findValidityProblems(until: Date, now: Date): Problem[] {
  const isWithin = until.getTime() > now.getTime() && until <= addMs(now, VALIDITY_MS_MAX);
  return isWithin ? [] : [{ path: 'valid_until', message: 'must lie within the next two years' }];
}

/** Throws `quote_not_found`. */
export async function holdQuoteForStaff(context: WriteContext, quoteId: string) {
  const heldQuote = await holdQuote(labScope, context.tx, quoteId);
  if (heldQuote === undefined) throw fail('quote_not_found');
  const { organization_id: organizationId } = heldQuote.experiment;
  context.setAuditOrganization(organizationId);
  return { ...heldQuote, scope: createOrganizationScope(organizationId) };
}
