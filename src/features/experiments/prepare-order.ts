/** Shared by creating, validating and pricing an experiment: checks and prices its order before anything is stored. */
import type { ReadContext } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { runInSlices } from '#core/slices.ts';
import type { Sql } from '#core/sql.ts';
import { findRailProblems, requireRail, type NamedRail } from './payment-choice.ts';
import {
  checkEnvelope,
  checkSpec,
  createProblemsFailure,
  refuseIfTooMany,
  type GivenSpec,
  type NewExperimentSpec,
} from './rules.ts';
import { findSandboxProblems, refuseSandboxOptions } from './sandbox-options.ts';
import type { PaymentMethod } from '#core/capability.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import type { Price } from '../pricing/rules.ts';
import type { WarningGroup } from '../sequences/warnings.ts';
import type { TargetRow } from '../targets/store.ts';
import { requireOffer } from '../pricing/assay-types/require-offer.ts';
import { requireNamedTarget } from '../targets/require-named-target.ts';
import { findSwitchedOff } from '../webhooks/find-switched-off.ts';
import { priceExperiment, requireTarget } from './price-experiment.ts';

/** An order as it was read, whatever the form in which it came. */
export interface OrderRequest {
  readonly body: OrderBody;
  readonly named: NamedRail;
  /** Problems that its reader found. */
  readonly problems?: readonly Problem[];
  /** Names the place of a problem where the request has another form. */
  readonly namePath?: (path: string) => string;
}

interface OrderBody {
  readonly name: string;
  readonly experiment_spec: GivenSpec;
  readonly auto_accept_quote?: boolean;
  readonly skip_draft?: boolean;
  readonly webhook_url?: string | null;
  readonly webhook_secret?: string | null;
  readonly description?: string | null;
}

/** What the caller has read or chosen already. */
interface Known {
  readonly tax?: AppliedTax;
  readonly targetRequestId?: string;
}

export interface PreparedOrder extends PreparedSpec {
  readonly rail: PaymentMethod;
}

/** Chooses the rail of an order, then checks and prices its specification with everything beside it. */
export async function prepareOrder(
  context: Pick<ReadContext, 'site' | 'clock' | 'principal'>,
  sql: Sql,
  { body, named, problems = [], namePath }: OrderRequest,
  known: Known = {},
): Promise<PreparedOrder> {
  const { site } = context;
  const rail = requireRail(named, context);
  const envelopeProblems = checkEnvelope(body, site.findReceiverProblem);
  const besides = [...envelopeProblems, ...findRailProblems(named), ...problems];
  const prepared = await prepareSpec(context, sql, body.experiment_spec, { ...known, besides, namePath });
  refuseIncompleteAcceptance(body, prepared.price);
  const warnings = [...findSwitchedOff(site, body.webhook_url), ...prepared.warnings];
  return { ...prepared, rail, warnings };
}

export interface PreparedSpec {
  readonly spec: NewExperimentSpec;
  readonly price: Price;
  readonly warnings: readonly WarningGroup[];
}

interface SpecPlace extends Known {
  /** Problems of what stands beside the specification; they are named first. */
  readonly besides: readonly Problem[];
  readonly namePath?: OrderRequest['namePath'] | undefined;
}

/** Checks a specification against the rules and what the lab offers, finds its target, and prices it. */
export async function prepareSpec(
  context: Pick<ReadContext, 'site' | 'clock' | 'principal'>,
  sql: Sql,
  given: GivenSpec,
  { besides, namePath = (path) => path, tax, targetRequestId }: SpecPlace,
): Promise<PreparedSpec> {
  const { site } = context;
  refuseSandboxOptions(given.parameters, site.environment);
  const at = context.clock.now();
  const offer = await requireOffer(sql, given.experiment_type, at);
  refuseIfTooMany(given.sequences.length, site.limits);
  const { spec: checked, problems, warnings } = await runInSlices(checkSpec(given, site.limits, offer));
  const allProblems = [...problems, ...findSandboxProblems(given.parameters, 'experiment_spec.parameters')];
  const placed = allProblems.map((problem) => ({ ...problem, path: namePath(problem.path) }));
  if (checked === null || besides.length + placed.length > 0)
    throw createProblemsFailure([...besides, ...placed]);
  const scope = getScope(context.principal);
  const target = await findOrderedTarget(scope, sql, given, namePath);
  const spec = { ...checked, target_id: target?.id ?? null };
  const priceable = { ...spec, sequence_count: spec.sequences.length, target_request_id: targetRequestId };
  const price = await priceExperiment(site, scope, sql, priceable, at, { target, tax });
  return { spec, price, warnings };
}

/** The target of the catalog by its id or its name; undefined without one. */
async function findOrderedTarget(
  scope: OrganizationScope,
  sql: Sql,
  { target_id: id, target: named }: GivenSpec,
  namePath: (path: string) => string,
): Promise<TargetRow | undefined> {
  if (typeof id === 'string') return requireTarget(scope, sql, id, namePath('experiment_spec.target_id'));
  return typeof named === 'string'
    ? requireNamedTarget(scope, sql, named, namePath('experiment_spec.target'))
    : undefined;
}

/** Throws `pricing_incomplete`. */
function refuseIncompleteAcceptance(body: { readonly auto_accept_quote?: boolean }, price: Price): void {
  if (body.auto_accept_quote === true && price.kind === 'incomplete') {
    throw fail('pricing_incomplete', { reason: price.incomplete.materials_unavailable.reason });
  }
}
