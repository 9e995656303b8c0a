/** Screening as the registry has it. */
import { makeBindingAssay } from '../binding/assay.ts';
import { SCREENING } from './screening.ts';

export const screening = makeBindingAssay(SCREENING);
