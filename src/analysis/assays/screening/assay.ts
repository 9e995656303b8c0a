/** The entry of screening in the registry. */
import { makeBindingAssay } from '../binding/assay.ts';
import { combineScreening, screenSets } from './screening.ts';

export const screening = makeBindingAssay({ judge: screenSets, combine: combineScreening });
