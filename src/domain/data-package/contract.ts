import { defineOperation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';

export const getDataPackage = defineOperation({
  id: 'get_data_package',
  method: 'GET',
  path: '/experiments/{experiment_id}/data-package',
  tag: 'results',
  summary: 'Download everything about the released results as one zip archive',
  description:
    'Returns a link to the archive that works without a token for an hour. It holds results, replicates and evaluations as CSV, the curves as CSV and Parquet, the fits, the sequences, the construct of the target, methods, plots, a report, a notebook and a manifest with the SHA-256 of every file.',
  effect: 'read',
  permission: 'result:read',
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  output: Type.Null(),
  success: 307,
  failures: ['experiment_not_found', 'results_not_released'],
  example: { params: { experiment_id: 'DEMO-001-001' } },
});
