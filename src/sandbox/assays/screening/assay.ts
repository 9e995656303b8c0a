import { makeBindingAssay } from '../binding/assay.ts';

export const screening = makeBindingAssay('screening');
