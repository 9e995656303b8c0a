/** Affinity as the registry has it. */
import { makeBindingAssay } from '../binding/assay.ts';
import { combineAffinity, judgeSets } from './affinity.ts';

export const affinity = makeBindingAssay({ judge: judgeSets, combine: combineAffinity });
