/** Affinity as the registry has it. */
import { makeBindingAssay } from '../binding/assay.ts';
import { AFFINITY } from './affinity.ts';

export const affinity = makeBindingAssay(AFFINITY);
