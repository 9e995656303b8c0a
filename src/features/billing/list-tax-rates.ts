import type { ReadContext } from '#core/context.ts';
import * as store from './store.ts';

/** `GET /lab/tax-rates`. */
export async function listTaxRates(_input: object, { sql }: ReadContext) {
  return { items: await store.selectTaxRates(sql) };
}
