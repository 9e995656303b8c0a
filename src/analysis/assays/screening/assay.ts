/** Screening as the registry has it. */
import { makeBindingAssay } from '../binding/assay.ts';
import { combineScreening, screenSets } from './screening.ts';

export const screening = makeBindingAssay({ judge: screenSets, combine: combineScreening });
