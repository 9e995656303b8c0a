import type { ReadContext } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import * as store from '#domain/billing/store.ts';

/** `GET /lab/tax-rates`. */
export async function listTaxRates(_input: object, { sql }: ReadContext) {
  return { items: await store.taxRates(labScope, sql) };
}
