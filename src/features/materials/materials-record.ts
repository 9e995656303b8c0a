/** The materials of an experiment as staff read them. */
import type { Sql } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import type { MaterialsRecord } from './contract.ts';
import { formatDay, isUsable, type AntigenStock, type Material } from './rules.ts';
import { findAntigenStock } from './store.ts';

export async function readAntigenStock(
  sql: Sql,
  { target_id: targetId }: Pick<ExperimentRow, 'target_id'>,
): Promise<AntigenStock | null> {
  return targetId === null ? null : ((await findAntigenStock(sql, targetId)) ?? null);
}

export function countMissing(materials: readonly Material[], at: Date): number {
  const today = formatDay(at);
  return materials.filter((material) => !isUsable(material, today)).length;
}

export function describeMaterials(
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'status'>,
  materials: readonly Material[],
  { stock, at }: { readonly stock: AntigenStock | null; readonly at: Date },
): MaterialsRecord {
  const today = formatDay(at);
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    status: experiment.status,
    materials: materials.map((material) => ({
      kind: material.kind,
      sequence_id: material.kind === 'antigen' ? null : material.subject_id,
      name: material.name,
      form: material.form,
      status: material.status,
      is_usable: isUsable(material, today),
      lot: material.lot,
      amount_ug: material.amount_ug,
      concentration_mg_per_ml: material.concentration_mg_per_ml,
      expires_on: material.expires_on,
      recorded_by: material.recorded_by,
      updated_at: material.updated_at,
    })),
    n_missing: countMissing(materials, at),
    stock: stock === null ? null : { lot: stock.lot, stock_ug: stock.stock_ug },
  };
}
