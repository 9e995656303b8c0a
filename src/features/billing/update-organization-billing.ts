import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { updateOrganizationBilling as operation } from './contract.ts';
import { changeProfile } from './billing-profile.ts';

/** `PATCH /lab/organizations/{organization_id}/billing`. */
export function updateOrganizationBilling(input: Input<typeof operation>, context: WriteContext) {
  return changeProfile(context, input.params.organization_id, input.body);
}
