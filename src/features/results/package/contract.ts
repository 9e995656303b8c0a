/**
 * This folder: data packages: who asked for one, its archive and the files in it. Not here: the report (`../report`).
 */
import { ExperimentParams } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { Nullable, OneOf, Type } from '#core/schema.ts';

export const getDataPackage = defineOperation({
  id: 'get_data_package',
  method: 'GET',
  path: '/experiments/{experiment_id}/data-package',
  tag: 'results',
  summary: 'Download everything about the released results as one zip archive',
  description:
    'Returns a link to the archive that works without a token for an hour. The first request for the link has the archive made: it waits up to 50 seconds and then answers 503 with Retry-After and the progress; with `Prefer: respond-async` it answers 202. A download that broke off is resumed with Range. It holds results, replicates and evaluations as CSV, the curves as CSV and Parquet, the fits, the sequences, the construct of the target, methods, plots, a report, a notebook and a manifest with the SHA-256 of every file.',
  effect: 'read',
  permission: 'result:read',
  params: ExperimentParams,
  output: Type.Null(),
  success: 307,
  failures: ['experiment_not_found', 'results_not_released'],
  example: { params: { experiment_id: 'DEMO-001-001' } },
});

const packageStatuses = ['not_made', 'being_made', 'ready', 'failed'] as const;

export const getDataPackageStatus = defineOperation({
  id: 'get_data_package_status',
  method: 'GET',
  path: '/experiments/{experiment_id}/data-package/status',
  tag: 'results',
  summary: 'Tell whether the data package of the newest results is made, and how far it is',
  description:
    'A package is made once for each version of the results and kept. One that is `not_made` is made when the link of `get_data_package` is first fetched.',
  effect: 'read',
  permission: 'result:read',
  params: ExperimentParams,
  output: Type.Object({
    status: OneOf(packageStatuses, {
      description:
        'failed: it could not be made and is tried again when the link is fetched ten minutes later',
    }),
    results_done: Type.Integer({ description: 'results that are packed' }),
    results_total: Type.Integer({ description: 'results that the package will have' }),
    size_bytes: Nullable(Type.Integer(), {
      description: 'size of the archive in bytes; null before it is ready',
    }),
    sha256: Nullable(Type.String(), {
      description: 'SHA-256 of the archive in hex; null before it is ready',
    }),
  }),
  success: 200,
  failures: ['experiment_not_found', 'results_not_released'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    output: {
      status: 'being_made',
      results_done: 43,
      results_total: 800,
      size_bytes: null,
      sha256: null,
    },
  },
});
