/** Results as the lab reads them before their release: what the client will read, at addresses of the lab. */
import { ExperimentParams } from '#core/fields.ts';
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { ListQuery } from '#core/list-query.ts';
import { Type } from '#core/schema.ts';
import { getResultCurves, getResultPlot, ResultInfo, getExperimentPlot, diffResults } from './contract.ts';
import * as examples from './examples.ts';
import { labResultFields } from './list-fields.ts';

const resultParams = Type.Object({
  ...ExperimentParams.properties,
  result_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_lab_results`' }),
});
const named = { experiment_id: 'DEMO-001-001', result_id: examples.result.id };
const failures = ['experiment_not_found', 'result_not_found'] as const;
const shared = { method: 'GET', tag: 'lab-review', effect: 'read', permission: 'lab:read' } as const;
const AUDITED = 'Results name the sequences, so each reading is in the audit trail of the organization.';

const address = `${EXAMPLE_ADDRESS}/api/v1/lab/experiments/01980000-0000-7000-8000-0000000000e1/results`;
const result = {
  ...examples.result,
  status: 'preliminary' as const,
  data_package_url: null,
  curves_url: `${address}/${examples.result.id}/curves`,
  plot_url: `${address}/${examples.result.id}/plot.svg`,
};

export const listLabResults = defineOperation({
  id: 'list_lab_results',
  ...shared,
  path: '/lab/experiments/{experiment_id}/results',
  summary: 'List the newest results of an experiment of any organization, released or not, best first',
  description: `What clients read after the release. ${AUDITED}`,
  params: ExperimentParams,
  list: labResultFields,
  query: ListQuery({}),
  output: PageOf(ResultInfo),
  failures: ['invalid_query', 'experiment_not_found'],
  example: {
    params: { experiment_id: named.experiment_id },
    output: { items: [result], count: 1, offset: 0, total: 1 },
  },
});

export const getLabResult = defineOperation({
  id: 'get_lab_result',
  ...shared,
  path: '/lab/experiments/{experiment_id}/results/{result_id}',
  summary: 'Read one result of any version, released or not',
  description: AUDITED,
  params: resultParams,
  output: ResultInfo,
  failures,
  example: { params: named, output: result },
});

export const getLabResultCurves = defineOperation({
  id: 'get_lab_result_curves',
  ...shared,
  path: '/lab/experiments/{experiment_id}/results/{result_id}/curves',
  summary: 'Read the curves behind a result, released or not',
  description: 'In the forms of `get_result_curves`.',
  params: resultParams,
  output: getResultCurves.output,
  media: getResultCurves.media,
  failures,
  example: { params: named, output: getResultCurves.example.output },
});

export const getLabResultPlot = defineOperation({
  id: 'get_lab_result_plot',
  ...shared,
  path: '/lab/experiments/{experiment_id}/results/{result_id}/plot.svg',
  summary: 'Read the curves behind a result, released or not, as a figure',
  params: resultParams,
  output: getResultPlot.output,
  media: getResultPlot.media,
  failures,
  example: { params: named },
});

export const diffLabResults = defineOperation({
  id: 'diff_lab_results',
  ...shared,
  path: '/lab/experiments/{experiment_id}/results/{result_id}/diff',
  summary: 'Compare a version of a result, released or not, with another one',
  description: 'Against the version before this one, or against `against`.',
  params: resultParams,
  query: diffResults.query,
  output: diffResults.output,
  failures: [...failures, 'result_version_not_found'],
  example: { params: named, query: diffResults.example.query, output: diffResults.example.output },
});

export const getLabPlot = defineOperation({
  id: 'get_lab_plot',
  ...shared,
  path: '/lab/experiments/{experiment_id}/plot.svg',
  summary: 'Read the newest results of an experiment, released or not, as one figure',
  description: 'With the views of `get_experiment_plot`.',
  params: ExperimentParams,
  query: getExperimentPlot.query,
  output: getExperimentPlot.output,
  media: getExperimentPlot.media,
  failures: [...getExperimentPlot.failures],
  example: { params: { experiment_id: named.experiment_id }, query: { view: 'ranking' } },
});

export const getLabDataPackage = defineOperation({
  id: 'get_lab_data_package',
  ...shared,
  path: '/lab/experiments/{experiment_id}/data-package',
  summary: 'Download the data package and the report as the client will get them',
  description: `Returns a link that works without a token for an hour, to the archive of the newest results, released or not. ${AUDITED}`,
  params: ExperimentParams,
  output: Type.Null(),
  success: 307,
  failures: ['experiment_not_found', 'results_not_released'],
  example: { params: { experiment_id: named.experiment_id } },
});
