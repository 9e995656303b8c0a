import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { estimateCost as operation } from '#domain/experiments/contract.ts';
import { describeWarnings } from '#domain/sequences/warnings.ts';
import { buildEstimatedTotals, prepareSpec } from './prepare-spec.ts';

/** `POST /experiments/cost-estimate`: the breakdown, or the missing price. */
export async function estimateCost(input: Input<typeof operation>, context: ReadContext) {
  const { price, warnings } = await prepareSpec(
    context,
    getScope(context.principal),
    context.sql,
    input.body.experiment_spec,
  );
  return price.kind === 'complete'
    ? { breakdown: price.breakdown, totals: buildEstimatedTotals(price), ...describeWarnings(warnings) }
    : { incomplete: price.incomplete, ...describeWarnings(warnings) };
}
