/** The entry of affinity in the registry. */
import { makeBindingAssay } from '../binding/assay.ts';
import { AFFINITY } from './affinity.ts';

export const affinity = makeBindingAssay(AFFINITY);
