import { createBindingAssay } from '../binding/assay.ts';

export const affinity = createBindingAssay('affinity');
