/** Writes what controls showed, beside the results that were computed with them. */
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { expression, insertInto } from '#core/write-rows.ts';

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
  for (const value of values)
    await sql.query(
      ...insertInto('control_values', {
        id: value.id,
        organization_id: scope.organizationId,
        experiment_id: experimentId,
        run_id: value.runId,
        version,
        control: value.control,
        role: value.role,
        quantity: value.quantity,
        value: value.value,
        unit: value.unit,
        experiment_type: experimentType,
        target_name: value.targetName ?? '',
        lot: expression`(select lot from targets where id = ${targetId}::uuid)`,
        instrument: value.instrument,
        plate: value.plate,
        n_replicates: value.nReplicates,
        measured_at: value.measuredAt,
        created_at: at,
      }),
    );
}
