/** The picture of one result, whatever its assay. */
import { expressionSvg } from './expression.ts';
import { fluorescenceSvg } from './fluorescence.ts';
import { meltSvg } from './melt.ts';
import { sensorgramSvg } from './sensorgram.ts';
import type { ResultCurves } from '#domain/results/store.ts';

/** A standalone SVG; the same result gives the same bytes, and nothing in it runs or is loaded from elsewhere. */
export function resultSvg(result: ResultCurves): string {
  switch (result.experiment_type) {
    case 'thermostability':
      return meltSvg(result);
    case 'expression':
      return expressionSvg(result);
    case 'fluorescence':
      return fluorescenceSvg(result);
    default:
      return sensorgramSvg(result);
  }
}
