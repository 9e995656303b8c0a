/** Files for tests: sensors whose signal is any function of concentration and time, such as those of other models than 1:1. */
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import type { FitCurve } from '#assays/binding/engine/kinetics/model.ts';
import { createEmptyCurve } from './noise.ts';
import { createNormals, toFile } from './synthetic.ts';

export interface ShapedPlate {
  concentrationsM: readonly number[];
  /** Signal at the times of the curve, in s after the true start of association. */
  computeResponse: (curve: FitCurve) => Float64Array;
  /** Signal `beforeS` before association. Default 0. */
  computeBaseline?: (concentrationM: number, beforeS: number) => number;
  noiseSd?: number;
  seed?: number;
  associationS?: number;
  dissociationS?: number;
  /** How much earlier than it is the file says that association starts and ends, in s. */
  statedEarlyS?: number;
  technique?: 'bli' | 'spr';
}

const BASELINE_S = 60;

/** One sample, a sensor for each concentration, sampled once a second; nothing to refer it to. */
export function createShapedFile(plate: ShapedPlate): InputFile {
  const { concentrationsM, associationS = 300, dissociationS = 300, noiseSd = 0, statedEarlyS = 0 } = plate;
  const normal = createNormals(plate.seed ?? 1);
  const head = [
    '# assayer-traces: 1',
    `# technique: ${plate.technique ?? 'bli'}`,
    '# signal_unit: nm',
    '# plate: P1',
    '',
    'trace,well,role,sample,replicate,concentration_m',
    ...concentrationsM.map((molar, i) => `T${i + 1},,sample,design,1,${molar}`),
    '',
    'trace,step,time_s,signal',
  ];
  const lengthS = associationS + dissociationS;
  const rows = concentrationsM.flatMap((concentrationM, i) => {
    const shape = plate.computeResponse(
      createEmptyCurve({ concentrationM, associationS, lengthS, points: lengthS }),
    );
    return Array.from({ length: BASELINE_S + lengthS }, (_, k) => {
      const t = k - BASELINE_S;
      const stated = t + statedEarlyS;
      const step = stated < 0 ? 'baseline' : stated < associationS ? 'association' : 'dissociation';
      const bound = t < 1 ? (plate.computeBaseline?.(concentrationM, -t) ?? 0) : shape[t - 1];
      const signal = bound + noiseSd * normal();
      return `T${i + 1},${step},${k},${signal.toFixed(9)}`;
    });
  });
  return toFile('shaped.csv', [...head, ...rows, ''].join('\n'));
}
