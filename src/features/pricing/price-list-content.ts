/** What the body of a request makes of a price list, checked. */
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { RawJson } from '#core/reply.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import type { Static } from '#core/schema.ts';
import type { MaterialPrice, PriceEntry, VolumeDiscount } from './list-contract.ts';
import {
  findPriceListProblems,
  type MaterialPrice as Material,
  type PriceListContent,
} from './price-list.ts';
import { findPriceListJson, lockPriceList, type PriceListRow } from './store.ts';
import { selectTargetPrices } from '../targets/store.ts';

export interface GivenContent {
  readonly effective_from?: string;
  readonly note?: string;
  readonly prices?: readonly Static<typeof PriceEntry>[];
  readonly volume_discounts?: readonly Static<typeof VolumeDiscount>[];
  readonly materials?: readonly Static<typeof MaterialPrice>[];
}

const EMPTY: PriceListContent = {
  effective_from: '',
  note: '',
  prices: [],
  volume_discounts: [],
  materials: [],
};

/** What is omitted stays as it is in `present`. */
export function mergeContent(changes: GivenContent, present: PriceListContent = EMPTY): PriceListContent {
  return {
    effective_from: changes.effective_from ?? present.effective_from,
    note: changes.note ?? present.note,
    prices:
      changes.prices?.map(({ experiment_type, method = null, unit_price_cents, replicate_price_cents }) => ({
        experiment_type,
        method,
        unit_price_cents,
        replicate_price_cents,
      })) ?? present.prices,
    volume_discounts:
      changes.volume_discounts?.map(({ experiment_type = null, sequences_min, basis_points }) => ({
        experiment_type,
        sequences_min,
        basis_points,
      })) ?? present.volume_discounts,
    materials:
      changes.materials?.map(({ target_id, pricing }) => ({ target_id: target_id.toLowerCase(), pricing })) ??
      present.materials,
  };
}

export async function refuseContentProblems(sql: Sql, content: PriceListContent): Promise<void> {
  const problems = [...findPriceListProblems(content), ...(await findMissingTargets(sql, content.materials))];
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
}

async function findMissingTargets(sql: Sql, materials: readonly Material[]) {
  if (materials.length === 0) return [];
  const rows = await selectTargetPrices(
    sql,
    materials.map(({ target_id }) => target_id),
  );
  const knownIds = new Set(rows.map(({ id }) => id));
  return materials.flatMap(({ target_id: id }, index) =>
    knownIds.has(id) ? [] : [{ path: `materials[${index}].target_id`, message: 'is no target of the lab' }],
  );
}

/** Locks a draft; a published list never changes. Throws `price_list_not_found` or `price_list_published`. */
export async function lockDraft(tx: Transaction, id: string): Promise<PriceListRow> {
  const list = await lockPriceList(tx, id);
  if (list === undefined) throw fail('price_list_not_found');
  if (list.version !== null) throw fail('price_list_published', { version: list.version });
  return list;
}

/** Throws `price_list_not_found`. */
export async function requirePriceListJson(sql: Sql, id: string, now: Date): Promise<RawJson> {
  const json = await findPriceListJson(sql, id, now);
  if (json === undefined) throw fail('price_list_not_found');
  return new RawJson(json);
}
