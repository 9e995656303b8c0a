import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { removeTaxRate as operation } from '#domain/billing/contract.ts';
import * as store from '#domain/billing/store.ts';

/** `DELETE /lab/tax-rates/{country}`. */
export async function removeTaxRate(input: Input<typeof operation>, context: WriteContext) {
  if (!(await store.removeTaxRate(labScope, context.tx, input.params.country)))
    throw fail('tax_rate_not_found');
  return null;
}
