import { createBindingAssay } from '../binding/simulated.ts';

export const affinity = createBindingAssay('affinity', {
  unit_price_cents: 19_900,
  replicate_price_cents: 4_900,
});
