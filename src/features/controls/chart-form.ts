/** Control charts in the form that staff see. */
import { createHash } from 'node:crypto';
import { isOutOfControl, type ControlChart } from './rules.ts';

const POINTS_MAX = 500;

/** The id says nothing but keeps the same as long as the series does. */
export function getChartId({ key }: ControlChart): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

export function describeChart(chart: ControlChart) {
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
