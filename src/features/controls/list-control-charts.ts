import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { listControlCharts as operation } from './contract.ts';
import { buildCharts } from './rules.ts';
import { selectControlValues } from './store.ts';
import { describeChart } from './chart-form.ts';

const CHARTS_MAX = 200;

/** `GET /lab/control-charts`. */
export async function listControlCharts({ query }: Input<typeof operation>, { sql }: ReadContext) {
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
