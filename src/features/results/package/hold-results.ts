import type { PackagedResult } from './packaged.ts';

type Analysis = PackagedResult['analysis'];

/**
 * Returns all results at once, of each only what a report reads. Most of a record is its analysis, which names every
 * plate and file of the experiment and is the same in nearly all results, so equal ones are one object.
 */
export async function holdResults(results: AsyncIterable<PackagedResult>): Promise<PackagedResult[]> {
  const analyses = new Map<string, Analysis>();
  const share = (analysis: Analysis): Analysis => {
    const text = JSON.stringify(analysis);
    const known = analyses.get(text);
    if (known === undefined) analyses.set(text, analysis);
    return known ?? analysis;
  };
  const heldResults: PackagedResult[] = [];
  for await (const result of results) heldResults.push({ ...pick(result), analysis: share(result.analysis) });
  return heldResults;
}

function pick(result: PackagedResult): PackagedResult {
  return {
    id: result.id,
    title: result.title,
    sequence_name: result.sequence_name,
    is_control: result.is_control,
    outcome: result.outcome,
    status: result.status,
    version: result.version,
    place: result.place,
    binding_score: result.binding_score,
    n_replicates_ordered: result.n_replicates_ordered,
    n_replicates: result.n_replicates,
    n_replicates_passed: result.n_replicates_passed,
    n_curves_planned: result.n_curves_planned,
    n_curves: result.n_curves,
    excluded_replicates: result.excluded_replicates,
    qc: result.qc,
    quantities: result.quantities,
    rows: result.rows,
    analysis: result.analysis,
    ...(result.assessment === undefined ? {} : { assessment: result.assessment }),
    ...(result.details === undefined ? {} : { details: result.details }),
  };
}
