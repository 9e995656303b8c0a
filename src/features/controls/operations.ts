/** The operations of controls, each with what carries it out. */
import { bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext } from '#core/context.ts';
import { type Input, Answer } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { buildCharts, isOutOfControl, type ControlChart } from './rules.ts';
import { selectControlValues } from './store.ts';
import { fail } from '#core/failures.ts';
import { drawControlChart } from './control-chart.ts';
import { writeSvg } from '#documents/svg.ts';
import { createHash } from 'node:crypto';

/** Control charts in the form that staff see. */
const POINTS_MAX = 500;

/** The id says nothing but keeps the same as long as the series does. */
function getChartId({ key }: ControlChart): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

function describeChart(chart: ControlChart) {
  const { latest, points, mean, sd, nBaseline, isProvisional } = chart;
  const id = getChartId(chart);
  const { control, role, quantity, unit, experiment_type, target_name: target, lot, instrument } = latest;
  return {
    chart_id: id,
    control,
    role,
    quantity,
    unit,
    experiment_type,
    target_name: target === '' ? null : target,
    lot,
    instrument,
    n_values: points.length,
    n_baseline: nBaseline,
    is_provisional: isProvisional,
    mean,
    sd,
    n_out_of_control: points.filter(isOutOfControl).length,
    points: points.slice(-POINTS_MAX).map((point) => ({
      value: point.value.value,
      z: point.z,
      rules: [...point.rules],
      is_out_of_control: isOutOfControl(point),
      experiment_code: point.value.experiment_code,
      plate: point.value.plate,
      n_replicates: point.value.n_replicates,
      measured_at: point.value.measured_at,
    })),
    plot_path: `/lab/control-charts/${id}/plot.svg`,
  };
}

export const controlsOperations: readonly Binding[] = [
  bindRead(contract.listControlCharts, listControlCharts),
  bindRead(contract.getControlChartPlot, getControlChartPlot),
];

const CHARTS_MAX = 200;

/** `GET /lab/control-charts`. */
async function listControlCharts({ query }: Input<typeof contract.listControlCharts>, { sql }: ReadContext) {
  const { control, quantity } = query;
  // Rules across the controls of a run and the limits of a series need every value; the filters choose charts.
  const charts = buildCharts(await selectControlValues(labScope, sql)).filter(({ latest }) => {
    const { experiment_type: type, target_name: target, instrument, lot } = query;
    return (
      isWanted(control, latest.control) &&
      isWanted(quantity, latest.quantity) &&
      isWanted(type, latest.experiment_type) &&
      isWanted(target, latest.target_name) &&
      isWanted(instrument, latest.instrument) &&
      isWanted(lot, latest.lot)
    );
  });
  return { charts: charts.slice(0, CHARTS_MAX).map(describeChart), n_charts: charts.length };
}

function isWanted(filter: string | undefined, value: string | null): boolean {
  return filter === undefined || filter === value;
}

/** `GET /lab/control-charts/{chart_id}/plot.svg`. */
async function getControlChartPlot(
  { params }: Input<typeof contract.getControlChartPlot>,
  { sql }: ReadContext,
): Promise<Answer> {
  const charts = buildCharts(await selectControlValues(labScope, sql));
  const found = charts.find((chart) => getChartId(chart) === params.chart_id);
  if (found === undefined) throw fail('control_chart_not_found');
  const svg = writeSvg(drawControlChart(describeChart(found)));
  return new Answer(200, svg, { 'content-type': 'image/svg+xml; charset=utf-8' });
}
