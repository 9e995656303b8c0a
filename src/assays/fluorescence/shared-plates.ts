/**
 * The plates that the sequences of a fluorescence experiment share, each drawn once with its samples and controls.
 */
import type { PlateMap } from '#features/results/curves.ts';
import { selectCurves } from '#features/results/figures/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { writePlatesCaption } from './caption.ts';
import { chooseColors, buildWells } from './figure.ts';
import { listFailedPlates } from '#features/results/words/failed-plate.ts';
import { splitPages, drawPlateMaps, type Plate } from '#features/results/figures/plates.ts';
import type { FigureCollector } from '../shown-assay.ts';
import type { Scene } from '#documents/scene.ts';

/** Takes results one by one, so that they need not be in memory together. */
export class SharedPlates implements FigureCollector {
  readonly #plates = new Map<string, PlateMap>();
  readonly #failed = new Set<string>();
  #signalUnit = '';

  /** A plate that was read or normalized again counts as another plate. */
  take(result: Pick<ResultCurves, 'curves' | 'signal_unit' | 'replicates'>): void {
    this.#signalUnit ||= result.signal_unit;
    for (const name of listFailedPlates(result.replicates)) this.#failed.add(name);
    for (const plate of selectCurves(result.curves, 'plate')) {
      if (plate.well.length > 0) this.#plates.set(JSON.stringify(plate), plate);
    }
  }

  /** Returns one figure per page of a report, all on one color scale. */
  buildPages(code: string): Scene[] {
    const sortedPlates = [...this.#plates.values()].toSorted((a, b) =>
      a.plate.localeCompare(b.plate, 'en', { numeric: true }),
    );
    const { isNormalized, getValues, scale } = chooseColors(sortedPlates, this.#signalUnit);
    const plates = sortedPlates.map((plate): Plate => [
      plate.plate,
      buildWells(plate, getValues(plate), null),
    ]);
    return splitPages(plates).map((page) =>
      drawPlateMaps(page, {
        code,
        shown: `every well by its ${scale.name}`,
        failed: this.#failed,
        scale,
        caption: writePlatesCaption(
          isNormalized,
          page.flatMap(([, wells]) => wells),
        ),
      }),
    );
  }
}
