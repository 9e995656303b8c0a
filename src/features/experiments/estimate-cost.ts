import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { estimateCost as operation } from './contract.ts';
import { findRailProblems, readNamedRail } from './payment-choice.ts';
import { describeWarnings } from '../sequences/warnings.ts';
import { buildEstimatedTotals, chooseRailFor, prepareSpec, refuseUnservedRail } from './prepare-spec.ts';

/** `POST /experiments/cost-estimate`: the breakdown, or the missing price. */
export async function estimateCost(input: Input<typeof operation>, context: ReadContext) {
  const named = { header: input.headers['payment-method'], payment: input.body.payment };
  const rail = readNamedRail(named);
  // An estimate commits to no rail, so only one that the request names is checked.
  if (rail !== undefined) refuseUnservedRail(context, chooseRailFor(rail, context.principal));
  const { price, warnings } = await prepareSpec(
    context,
    getScope(context.principal),
    context.sql,
    input.body.experiment_spec,
    { besides: findRailProblems(named) },
  );
  return price.kind === 'complete'
    ? { breakdown: price.breakdown, totals: buildEstimatedTotals(price), ...describeWarnings(warnings) }
    : { incomplete: price.incomplete, ...describeWarnings(warnings) };
}
