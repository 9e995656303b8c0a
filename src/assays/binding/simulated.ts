/** The part that the simulated affinity and screening share: plates of sensors. */
import { simulatePlateFiles } from '#sandbox/models/plates.ts';
import type { SimulatedAssay } from '../simulated-assay.ts';

export function createBindingAssay(
  experimentType: 'affinity' | 'screening',
  price: SimulatedAssay['price'],
): SimulatedAssay {
  return {
    price,
    nameInstrument: nameBindingInstrument,
    record: (request) => simulatePlateFiles({ ...request, experimentType }),
  };
}

/** Names the sensor instrument. Expression is captured on the same sensors that measure binding. */
export function nameBindingInstrument(method: 'bli' | 'spr' | null): string {
  return method === 'spr' ? 'Simulated SPR' : 'Simulated BLI';
}
