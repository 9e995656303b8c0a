import { insertInto } from '#core/write-rows.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import type { SandboxLab } from '../../experiments/sandbox-options.ts';

export interface SimulatedLabRow {
  readonly mode: SandboxLab;
  readonly changed_by: string;
  /** ISO 8601, UTC. */
  readonly changed_at: string;
}

/** The switch belongs to the whole environment; undefined while nobody has used it. */
export async function findSimulatedLab(sql: Sql): Promise<SimulatedLabRow | undefined> {
  return getFirst(await sql.query<SimulatedLabRow>('select mode, changed_by, changed_at from simulated_lab'));
}

export async function putSimulatedLab(tx: Transaction, row: SimulatedLabRow): Promise<void> {
  await tx.query(
    ...insertInto(
      'simulated_lab',
      row,
      `on conflict (only_row) do update set mode = excluded.mode, changed_by = excluded.changed_by,
         changed_at = excluded.changed_at`,
    ),
  );
}
