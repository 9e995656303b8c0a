/** Writes what controls showed, beside the results that were computed with them. */
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { createManyValues, expression, insertMany } from '#core/write-rows.ts';

/** What a control showed on a plate. */
export interface NewControlValue {
  readonly id: string;
  readonly runId: string;
  readonly control: string;
  readonly role: string;
  readonly quantity: string;
  readonly value: number;
  readonly unit: string;
  readonly targetName: string | null;
  readonly instrument: string | null;
  readonly plate: string;
  readonly nReplicates: number;
  readonly measuredAt: Date;
}

interface Analyzed {
  readonly experimentId: string;
  readonly experimentType: string;
  readonly version: number;
  readonly targetId: string | null;
}

/** The lot is that of the target at this time. */
export async function insertControlValues(
  scope: OrganizationScope,
  sql: Sql,
  { experimentId, experimentType, version, targetId }: Analyzed,
  values: readonly NewControlValue[],
  at: Date,
): Promise<void> {
  if (values.length === 0) return;
  const listText = <Value>(pick: (value: NewControlValue) => Value) =>
    createManyValues('text', values.map(pick));
  await sql.query(
    ...insertMany('control_values', {
      id: createManyValues(
        'uuid',
        values.map(({ id }) => id),
      ),
      organization_id: scope.organizationId,
      experiment_id: experimentId,
      run_id: createManyValues(
        'uuid',
        values.map(({ runId }) => runId),
      ),
      version,
      control: listText(({ control }) => control),
      role: listText(({ role }) => role),
      quantity: listText(({ quantity }) => quantity),
      value: createManyValues(
        'float8',
        values.map(({ value }) => value),
      ),
      unit: listText(({ unit }) => unit),
      experiment_type: experimentType,
      target_name: listText(({ targetName }) => targetName ?? ''),
      lot: expression`(select lot from targets where id = ${targetId}::uuid)`,
      instrument: listText(({ instrument }) => instrument),
      plate: listText(({ plate }) => plate),
      n_replicates: createManyValues(
        'int',
        values.map(({ nReplicates }) => nReplicates),
      ),
      measured_at: createManyValues(
        'timestamptz',
        values.map(({ measuredAt }) => measuredAt),
      ),
      created_at: at,
    }),
  );
}
