/** The part that the simulated affinity and screening share: plates of sensors. */
import { simulatePlateFiles } from '#sandbox/models/plates.ts';
import type { SimulatedAssay } from '../simulated-assay.ts';
import { nameBindingInstrument } from './instrument.ts';

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
