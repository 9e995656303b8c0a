import { createBindingAssay } from '../binding/simulated.ts';

export const screening = createBindingAssay('screening', {
  unit_price_cents: 14_900,
  replicate_price_cents: 2_900,
});
