/** Checks an order against what the lab offers. */
import { fail, type Failure } from '#core/failures.ts';
import type { Sql } from '#core/sql.ts';
import { findOfferProblems, type Offer, type OrderedMeasurement } from './rules.ts';
import { findOffer, selectOffered } from './store.ts';
import { createProblemsFailure } from '../../experiments/rules.ts';
import { selectPriceListAt } from '../store.ts';

/** Says that the lab itself has to act first. */
export const NOTHING_FOR_SALE =
  ': the lab sells nothing yet; its staff first have to publish a price list and to offer an assay';
export const WITHOUT_PRICE = ' yet: its staff first have to publish a price list with a price for it';

export function createNotOfferedFailure(experimentType: string, reason = ''): Failure {
  return fail('experiment_type_not_offered', { experiment_type: experimentType, reason });
}

export async function requireOffer(sql: Sql, experimentType: string, at: Date): Promise<Offer> {
  const offer = await findOffer(sql, experimentType);
  if (offer !== undefined) return offer;
  const isForSale =
    (await selectOffered(sql)).length > 0 && (await selectPriceListAt(sql, at, null)) !== undefined;
  throw createNotOfferedFailure(experimentType, isForSale ? '' : NOTHING_FOR_SALE);
}

/** Refuses an order of a method or a number of replicates that the lab does not offer (any more). */
export function refuseOutsideOffer(offer: Offer, ordered: OrderedMeasurement): void {
  const problems = findOfferProblems(offer, ordered, '');
  if (problems.length > 0)
    throw createProblemsFailure(problems.map((problem) => ({ ...problem, kind: 'content' })));
}
