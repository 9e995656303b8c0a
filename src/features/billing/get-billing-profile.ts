import type { ReadContext } from '#core/context.ts';
import { requireProfile } from './billing-profile.ts';

/** `GET /billing/profile`. */
export function getBillingProfile(_input: object, { sql, principal }: ReadContext) {
  return requireProfile(sql, principal.organizationId);
}
