/**
 * Settings that affinity and screening share.
 * This folder: what affinity and screening share on the wire. Not here: analysis.
 */
import type { ResultAssay } from '../result-assay.ts';

export const bindingSettings: Pick<ResultAssay, 'chooseSettings' | 'describeTarget'> = {
  // A BLI sensor drifts over minutes; a model without drift would attribute it to the koff of weak binders.
  chooseSettings: ({ method }) => ({ drift: method === 'bli' }),
  describeTarget: (target) => ({
    bivalentAnalyte: target?.is_multivalent ?? false,
    targetControlKdM: target?.control_kd_m ?? null,
  }),
};
