/** The entry of affinity in the registry. */
import { makeBindingAssay } from '../binding/assay.ts';
import { combineAffinity, judgeSets } from './affinity.ts';

export const affinity = makeBindingAssay({ judge: judgeSets, combine: combineAffinity });
