/** Checks whether an analysis would accept settings, before anything is analyzed. */
import { AnalysisError } from '#analysis/failures/errors.ts';
import type { Assays } from '#analysis/assays/assay.ts';
import { ENGINES } from './engines.ts';

/** Returns the message about the first rejected setting; null when all are accepted. */
export function findSettingsProblem(
  experimentType: string,
  settings: Readonly<Record<string, unknown>>,
): string | null {
  const assays: Assays = ENGINES;
  const assay = Object.hasOwn(assays, experimentType) ? assays[experimentType] : undefined;
  if (assay === undefined) return `There is no analysis for experiments of type ${experimentType}.`;
  try {
    assay.resolveSettings(settings);
    return null;
  } catch (error) {
    if (error instanceof AnalysisError) return error.message;
    throw error;
  }
}
