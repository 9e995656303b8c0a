import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getControlChartPlot as operation } from './contract.ts';
import { buildCharts } from './rules.ts';
import { selectControlValues } from './store.ts';
import { drawControlChart } from '#presentation/figures/control-chart.ts';
import { writeSvg } from '#presentation/svg.ts';
import { describeChart, getChartId } from './chart-form.ts';

/** `GET /lab/control-charts/{chart_id}/plot.svg`. */
export async function getControlChartPlot(
  { params }: Input<typeof operation>,
  { sql }: ReadContext,
): Promise<Answer> {
  const charts = buildCharts(await selectControlValues(labScope, sql));
  const found = charts.find((chart) => getChartId(chart) === params.chart_id);
  if (found === undefined) throw fail('control_chart_not_found');
  const svg = writeSvg(drawControlChart(describeChart(found)));
  return new Answer(200, svg, { 'content-type': 'image/svg+xml; charset=utf-8' });
}
