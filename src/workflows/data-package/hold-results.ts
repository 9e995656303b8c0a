import type { PackagedResult } from '#presentation/data-package/packaged.ts';

type Analysis = PackagedResult['analysis'];

/**
 * Returns all results at once. Most of a record is its analysis, which names every plate and file of the experiment and
 * is the same in nearly all results, so equal ones are one object. `summary` repeats `rows` and is left out.
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
  for await (const result of results) {
    const heldResult = { ...result, analysis: share(result.analysis), summary: undefined };
    heldResults.push(heldResult);
  }
  return heldResults;
}
