import type { Summarized } from '../row.ts';
import type { ThermostabilityResult } from './row.ts';

export function findThermostabilityRow({ rows }: Summarized): ThermostabilityResult | undefined {
  return rows.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}

/** A curve without a transition is measured, and has no melting temperature. */
export function lacksTransition(result: Summarized): boolean {
  const { tm, no_transition_reason: reason } = findThermostabilityRow(result) ?? {};
  return typeof tm !== 'number' && typeof reason === 'string';
}
