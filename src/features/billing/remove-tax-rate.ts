import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { removeTaxRate as operation } from './contract.ts';
import * as store from './store.ts';

/** `DELETE /lab/tax-rates/{country}`. */
export async function removeTaxRate(input: Input<typeof operation>, context: WriteContext) {
  if (!(await store.removeTaxRate(context.tx, input.params.country))) throw fail('tax_rate_not_found');
  return null;
}
