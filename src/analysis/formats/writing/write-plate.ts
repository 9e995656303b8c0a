import type { PlateSet } from '../../curves/trace.ts';
import {
  joinLines,
  selectMetadata,
  writeHead,
  writeNumber,
  writeText,
  writeWellTable,
} from './write-wells.ts';
import { OVERFLOW } from '../assayer-plate/assayer-plate.ts';

/** Returns the bytes of an `assayer-plate` file, from which the parser reads the same values. */
export function writeAssayerPlate({ instrument, plate, unit, metadata, readings }: PlateSet): Uint8Array {
  const measured = readings.filter(({ value, saturated }) => value !== null || saturated);
  const wells = new Map(measured.map((reading) => [reading.well, reading]));
  const lines = [
    ...writeHead('assayer-plate', { instrument, plate, unit, ...selectMetadata(metadata) }),
    ...writeWellTable(wells.values()),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
  ];
  for (const { well, channel, exNm, emNm, gain, value, saturated } of measured) {
    const light = [exNm, emNm, gain].map(writeNumber);
    lines.push(
      [writeText(well), writeText(channel), ...light, saturated ? OVERFLOW : writeNumber(value)].join(','),
    );
  }
  return joinLines(lines);
}
