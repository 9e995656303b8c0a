/**
 * The instrument formats. A file has the first format that recognizes it, in the order of these lists: sensor traces
 * before files of wells, whole files before sheets of blocks. The sets of an upload are in the order of the formats.
 * This folder: the instrument formats, each in a folder of its own, and the port they implement. Not here: what is done
 * with the traces.
 */
import { assayerMelts } from './assayer-melts/assayer-melts.ts';
import { assayerPlate } from './assayer-plate/assayer-plate.ts';
import { assayerTraces } from './assayer-traces/assayer-traces.ts';
import type { BlockFormat, Format, MapFormat, MeltFormat, PlateFormat, TraceFormat } from './format.ts';
import { gator } from './gator/gator.ts';
import { multiCycleCsv } from './multi-cycle-csv/multi-cycle-csv.ts';
import { mx3005p } from './mx3005p/mx3005p.ts';
import { octetFrd } from './octet-frd/octet-frd.ts';
import { octetText } from './octet-text/octet-text.ts';
import { plateBlocks } from './plate-blocks/plate-blocks.ts';
import { plateList } from './plate-list/plate-list.ts';
import { plateMap } from './plate-map/plate-map.ts';
import { prometheus } from './prometheus/prometheus.ts';
import { quantstudio } from './quantstudio/quantstudio.ts';
import { temperatureWells } from './temperature-wells/temperature-wells.ts';
import { uncle } from './uncle/uncle.ts';
import { xyText } from './xy-text/xy-text.ts';

export const TRACE_FORMATS: readonly TraceFormat[] = [
  assayerTraces,
  multiCycleCsv,
  xyText,
  octetText,
  octetFrd,
  gator,
];

/** Temperature columns are checked last, because other formats may have them too. */
export const MELT_FORMATS: readonly MeltFormat[] = [
  assayerMelts,
  quantstudio,
  mx3005p,
  uncle,
  prometheus,
  temperatureWells,
];

export const PLATE_FORMATS: readonly PlateFormat[] = [assayerPlate];

export const BLOCK_FORMATS: readonly (BlockFormat | MapFormat)[] = [plateList, plateMap, plateBlocks];

export const FORMATS: readonly Format[] = [
  ...TRACE_FORMATS,
  ...MELT_FORMATS,
  ...PLATE_FORMATS,
  ...BLOCK_FORMATS,
];

/** The expected formats as error messages name them. */
export const EXPECTED = {
  traces: `a trace file (${formatNames(TRACE_FORMATS)})`,
  wells: `a file of wells (${formatNames([...MELT_FORMATS, ...PLATE_FORMATS, ...BLOCK_FORMATS])})`,
} as const;

function formatNames(formats: readonly Format[]): string {
  return formats.map(({ name }) => name).join(', ');
}
