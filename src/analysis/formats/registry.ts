/**
 * The instrument formats. A file is of the first format that recognizes it, in the order of these lists: traces of sensors before
 * files of wells, whole files before sheets of blocks. The sets of an upload come in the order of the formats.
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

/** Their columns of temperatures are the last thing to look for: others may have such columns too. */
export const MELT_FORMATS: readonly MeltFormat[] = [
  assayerMelts,
  quantstudio,
  mx3005p,
  uncle,
  prometheus,
  temperatureWells,
];

export const PLATE_FORMATS: readonly PlateFormat[] = [assayerPlate];

export const BLOCK_FORMATS: readonly (BlockFormat | MapFormat)[] = [plateMap, plateBlocks];

export const FORMATS: readonly Format[] = [
  ...TRACE_FORMATS,
  ...MELT_FORMATS,
  ...PLATE_FORMATS,
  ...BLOCK_FORMATS,
];

/** What a refusal says that it expected. */
export const EXPECTED = {
  traces: 'a trace file (assayer-traces CSV, Octet .frd or text, X–Y text, Gator folder, multi-cycle CSV)',
  wells:
    'a file of wells (assayer-melts or assayer-plate CSV, temperature × well table, Prometheus, QuantStudio, Mx3005P, UNCLE, plate-reader blocks, plate map)',
} as const;
