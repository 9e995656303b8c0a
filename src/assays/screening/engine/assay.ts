/** The entry of screening in the registry. */
import { createBindingAssay } from '../../binding/engine/assay.ts';
import { SCREENING } from './screening.ts';

export const screening = createBindingAssay(SCREENING);
