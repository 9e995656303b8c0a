/** The presentation of fluorescence. */
import { defineDoubles, PLACE, defineStrings } from '#features/results/package/curve-columns.ts';
import {
  type Lesson,
  withNumber,
  ARITHMETIC_OR_MEDIAN,
  countWords,
} from '#features/results/package/sentences.ts';
import { listReplicates } from '#features/results/package/packaged.ts';
import { createFormatter, type Measure } from '#features/results/figures/measures.ts';
import {
  describePlateEffects,
  drawFluorescence,
  chooseColors,
  buildWells,
  writePlatesCaption,
  fluorescenceWords,
} from './figure.ts';
import { prose, markStrong } from '#documents/prose.ts';
import type { ShownAssay, FigureCollector } from '../shown-assay.ts';
import type { ResultOf } from '#analysis/assays/assay.ts';
import type { fluorescence as engine } from './engine/assay.ts';
import { fluorescenceResult } from './record.ts';
import { fluorescenceView } from './view.ts';
import type { PlateMap } from '#features/results/curves.ts';
import { selectCurves } from '#features/results/figures/picture.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { listFailedPlates } from '#features/results/words/failed-plate.ts';
import { splitPages, drawPlateMaps, type Plate } from '#features/results/figures/plates.ts';
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

const measure: Measure = {
  title: 'Fluorescence',
  axis: 'Intensity relative to the reference',
  head: 'Relative intensity (95% CI)',
  isDecades: false,
  getQuantity: ({ quantities }) => quantities.normalized_to_control,
  getReplicateValue: (row) => row.normalized_to_control,
  getReplicateRelation: (row) => row.normalized_to_control_relation,
  formatQuantity: createFormatter(),
  level: { value: 1, name: 'reference' },
  caption: 'arithmetic mean over replicates, or their median where some are limits; interval: 95% CI',
};

const lesson: Lesson = {
  curves: {
    title: 'The wells behind an intensity',
    text: prose`Every intensity is corrected for the blank of its plate and, where the plate has a reference protein, divided by that. Z′ says how far apart reference and dark control are in units of their noise; the closer to 1, the better the plate separates them.`,
  },
  doubt: {
    title: 'When not to trust an intensity',
    points: [
      prose`${markStrong('Saturated')} wells are limits: the true intensity is higher.`,
      prose`${markStrong('Edge wells')} dry out first; measure a hit at the edge again.`,
      prose`${markStrong('Brightness is also amount')}: without the expression of the same design, a bright well may only contain more protein.`,
    ],
  },
};

const countNormalized = countWords('Replicates by basis', (result) =>
  listReplicates(result).map(({ normalized_to_control: relative, intensity }) =>
    typeof relative === 'number'
      ? 'relative to the reference of the plate'
      : typeof intensity === 'number'
        ? 'without a reference'
        : null,
  ),
);

export const fluorescence: ShownAssay<ResultOf<typeof engine>> = {
  result: fluorescenceResult,
  view: fluorescenceView,
  reportName: 'Fluorescence',
  words: fluorescenceWords,
  measure,
  draw: drawFluorescence,
  collectPlates: () => new SharedPlates(),
  isCall: false,
  mainQuantities: ['normalized_to_control', 'log2_fold', 'intensity'],
  notebookQuantities: ['log2_fold', 'normalized', 'intensity', 'normalized_to_control'],
  scalars: [
    { member: 'cv_pct', name: 'cv', unit: '%', meaning: 'of the replicates' },
    { member: 'ex_nm', meaning: 'excitation wavelength' },
    { member: 'em_nm', meaning: 'emission wavelength' },
    { member: 'gain', meaning: 'of the detector, as the reader counts it' },
    { member: 'z_prime_plate', meaning: 'Z′ of reference and dark control' },
    { member: 'saturated', meaning: 'whether a replicate saturated the detector' },
  ],
  curveColumns: [
    ...PLACE,
    ...defineStrings('role', 'sample'),
    { name: 'sample_replicate', type: 'INT32' },
    ...defineDoubles('signal', 'normalized'),
    { name: 'saturated', type: 'BOOLEAN' },
  ],
  lesson,
  about:
    'Fluorescence was read on plates. An intensity is the signal of a well minus the blank of its plate.',
  processing: ({ settings }) => [
    settings.reference === 'mean' || settings.reference === 'median'
      ? `A relative intensity is (F − blank)/(reference − blank), with the ${settings.reference} of the reference wells of the plate.`
      : undefined,
    withNumber(
      settings.z_prime_min,
      (z) => `Z′ = 1 − 3(SD + SD)/difference of reference and dark control; a plate below ${z} is flagged.`,
    ),
    describePlateEffects(settings.plate_effects) === ''
      ? undefined
      : `${toSentence(describePlateEffects(settings.plate_effects))}.`,
  ],
  facts: [countNormalized],
  aggregation: ARITHMETIC_OR_MEDIAN,
};

function toSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
