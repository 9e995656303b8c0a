/** Plots of a whole experiment. */
import { defineOperation } from '#core/operation.ts';
import { formatAssaysWith } from '#assays/registry.ts';
import { OneOf, strict, Type } from '#core/schema.ts';

export const getExperimentPlot = defineOperation({
  id: 'get_experiment_plot',
  method: 'GET',
  path: '/experiments/{experiment_id}/plot.svg',
  tag: 'results',
  summary: 'Read the released results of an experiment as one figure',
  description: `\`ranking\`, the default: every sequence with its value, interval and replicates, best first, at most 100. \`plates\`: the wells of ${formatAssaysWith('plates')} as heat maps. \`rates\`: kon over koff of ${formatAssaysWith('rates')}, with the lines of equal KD. \`melts\`: the replicates of every sequence laid over one another with their derivatives and the control, of ${formatAssaysWith('melts')}.`,
  effect: 'read',
  permission: 'result:read',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  query: Type.Object(
    { view: Type.Optional(OneOf(['ranking', 'plates', 'rates', 'melts'], { description: 'which picture' })) },
    strict,
  ),
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: [
    'experiment_not_found',
    'results_not_released',
    'plates_unknown',
    'rates_unknown',
    'melts_unknown',
  ],
  example: { params: { experiment_id: 'DEMO-001-001' }, query: { view: 'ranking' } },
});
