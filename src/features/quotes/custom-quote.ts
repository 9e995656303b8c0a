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
import type * as contract from './lab-contract.ts';
import { TERMS_AND_CONDITIONS, computeValidUntil } from './rules.ts';
import { findQuote, type QuoteContent, type QuoteRow } from './store.ts';
import { describeQuote, holdQuote } from './named-quote.ts';
import { toCents, sum, multiplyCents } from '#core/money.ts';
import type { AppliedTax, LineItem } from '../pricing/contract.ts';
import { buildDiscountLines, computeTotals, type Totals } from '../pricing/totals.ts';
import type { Composition } from './lab-contract.ts';

/** Computes the lines of a quote from the entries of staff. */
const CUSTOM_PRICING = 'custom';
/** Ten billion dollars; far below the sums where cents or base units lose exactness. */
const TOTAL_CENTS_MAX = 1_000_000_000_000;

type Composed =
  | { readonly lines: LineItem[]; readonly totals: Totals; readonly problems: readonly [] }
  | { readonly problems: readonly Problem[] };

export function composeQuote(composition: Composition, tax: AppliedTax): Composed {
  const problems = composition.discounts.flatMap((discount, index) => {
    const amounts = [discount.basis_points, discount.amount_cents].filter((value) => value !== undefined);
    const message = 'takes either basis_points or amount_cents';
    return amounts.length === 1 ? [] : [{ path: `discounts[${index}]`, message }];
  });
  if (problems.length > 0) return { problems };
  // The sum is checked before it is converted to money: above this limit a product may not be a whole number of
  // cents.
  const whole = composition.line_items.reduce((sum, item) => sum + item.quantity * item.unit_price_cents, 0);
  if (whole > TOTAL_CENTS_MAX)
    return { problems: [{ path: 'line_items', message: `come to more than ${TOTAL_CENTS_MAX} cents` }] };
  const items = composition.line_items.map((item) => ({
    ...item,
    total_cents: multiplyCents(toCents(item.unit_price_cents), item.quantity),
  }));
  const off = buildDiscountLines(items, composition.discounts);
  const discounted = sum(off.map((line) => toCents(line.total_cents)));
  if (discounted + whole < 0)
    return { problems: [{ path: 'discounts', message: 'take off more than the lines come to' }] };
  const lines = [...items, ...off];
  return { lines, totals: computeTotals(lines, tax), problems: [] };
}

const VALIDITY_MS_MAX = 2 * 365 * DAY_MS;

/** Throws `quote_not_found`. */
export async function showAnyQuote({ site }: Pick<ReadContext, 'site'>, sql: Sql, quoteId: string) {
  const quote = await findQuote(labScope, sql, quoteId);
  if (quote === undefined) throw fail('quote_not_found');
  const experiment = await findExperiment(labScope, sql, quote.experiment_id);
  if (experiment === undefined) throw fail('quote_not_found');
  const organization = await selectOrganizationName(createOrganizationScope(quote.organization_id), sql);
  const { origin, composition, opened_at, rejection } = quote;
  return {
    ...describeQuote(site, quote, experiment, organization),
    origin,
    composition,
    opened_at,
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
    pricing_version: CUSTOM_PRICING,
    breakdown: null,
    composition,
    line_items: composed.lines,
    subtotal_cents: composed.totals.subtotal_cents,
    tax_cents: composed.totals.tax_cents,
    total_cents: composed.totals.total_cents,
    tax,
    notes: draft.notes ?? present?.notes ?? '',
    terms_and_conditions: draft.terms_and_conditions ?? present?.terms_and_conditions ?? TERMS_AND_CONDITIONS,
    valid_until: validity,
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
