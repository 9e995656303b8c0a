/** Collects the input of a price: the assay, the antigen, and the price list in force. */
import { fail } from '#core/failures.ts';
import type { Site } from '#core/context.ts';
import type { OrganizationScope, Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { hasTarget } from '#assays/registry.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import { computePrice, type Price, type PricedTarget } from '../pricing/rules.ts';
import { selectAppliedTax } from '../billing/store.ts';
import { selectPriceListAt, type ListInEffect } from '../pricing/store.ts';
import { findKeptTarget, findTarget, type TargetRow } from '../targets/store.ts';
import {
  createNotOfferedFailure,
  NOTHING_FOR_SALE,
  WITHOUT_PRICE,
} from '../pricing/assay-types/require-offer.ts';

export interface Priceable {
  readonly experiment_type: string;
  readonly method: string | null;
  readonly target_id: string | null;
  readonly requested_target: Readonly<Record<string, unknown>> | null;
  readonly target_request_id?: string | undefined;
  readonly n_replicates: number;
  readonly sequence_count: number;
}

/** What the caller has read already. */
export interface Known {
  readonly target?: TargetRow | undefined;
  readonly tax?: AppliedTax | undefined;
}

/** Finds the catalog entry; the failure for an unknown one names the field. Throws `target_not_found`. */
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

/** No list in effect has a price for the assay. */
export interface Unpriced {
  readonly kind: 'unpriced';
  readonly reason: string;
}

/** Prices an experiment that is there already: what the lab has no price for any more is no failure. */
export async function findPrice(
  site: Site,
  scope: OrganizationScope,
  sql: Sql,
  priceable: Priceable,
  at: Date,
  known: Known = {},
): Promise<Price | Unpriced> {
  const list = await selectPriceListAt(sql, at, known.target?.id ?? priceable.target_id);
  if (list === undefined) return { kind: 'unpriced', reason: NOTHING_FOR_SALE };
  const target = await findPricedTarget(site, scope, sql, priceable, list, known.target);
  const tax = known.tax ?? (await selectAppliedTax(scope, sql));
  const price = computePrice({ ...priceable, target }, list, tax);
  return price ?? { kind: 'unpriced', reason: WITHOUT_PRICE };
}

/** Prices an order; one without a price is refused. */
export async function priceExperiment(...given: Parameters<typeof findPrice>): Promise<Price> {
  const price = await findPrice(...given);
  const [, , , { experiment_type: experimentType }] = given;
  if (price.kind === 'unpriced') throw createNotOfferedFailure(experimentType, price.reason);
  return price;
}

async function findPricedTarget(
  site: Site,
  scope: Scope,
  sql: Sql,
  priceable: Priceable,
  { material }: ListInEffect,
  known: TargetRow | undefined,
): Promise<PricedTarget | undefined> {
  if (!hasTarget(priceable.experiment_type)) return undefined;
  if (priceable.target_id !== null) {
    const target = known ?? (await findKeptTarget(scope, sql, priceable.target_id));
    if (target === undefined) throw new Error('the target of an experiment is missing');
    const { pricing } = material ?? target;
    return { reference: buildTargetReference(site, target), pricing };
  }
  const name = priceable.requested_target?.name;
  return {
    reference: { name: typeof name === 'string' ? name : 'The target', target_catalog_id: null },
    pricing: null,
    requestId: priceable.target_request_id,
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
