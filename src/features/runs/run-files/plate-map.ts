/**
 * Plate maps: as a list of wells, and as blocks in the shape of the plate. The service reads both back (`analysis/formats`),
 * one plate a file.
 */
import { formatWell, PLATE_SHAPES } from '#core/wells.ts';
import { writeCsvField } from '#core/csv.ts';
import { joinLines } from './run-file.ts';
import type { PlannedContent, PlannedPlate, RunPlan } from './run-file.ts';

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
