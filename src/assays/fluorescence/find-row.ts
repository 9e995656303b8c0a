import type { Summarized } from '../row.ts';
import type { FluorescenceResult } from './row.ts';

export function findFluorescenceRow({ rows }: Summarized): FluorescenceResult | undefined {
  return rows.find((row): row is FluorescenceResult => row.result_type === 'fluorescence');
}
