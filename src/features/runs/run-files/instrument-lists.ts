/** Lists that are typed or loaded into instruments before a run. */
import { formatWell, listPlaces, countAlongRows } from '#core/wells.ts';
import { isFormula, writeCsvField } from '#core/csv.ts';
import { joinLines } from './run-file.ts';
import type { PlannedPlate, RunPlan } from './run-file.ts';

/** Writes the order in which capillaries or cycles are loaded: position, sample, well. It is a list for people. */
export function writeLoadingList({ wells }: PlannedPlate): string {
  const inOrder = wells.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const rows = inOrder.map(({ order, sample, well }) => `${order ?? ''},${writeCsvField(sample)},${well}`);
  return joinLines(['position,sample,well', ...rows]);
}

const QUANTSTUDIO_COLUMNS = [
  'Well',
  'Well Position',
  'Sample Name',
  'Sample Color',
  'Biogroup Name',
  'Biogroup Color',
  'Target Name',
  'Target Color',
  'Task',
  'Reporter',
  'Quencher',
  'Quantity',
  'Comments',
];
/** One color for all samples; the instrument's software asks for one. */
const COLOR = '"RGB(0,114,178)"';

/**
 * QuantStudio sample setup of a plate of 384 wells; wells count along the rows. The name of a 96-well block is not known for
 * certain, so such a plate is refused.
 */
export function writeQuantStudioSetup(
  { size }: Pick<RunPlan, 'size'>,
  { name, wells }: PlannedPlate,
  reporter: string,
): { readonly text: string } | { readonly problems: readonly string[] } {
  if (size !== 384)
    return {
      problems: [
        `Plate ${name} has ${size} wells, and a QuantStudio setup is written for 384 alone: enter its samples by hand, or upload a plate map with the data.`,
      ],
    };
  const bySample = new Map(wells.map((well) => [well.well, well]));
  const places = listPlaces(size).toSorted((a, b) => countAlongRows(size, a) - countAlongRows(size, b));
  const rows = places.map((place) => {
    const well = formatWell(place);
    const content = bySample.get(well);
    const filled =
      content === undefined
        ? ['', '', '', '', '', '', '', '', '']
        : [escapeCell(content.sample), COLOR, '', '', '', '', 'UNKNOWN', escapeCell(reporter), ''];
    return [countAlongRows(size, place), well, ...filled, '', ''].join('\t');
  });
  return {
    text: joinLines([
      `* Block Type = ${size}-Well Block`,
      '',
      '[Sample Setup]',
      QUANTSTUDIO_COLUMNS.join('\t'),
      ...rows,
    ]),
  };
}

/** The format has no quotes for text: a tab or line end would shift the columns. */
function escapeCell(text: string): string {
  const plain = text.replaceAll(/[\t\r\n]+/g, ' ');
  return isFormula(plain) ? `'${plain}` : plain;
}
