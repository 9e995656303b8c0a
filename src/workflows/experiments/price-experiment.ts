/** Collects the input of a price: the assay, the antigen, and the price list in force. */
import { fail } from '#core/failures.ts';
import type { Site } from '#core/context.ts';
import type { OrganizationScope, Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { hasTarget } from '#domain/assays/registry.ts';
import { refuseIfNotOffered } from '#domain/experiments/rules.ts';
import type { AppliedTax } from '#domain/pricing/contract.ts';
import { computePrice, type Price, type PricedTarget } from '#domain/pricing/rules.ts';
import { selectAppliedTax } from '#domain/billing/store.ts';
import { selectPriceListAt } from '#domain/pricing/store.ts';
import { findKeptTarget, findTarget, type TargetRow } from '#domain/targets/store.ts';

export interface Priceable {
  readonly experimentType: string;
  readonly targetId: string | null;
  readonly requestedTarget: Readonly<Record<string, unknown>> | null;
  readonly targetRequestId?: string | undefined;
  readonly nReplicates: number;
  readonly sequenceCount: number;
}

/** What the caller has read already. */
export interface Known {
  readonly target?: TargetRow | undefined;
  readonly tax?: AppliedTax | undefined;
}

/** Finds the catalog entry; the failure for an unknown one names the field. */
export async function requireTarget(
  scope: Scope,
  sql: Sql,
  targetId: string,
  path: string,
): Promise<TargetRow> {
  const target = await findTarget(scope, sql, targetId);
  if (target === undefined) {
    throw fail('target_not_found', {}, { problems: [{ path, message: 'no such target in the catalog' }] });
  }
  return target;
}

export async function priceExperiment(
  site: Site,
  scope: OrganizationScope,
  sql: Sql,
  priceable: Priceable,
  at: Date,
  known: Known = {},
): Promise<Price> {
  refuseIfNotOffered(priceable.experimentType, site.offeredTypes);
  const list = await selectPriceListAt(sql, at);
  if (list === undefined) throw new Error('no price list is in force');
  const target = await findPricedTarget(site, scope, sql, priceable, known.target);
  const tax = known.tax ?? (await selectAppliedTax(scope, sql));
  const price = computePrice({ ...priceable, target }, list, tax);
  if (price === undefined)
    throw fail('experiment_type_not_offered', { experiment_type: priceable.experimentType });
  return price;
}

async function findPricedTarget(
  site: Site,
  scope: Scope,
  sql: Sql,
  priceable: Priceable,
  known: TargetRow | undefined,
): Promise<PricedTarget | undefined> {
  if (!hasTarget(priceable.experimentType)) return undefined;
  if (priceable.targetId !== null) {
    const target = known ?? (await findKeptTarget(scope, sql, priceable.targetId));
    if (target === undefined) throw new Error('the target of an experiment is missing');
    return { reference: buildTargetReference(site, target), pricing: target.pricing };
  }
  const name = priceable.requestedTarget?.name;
  return {
    reference: { name: typeof name === 'string' ? name : 'The target', target_catalog_id: null },
    pricing: null,
    requestId: priceable.targetRequestId,
  };
}

export function buildTargetReference(
  site: Site,
  target: { readonly id: string; readonly name: string; readonly sequence: string | null },
) {
  return {
    name: target.name,
    sequence: target.sequence,
    supplier_url: `${site.baseUrl}/targets/${target.id}`,
    target_catalog_id: target.id,
  };
}
