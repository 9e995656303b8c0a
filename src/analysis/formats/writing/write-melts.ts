import type { MeltSet } from '../../curves/trace.ts';
import { joinLines, writeHead, writeNumber, writeText, writeWellTable } from './write-wells.ts';

/** Returns the bytes of an `assayer-melts` file, from which the parser reads the same curves. */
export function writeAssayerMelts({ instrument, plate, traces }: MeltSet): Uint8Array {
  const wells = new Map(traces.map((trace) => [trace.well, trace]));
  const assumed = traces.find(({ isChannelAssumed }) => isChannelAssumed === true)?.channel ?? null;
  const lines = [
    ...writeHead('assayer-melts', { instrument, plate, assumed_channel: assumed }),
    ...writeWellTable(wells.values()),
    '',
    'well,channel,temperature_c,signal',
  ];
  for (const { well, channel, temperatureC, signal } of traces) {
    const start = `${writeText(well)},${writeText(channel)}`;
    temperatureC.forEach((at, index) => {
      lines.push(`${start},${writeNumber(at)},${writeNumber(signal[index])}`);
    });
  }
  return joinLines(lines);
}
