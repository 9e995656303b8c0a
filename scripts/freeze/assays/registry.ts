/** Assays whose cases have folders of their own. */
import type { FreezeCase } from '../case.ts';
import { listThermostabilityCases } from './thermostability/cases.ts';

export function listAssayCases(folder: string): FreezeCase[] {
  return listThermostabilityCases(folder);
}
