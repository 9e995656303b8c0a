import type { ReadContext, Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { compareOrderCost as operation, OrderCost } from '../pricing/draft-contract.ts';
import type { PriceList } from '../pricing/price-list.ts';
import { computePrice, type PricedTarget } from '../pricing/rules.ts';
import { findPriceList, selectPriceListAt } from '../pricing/store.ts';
import { UNTAXED } from '../pricing/totals.ts';
import { hasTarget } from '#assays/registry.ts';
import type { TargetPricing } from '../targets/contract.ts';
import { findKeptTarget, type TargetRow } from '../targets/store.ts';
import { buildTargetReference } from './price-experiment.ts';

type Order = Input<typeof operation>['query'];

/** `GET /lab/price-lists/{price_list_id}/order-cost`. */
export async function compareOrderCost(
  { params, query }: Input<typeof operation>,
  { sql, clock, site }: ReadContext,
) {
  const list = await findPriceList(sql, params.price_list_id);
  if (list === undefined) throw fail('price_list_not_found');
  const target = await findAntigen({ sql, query });
  const present = await selectPriceListAt(sql, clock.now(), target?.id ?? null);
  const presentPricing = (present?.material ?? target)?.pricing ?? null;
  const own = list.materials.find(({ target_id: id }) => id === target?.id);
  const nextPricing = own === undefined ? presentPricing : own.pricing;
  const computeBy = (by: PriceList, pricing: TargetPricing | null): OrderCost | null =>
    computeCost(query, by, target && priceTarget(site, target, pricing));
  return {
    base: present === undefined ? null : { id: present.id, version: present.version },
    before: present === undefined ? null : computeBy(present, presentPricing),
    after: computeBy({ ...list, version: list.version ?? '' }, nextPricing),
  };
}

/** An assay without an antigen has none, whatever was asked. */
async function findAntigen({
  sql,
  query,
}: Pick<ReadContext, 'sql'> & { readonly query: Order }): Promise<TargetRow | undefined> {
  if (query.target_id === undefined || !hasTarget(query.experiment_type)) return undefined;
  const target = await findKeptTarget(labScope, sql, query.target_id);
  if (target === undefined) throw fail('target_not_found');
  return target;
}

function priceTarget(site: Site, target: TargetRow, pricing: TargetPricing | null): PricedTarget {
  return { reference: buildTargetReference(site, target), pricing };
}

function computeCost(order: Order, list: PriceList, target: PricedTarget | undefined): OrderCost | null {
  const price = computePrice(
    {
      experiment_type: order.experiment_type,
      method: hasTarget(order.experiment_type) ? (order.method ?? null) : null,
      sequence_count: order.sequence_count,
      n_replicates: order.n_replicates,
      target,
    },
    list,
    UNTAXED,
  );
  if (price === undefined) return null;
  if (price.kind === 'incomplete') {
    const assayCents = price.incomplete.assay.subtotal_cents;
    return { assay_cents: assayCents, materials_cents: null, discount_cents: 0, total_cents: null };
  }
  const { assay, materials, discount_cents: discount = 0, total_cents: total } = price.breakdown;
  return {
    assay_cents: assay.subtotal_cents,
    materials_cents: materials?.subtotal_cents ?? 0,
    discount_cents: discount,
    total_cents: total,
  };
}
