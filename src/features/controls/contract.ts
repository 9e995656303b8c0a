/**
 * Operations on the control charts of the lab.
 * This folder: values of controls over time, their limits and rules. Not here: how a control is measured.
 */
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type } from '#core/schema.ts';
import { experimentTypes } from '../experiments/types.ts';
import { controlQuantities, westgardRules } from './rules.ts';

const defineFilter = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, description }));

const filters = {
  control: defineFilter('name of the control'),
  quantity: Type.Optional(OneOf(controlQuantities, { description: 'what the chart shows' })),
  experiment_type: Type.Optional(OneOf(experimentTypes, { description: 'assay in which it was measured' })),
  target_name: defineFilter('name of the target that the control is measured against'),
  instrument: defineFilter('name of the instrument'),
  lot: defineFilter('lot of the target'),
};

const ChartId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'id of the chart; the same as long as control, lot and instrument are',
});

const Point = Type.Object({
  value: Type.Number({ description: 'in the unit of the chart' }),
  z: Nullable(Type.Number(), {
    description: 'distance from the mean in standard deviations; null without scatter',
  }),
  rules: Type.Array(OneOf(westgardRules), {
    description: 'rules of Westgard that it breaks, alone or with others; `1_2s` alone is a warning',
  }),
  is_out_of_control: Type.Boolean({ description: 'whether it breaks a rule other than `1_2s`' }),
  experiment_code: Type.String({ description: 'experiment of the run' }),
  plate: Type.String({ description: 'plate on which it was measured' }),
  n_replicates: Type.Integer({ description: 'replicates of which it is the mean' }),
  measured_at: describe(Timestamp, 'UTC time when the raw data of the run were complete'),
});

const Chart = Type.Object({
  chart_id: ChartId,
  control: Type.String({ description: 'name of the control' }),
  role: OneOf(['positive_control', 'negative_control'], { description: 'role of the control on its plates' }),
  quantity: OneOf(controlQuantities, {
    description: 'kd as the decimal logarithm of M, tm in °C, or signal in its unit',
  }),
  unit: Type.String({ description: 'unit of values, mean and limits' }),
  experiment_type: OneOf(experimentTypes, { description: 'assay in which it is measured' }),
  target_name: Nullable(Type.String(), { description: 'target it is measured against; null without one' }),
  lot: Nullable(Type.String(), { description: 'lot of the target; null where none is recorded' }),
  instrument: Nullable(Type.String(), { description: 'instrument of the run' }),
  n_values: Type.Integer({ description: 'values of the series' }),
  n_baseline: Type.Integer({ description: 'first values of the series, from which mean and limits come' }),
  is_provisional: Type.Boolean({ description: 'true until 20 values determine the limits, which then stay' }),
  mean: Type.Number({ description: 'mean of the baseline' }),
  sd: Nullable(Type.Number(), {
    description: 'standard deviation (n − 1) of the baseline; null with one value',
  }),
  n_out_of_control: Type.Integer({ description: 'values that break a rule other than `1_2s`' }),
  points: Type.Array(Point, { description: 'the newest 500 values, in the order of time' }),
  plot_path: Type.String({ description: 'path of its figure, below the address of the API' }),
});

const chartId = '0f343b0931126a20f133d67c2b018a3b';
const chart = {
  chart_id: chartId,
  control: 'lysozyme',
  role: 'positive_control' as const,
  quantity: 'kd' as const,
  unit: 'log10 M',
  experiment_type: 'affinity' as const,
  target_name: 'IL-6',
  lot: 'L-204',
  instrument: 'Octet R8',
  n_values: 21,
  n_baseline: 20,
  is_provisional: false,
  mean: -8.52,
  sd: 0.06,
  n_out_of_control: 1,
  points: [
    {
      value: -8.31,
      z: 3.5,
      rules: ['1_2s' as const, '1_3s' as const],
      is_out_of_control: true,
      experiment_code: 'DEMO-001-001',
      plate: 'P1',
      n_replicates: 2,
      measured_at: '2026-01-22T15:00:00.000Z',
    },
  ],
  plot_path: `/lab/control-charts/${chartId}/plot.svg`,
};

export const listControlCharts = defineOperation({
  id: 'list_control_charts',
  method: 'GET',
  path: '/lab/control-charts',
  tag: 'lab-charts',
  summary: 'Read the control charts: the value of each control over plates and time, with its limits',
  description:
    'A control has a chart for each quantity, target, lot and instrument; another lot or instrument begins a new one. Its mean and standard deviation come from its first 20 values and are provisional before. Each value says which rules of Westgard it breaks. Limits and estimates of a control are not charted, since they are no values.',
  effect: 'read',
  permission: 'lab:read',
  query: Type.Object(filters, strict),
  output: Type.Object({
    charts: Type.Array(Chart, { description: 'the chart with the newest value first; at most 200' }),
    n_charts: Type.Integer({ description: 'charts that the filters let through' }),
  }),
  failures: [],
  example: { query: { quantity: 'kd' }, output: { charts: [chart], n_charts: 1 } },
});

export const getControlChartPlot = defineOperation({
  id: 'get_control_chart_plot',
  method: 'GET',
  path: '/lab/control-charts/{chart_id}/plot.svg',
  tag: 'lab-charts',
  summary: 'Read a control chart as a figure after Levey and Jennings',
  description: 'The newest 100 values with the mean and the lines of one, two and three standard deviations.',
  effect: 'read',
  permission: 'lab:read',
  params: Type.Object({ chart_id: ChartId }),
  output: Type.String(),
  media: ['image/svg+xml'],
  failures: ['control_chart_not_found'],
  example: { params: { chart_id: chartId } },
});
