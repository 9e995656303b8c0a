import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { validateExperiment as operation } from './contract.ts';
import { findRailProblems, readNamedRail } from './payment-choice.ts';
import { checkEnvelope } from './rules.ts';
import { findUnknownKeys } from './unknown-keys.ts';
import { findSwitchedOff } from '../webhooks/find-switched-off.ts';
import { describeWarnings } from '../sequences/warnings.ts';
import {
  chooseRailFor,
  describeEstimate,
  prepareSpec,
  refuseIncompleteAcceptance,
  refuseUnservedRail,
} from './prepare-spec.ts';

/** `POST /experiments/validate`: runs all checks of a creation. */
export async function validateExperiment(input: Input<typeof operation>, context: ReadContext) {
  const named = { header: input.headers['payment-method'], payment: input.body.payment };
  refuseUnservedRail(context, chooseRailFor(readNamedRail(named), context.principal));
  const prepared = await prepareSpec(
    context,
    getScope(context.principal),
    context.sql,
    input.body.experiment_spec,
    {
      besides: [...checkEnvelope(input.body, context.site.findReceiverProblem), ...findRailProblems(named)],
    },
  );
  refuseIncompleteAcceptance(input.body, prepared.price);
  return {
    valid: true as const,
    ...describeWarnings([
      ...findUnknownKeys(input.body),
      ...findSwitchedOff(context.site, input.body.webhook_url),
      ...prepared.warnings,
    ]),
    sequence_count: prepared.spec.sequences.length,
    costs: describeEstimate(prepared.price),
  };
}
