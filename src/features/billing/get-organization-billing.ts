import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getOrganizationBilling as operation } from './contract.ts';
import { requireProfile } from './billing-profile.ts';

/** `GET /lab/organizations/{organization_id}/billing`. */
export function getOrganizationBilling(input: Input<typeof operation>, { sql }: ReadContext) {
  return requireProfile(sql, input.params.organization_id);
}
