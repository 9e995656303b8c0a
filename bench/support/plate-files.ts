/** The simulated files of the campaign that is measured. */
import { simulatePlateFiles } from '#sandbox/models/plates.ts';
import { createDesigns } from './designs.ts';

export const SEQUENCES = 96;
export const REPLICATES = 2;
export const CONCENTRATIONS_NM = [1000, 316.2, 100, 31.6, 10];

export function createPlateFiles(): ReturnType<typeof simulatePlateFiles> {
  const sequences = Object.entries(createDesigns(SEQUENCES, 120, 7)).map(([name, aaString]) => {
    return { id: name, name, aaString, isControl: false };
  });
  return simulatePlateFiles({
    experimentCode: 'BENCH-1',
    experimentType: 'affinity',
    method: 'bli',
    target: { id: 'bench', name: 'bench' },
    sequences,
    nReplicates: REPLICATES,
    concentrationsNm: CONCENTRATIONS_NM,
    options: { library: 'enriched' },
  });
}
