/** The controls that a file names, before people say otherwise. */
import type { ControlRole } from '#core/raw-mapping.ts';

export interface StatedControl {
  /** Name of the trace or the well. */
  readonly id: string;
  readonly role: ControlRole;
  readonly sample: string;
}

export type StatedControls = readonly StatedControl[];

interface Named {
  readonly id?: string;
  readonly well: string | null;
  readonly role: string;
  readonly sample: string;
  readonly concentrationM: number | null;
}

/** Lists each control once, however many channels it was read in. One in buffer alone is a blank. */
export function listStatedControls(measured: readonly Named[]): StatedControl[] {
  const controls = new Map<string, StatedControl>();
  for (const { id: ownId, well, role, sample, concentrationM } of measured) {
    const id = ownId ?? well;
    if (id === null || concentrationM === 0 || controls.has(id)) continue;
    if (role === 'positive_control' || role === 'negative_control') controls.set(id, { id, role, sample });
  }
  return [...controls.values()];
}
