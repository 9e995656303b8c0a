/**
 * Our own melting file, CSV in UTF-8: the table of wells (see `well-table.ts`), then signal over temperature.
 *
 *     # assayer-melts: 1
 *     # instrument: nanoDSF
 *     # plate: P1
 *     well,role,sample,replicate,concentration_m,concentration_ng_per_ul
 *     A01,sample,design-1,1,,
 *
 *     well,channel,temperature_c,signal
 *     A01,ratio,20.0,0.7012
 *
 * Channels are `ratio`, `330nm`, `350nm`, `dye`, `scattering` or another name. `# assumed_channel: dye` says that the
 * source of the file named no channel, so that the one here is only the usual one. The samples of one well and channel are consecutive, in ascending temperature. The last line ends with a line end, so that a truncated file is detected.
 */
import { SamplePairs } from '../../curves/sample-pairs.ts';
import type { MeltSet, MeltTrace, WellContent } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import { formatFound, readNumber } from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { type Line, TextFile } from '../reading/text.ts';
import { readDataFields, getMetadata, readWellTable, isMagicLine } from '../wells/well-table.ts';

const FORMAT = { name: 'assayer-melts', version: '1', dataHeader: 'well,channel,temperature_c,signal' };
const ASSUMED = 'assumed_channel';
const KNOWN_KEYS = new Set(['instrument', 'plate', ASSUMED]);
const TEMPERATURE_MIN_C = -100;
const TEMPERATURE_MAX_C = 200;

export const assayerMelts: MeltFormat = {
  id: FORMAT.name,
  name: 'assayer-melts CSV',
  title: 'our own melting curves, CSV',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ head }) => isMagicLine(head, FORMAT.name),
  parse: ({ file }) => parseAssayerMelts(file),
};

function parseAssayerMelts(input: InputFile): MeltSet {
  const file = new TextFile(input);
  file.assertEndsWithLineEnd();
  const lines = file.readLines();
  const { head, wells } = readWellTable(file, lines, FORMAT);
  const assumed = head.get(ASSUMED);
  const traces = readSignals(file, lines, wells).map((trace) =>
    trace.channel === assumed ? { ...trace, isChannelAssumed: true } : trace,
  );
  const seen = new Set(traces.map(({ well }) => well));
  const missing = [...wells.values()].find(({ well, role }) => role !== 'empty' && !seen.has(well));
  if (missing !== undefined)
    throw file.createError({ line: null }, `signals of well ${missing.well}`, 'none in the file');
  return {
    format: FORMAT.name,
    instrument: head.get('instrument') ?? null,
    plate: head.get('plate') ?? null,
    metadata: getMetadata(head, KNOWN_KEYS),
    notices: [],
    traces,
  };
}

interface Building {
  content: WellContent;
  channel: string;
  samples: SamplePairs;
}

function readSignals(
  file: TextFile,
  lines: Iterator<Line>,
  wells: ReadonlyMap<string, WellContent>,
): MeltTrace[] {
  const built: Building[] = [];
  const known = new Set<string>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    const { content, fields } = readDataFields(file, line, wells, FORMAT.dataHeader);
    const [, channel, temperature, signal] = fields;
    const temperatureC = readNumber(file, line, temperature, 'a temperature in °C');
    if (temperatureC < TEMPERATURE_MIN_C || temperatureC > TEMPERATURE_MAX_C) {
      const expected = `a temperature from ${TEMPERATURE_MIN_C} to ${TEMPERATURE_MAX_C} °C`;
      throw file.createError(
        { line: line.number, column: temperature.column },
        expected,
        formatFound(temperature.text),
      );
    }
    let current = built[built.length - 1] as Building | undefined;
    if (current?.content !== content || current.channel !== channel.text) {
      current = begin(file, line, { content, channel: channel.text }, known);
      built.push(current);
    }
    const { lastX: last } = current.samples;
    if (temperatureC <= last) {
      const expected = `a temperature above ${last} °C in well ${content.well}`;
      throw file.createError(
        { line: line.number, column: temperature.column },
        expected,
        `${temperatureC} °C`,
      );
    }
    current.samples.push(temperatureC, readNumber(file, line, signal, 'a signal'));
  }
  return built.map(({ content, channel, samples }) => {
    const { x: temperatureC, y } = samples.build();
    return { ...content, channel, temperatureC, signal: y };
  });
}

function begin(
  file: TextFile,
  line: Line,
  of: { content: WellContent; channel: string },
  known: Set<string>,
): Building {
  const key = JSON.stringify([of.content.well, of.channel]);
  if (of.channel === '') throw file.createError({ line: line.number }, 'the name of a channel', 'nothing');
  if (known.has(key)) {
    const expected = `all ${of.channel} signals of well ${of.content.well} in one place`;
    throw file.createError({ line: line.number, column: 1 }, expected, 'more of them further down');
  }
  if (known.size >= LIMITS.traces)
    throw file.createError({ line: line.number }, `at most ${LIMITS.traces} curves`, 'more');
  known.add(key);
  return { ...of, samples: new SamplePairs() };
}
