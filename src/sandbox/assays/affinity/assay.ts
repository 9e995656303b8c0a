import { makeBindingAssay } from '../binding/assay.ts';

export const affinity = makeBindingAssay('affinity');
