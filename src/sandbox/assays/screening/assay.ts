import { createBindingAssay } from '../binding/assay.ts';

export const screening = createBindingAssay('screening');
