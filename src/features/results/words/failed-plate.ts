/** A control that failed puts every result of its plate in doubt; tables, figures and texts say so alike. */
import { isRecord } from '#core/records.ts';
import { listRecords } from '#documents/records.ts';

const FLAG = 'CONTROL_FAILED';

export const FAILED_PLATE = 'a control of the plate failed';

export function hasFailedPlate(flags: readonly string[]): boolean {
  return flags.includes(FLAG);
}

/** Whether a replicate of this summary row is on such a plate. */
export function isOnFailedPlate(row: Readonly<Record<string, unknown>>): boolean {
  return listRecords(row.replicates).some(({ flags }) => Array.isArray(flags) && flags.includes(FLAG));
}

/** The plates of these replicates on which a control failed. */
export function listFailedPlates(replicates: readonly Readonly<Record<string, unknown>>[]): string[] {
  const failed = replicates.flatMap(({ plate, flags }) =>
    typeof plate === 'string' && Array.isArray(flags) && flags.includes(FLAG) ? [plate] : [],
  );
  return [...new Set(failed)];
}

/** `Plate P2: control failed` */
export function namePlate(plate: string, isFailed: boolean): string {
  return `Plate ${plate}${isFailed ? ': control failed' : ''}`;
}

/** The reasons that the flags of a result give, each once. */
export function listPlateFailures(details: readonly unknown[] | undefined): string[] {
  const messages = (details ?? []).flatMap((detail) =>
    isRecord(detail) && detail.code === FLAG && typeof detail.message === 'string' ? [detail.message] : [],
  );
  return [...new Set(messages)];
}
