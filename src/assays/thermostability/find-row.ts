import type { Summarized } from '../row.ts';
import type { ThermostabilityResult } from './row.ts';

export function findThermostabilityRow({ rows }: Summarized): ThermostabilityResult | undefined {
  return rows.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}
