/** The engines of all assays, which worker threads and the analysis of the service load. */
import type { Assays } from '#analysis/assays/assay.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { loadParts, type ASSAYS, type AssayName } from './registry.ts';

type Engines = { readonly [Name in AssayName]: Awaited<ReturnType<(typeof ASSAYS)[Name]['loadEngine']>> };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is loaded by the entry of its name
export const ENGINES = (await loadParts((assay) => assay.loadEngine())) as unknown as Engines;

/** Returns the objection of the engine to the first setting that it rejects; null when it accepts all. */
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
