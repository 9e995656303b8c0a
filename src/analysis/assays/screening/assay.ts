/** The entry of screening in the registry. */
import { makeBindingAssay } from '../binding/assay.ts';
import { SCREENING } from './screening.ts';

export const screening = makeBindingAssay(SCREENING);
