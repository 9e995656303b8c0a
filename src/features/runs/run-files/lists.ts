/**
 * Maps and lists of a plate, for people and instruments. The service reads the maps back (`analysis/formats`), one
 * plate a file.
 */
import { formatWell, PLATE_SHAPES, listPlaces, countAlongRows } from '#core/wells.ts';
import { writeCsvField, isFormula } from '#core/csv.ts';
import { joinLines, type PlannedContent, type PlannedPlate, type RunPlan } from './run-file.ts';

const PLATE_LIST_HEADER = 'plate,well,role,sample,replicate,concentration_m';
/** What stands for a sensor without protein in a block of samples. */
const REFERENCE = 'Reference';

/** Writes a row for each filled well, of one plate or of all. */
export function writePlateList(plates: readonly PlannedPlate[]): string {
  const rows = plates.flatMap(({ name, wells }) =>
    wells.map(({ well, role, sample, replicate, concentrationM }) =>
      [name, well, role, sample, replicate, concentrationM ?? '']
        .map((field) => (typeof field === 'string' ? writeCsvField(field) : String(field)))
        .join(','),
    ),
  );
  return joinLines([PLATE_LIST_HEADER, ...rows]);
}

/**
 * Writes the blocks `sample`, `role`, `replicate` and, where a well has one, `concentration (M)`. A reference sensor is a
 * blank in them, because wells have no role of its own for it.
 */
export function writePlateBlocks({ size }: Pick<RunPlan, 'size'>, { wells }: PlannedPlate): string {
  const contents = new Map<string, PlannedContent>(wells.map((well) => [well.well, well]));
  const blocks = [
    writeBlock('sample', size, contents, ({ role, sample }) => (role === 'reference' ? REFERENCE : sample)),
    writeBlock('role', size, contents, ({ role }) => (role === 'reference' ? 'blank' : role)),
    writeBlock('replicate', size, contents, ({ replicate }) => String(replicate)),
  ];
  if (wells.some(({ concentrationM }) => concentrationM !== null))
    blocks.push(
      writeBlock('concentration (M)', size, contents, ({ concentrationM }) =>
        concentrationM === null ? '' : String(concentrationM),
      ),
    );
  return joinLines(blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])));
}

function writeBlock(
  name: string,
  size: RunPlan['size'],
  contents: ReadonlyMap<string, PlannedContent>,
  formatCell: (content: PlannedContent) => string,
): string[] {
  const { rows, columns } = PLATE_SHAPES[size];
  const numbers = Array.from({ length: columns }, (_, column) => column + 1);
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = numbers.map((number) => {
      const content = contents.get(formatWell({ row, column: number - 1 }));
      return content === undefined ? '' : writeCsvField(formatCell(content));
    });
    return [String.fromCharCode(65 + row), ...cells].join(',');
  });
  return [[name, ...numbers].join(','), ...lines];
}

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
