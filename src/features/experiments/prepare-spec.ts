/**
 * Shared by creating, validating and pricing an experiment: checks and prices its specification and chooses its
 * payment rail.
 */
import type { ReadContext, Work } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { runInSlices } from '#core/slices.ts';
import type { Sql } from '#core/sql.ts';
import {
  checkSpec,
  createProblemsFailure,
  refuseIfTooMany,
  type NewExperimentSpec,
  type SpecLike,
} from './rules.ts';
import { findSandboxProblems, refuseSandboxOptions } from './sandbox-options.ts';
import type { PaymentMethod } from '#core/capability.ts';
import { chooseRail, refuseOutsidePolicy } from '../invoices/rules.ts';
import type { AppliedTax, ExperimentCosts } from '../pricing/contract.ts';
import type { Price } from '../pricing/rules.ts';
import { countGiven } from '../sequences/given.ts';
import type { WarningGroup } from '../sequences/warnings.ts';
import type { TargetRow } from '../targets/store.ts';
import { requireOffer } from '../pricing/assay-types/require-offer.ts';
import { requireNamedTarget } from '../targets/require-named-target.ts';
import { priceExperiment, requireTarget } from './price-experiment.ts';

export interface Prepared {
  readonly spec: NewExperimentSpec;
  readonly price: Price;
  readonly warnings: readonly WarningGroup[];
}

export interface Preparation {
  /** Problems that the caller found. */
  readonly besides?: readonly Problem[];
  readonly tax?: AppliedTax;
  readonly targetRequestId?: string;
  /** Names the place of a problem where the request has another form. */
  readonly namePath?: ((path: string) => string) | undefined;
}

/** Checks and prices a specification and the fields beside it, before anything is stored. */
export async function prepareSpec(
  context: Pick<ReadContext, 'site' | 'clock'>,
  scope: OrganizationScope,
  sql: Sql,
  wire: SpecLike,
  { besides = [], tax, targetRequestId, namePath = (path) => path }: Preparation = {},
): Promise<Prepared> {
  const { site } = context;
  refuseSandboxOptions(wire.parameters, site.environment);
  const at = context.clock.now();
  const offer = await requireOffer(sql, wire.experiment_type, at);
  refuseIfTooMany(countGiven(wire.sequences), site.limits);
  const { spec: checked, problems, warnings } = await runInSlices(checkSpec(wire, site.limits, offer));
  const allProblems = [...problems, ...findSandboxProblems(wire.parameters, 'experiment_spec.parameters')];
  const placed = allProblems.map((problem) => ({ ...problem, path: namePath(problem.path) }));
  if (checked === null || besides.length + placed.length > 0)
    throw createProblemsFailure([...besides, ...placed]);
  const target = await findOrderedTarget(scope, sql, wire, namePath);
  const spec = { ...checked, targetId: target?.id ?? null };
  const priceable = { ...spec, sequenceCount: spec.sequences.length, targetRequestId };
  const price = await priceExperiment(site, scope, sql, priceable, at, { target, tax });
  return { spec, price, warnings };
}

/** The target of the catalog by its id or its name; undefined without one. */
async function findOrderedTarget(
  scope: OrganizationScope,
  sql: Sql,
  { target_id: id, target: named }: SpecLike,
  namePath: (path: string) => string,
): Promise<TargetRow | undefined> {
  if (typeof id === 'string') return requireTarget(scope, sql, id, namePath('experiment_spec.target_id'));
  return typeof named === 'string'
    ? requireNamedTarget(scope, sql, named, namePath('experiment_spec.target'))
    : undefined;
}

export function describeEstimate(price: Price): ExperimentCosts {
  return price.kind === 'complete'
    ? { type: 'estimate', breakdown: price.breakdown, totals: buildEstimatedTotals(price) }
    : { type: 'incomplete_estimate', ...price.incomplete };
}

export function buildEstimatedTotals({ totals, tax }: Extract<Price, { kind: 'complete' }>) {
  return { ...totals, tax };
}

/**
 * A token with a payment policy pays by its first method unless the request names another. A machine rail must be one
 * of its methods. Throws `unknown_payment_method` or `token_restricted`.
 */
export function chooseRailFor(named: string | undefined, principal: Principal): PaymentMethod {
  const rail = chooseRail(named ?? principal.restrictions.paymentMethods?.[0]);
  refuseOutsidePolicy(rail, principal);
  return rail;
}

/**
 * The rail is fixed at creation, so an environment without it rejects the request before any work. Throws
 * `payment_rail_not_served`.
 */
export function refuseUnservedRail({ site }: Work, rail: PaymentMethod): void {
  if (rail !== 'async_invoice' && !site.machineMethods.includes(rail))
    throw fail('payment_rail_not_served', { method: rail });
}

/** Throws `pricing_incomplete`. */
export function refuseIncompleteAcceptance(
  body: { readonly auto_accept_quote?: boolean },
  price: Price,
): void {
  if (body.auto_accept_quote === true && price.kind === 'incomplete') {
    throw fail('pricing_incomplete', { reason: price.incomplete.materials_unavailable.reason });
  }
}
