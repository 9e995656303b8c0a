/** The picture of one result, whatever its assay. */
import { drawExpression } from './expression.ts';
import { drawFluorescence } from './fluorescence.ts';
import { drawMelt } from './melt.ts';
import { drawSensorgrams } from './sensorgram.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import type { Scene } from '../scene.ts';

export function drawResult(result: ResultCurves): Scene {
  switch (result.experiment_type) {
    case 'thermostability':
      return drawMelt(result);
    case 'expression':
      return drawExpression(result);
    case 'fluorescence':
      return drawFluorescence(result);
    default:
      return drawSensorgrams(result);
  }
}
