/** Values of controls, of the latest analysis of each run. */
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { ChartedValue } from './rules.ts';

/** The newest so many values are charted. */
const VALUES_MAX = 50_000;

/** Returns the values in the order of time. */
export async function selectControlValues(scope: Scope, sql: Sql): Promise<readonly ChartedValue[]> {
  return sql.query<ChartedValue>(
    `select * from (
       select c.id, c.run_id, e.code as experiment_code, c.control, c.role, c.quantity, c.value, c.unit,
         c.experiment_type, c.target_name, c.lot, c.instrument, c.plate, c.n_replicates, c.measured_at
       from control_values c join experiments e on e.id = c.experiment_id
       where ($1::uuid is null or c.organization_id = $1)
         and c.version = (select max(latest.version) from control_values latest where latest.run_id = c.run_id)
         -- A control of a plate that several experiments share was measured once.
         and not exists (select 1 from runs own join runs other on other.lab_run_id = own.lab_run_id
           join control_values twin on twin.run_id = other.id and twin.control = c.control
             and twin.quantity = c.quantity and twin.plate = c.plate
           where own.id = c.run_id and other.id < own.id and other.experiment_id <> own.experiment_id)
       order by c.measured_at desc, c.plate desc, c.id desc limit ${VALUES_MAX}
     ) newest order by measured_at, plate, id`,
    [getOrganizationId(scope)],
  );
}
