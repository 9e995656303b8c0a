import type { WriteContext } from '#core/context.ts';
import { findCountryProblem } from '#core/countries.ts';
import { createInvalidFieldsFailure } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { setTaxRate as operation } from './contract.ts';
import * as store from './store.ts';

/** `POST /lab/tax-rates`. */
export async function setTaxRate(input: Input<typeof operation>, context: WriteContext) {
  const { country, name, treatment, rate_basis_points: basisPoints, note = '' } = input.body;
  const problem = findCountryProblem(country);
  if (problem !== undefined) throw createInvalidFieldsFailure([{ path: 'country', message: problem }]);
  if (treatment === 'none' && basisPoints !== 0)
    throw createInvalidFieldsFailure([
      { path: 'rate_basis_points', message: 'must be 0 where no tax is charged' },
    ]);
  const rate = { name, treatment, rate_basis_points: basisPoints, note };
  return store.saveTaxRate(context.tx, country, rate, context.clock.now());
}
