/** Settings that affinity and screening share. */
import type { BindingAnalysis } from './engine/types.ts';
import type { ResultAssay } from '../result-record.ts';

export const bindingSettings: Pick<ResultAssay, 'chooseSettings' | 'describeTarget'> = {
  chooseSettings: () => ({}),
  describeTarget: (target) => ({
    bivalentAnalyte: target?.is_multivalent ?? false,
    targetControlKdM: target?.control_kd_m ?? null,
  }),
};

export function getSignalUnit({ plates }: BindingAnalysis): string {
  return plates[0]?.signalUnit ?? 'nm';
}
