import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { updateBillingProfile as operation } from './contract.ts';
import { changeProfile } from './billing-profile.ts';

/** `PATCH /billing/profile`. */
export function updateBillingProfile(input: Input<typeof operation>, context: WriteContext) {
  return changeProfile(context, context.principal.organizationId, input.body);
}
