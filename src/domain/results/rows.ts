/** The summary row of a result in the shape of its assay. */
import type { ExpressionResult, FluorescenceResult, ThermostabilityResult } from './assay-rows.ts';
import type { AffinityResult, ResultSummary } from './contract.ts';

interface Summarized {
  readonly summary: readonly ResultSummary[];
}

/** Of affinity and screening. */
export function bindingRow({ summary }: Summarized): AffinityResult | undefined {
  return summary.find((row): row is AffinityResult => row.result_type === 'affinity');
}

export function thermostabilityRow({ summary }: Summarized): ThermostabilityResult | undefined {
  return summary.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}

export function expressionRow({ summary }: Summarized): ExpressionResult | undefined {
  return summary.find((row): row is ExpressionResult => row.result_type === 'expression');
}

export function fluorescenceRow({ summary }: Summarized): FluorescenceResult | undefined {
  return summary.find((row): row is FluorescenceResult => row.result_type === 'fluorescence');
}
