/** The entry of affinity in the registry. */
import { createBindingAssay } from '../../binding/engine/assay.ts';
import { AFFINITY } from './affinity.ts';

export const affinity = createBindingAssay(AFFINITY);
