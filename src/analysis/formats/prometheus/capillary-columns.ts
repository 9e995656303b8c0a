/**
 * The layout of a Prometheus export in which every signal column follows its own temperature column (`Temperature for
 * Cap.1 (°C); Ratio 350 nm / 330 nm for Cap.1; …`), so that no two capillaries share an axis.
 */
import type { MeltSet } from '../../curves/trace.ts';
import { createGridError, type Grid, type GridRow, formatFound } from '../reading/grid.ts';
import { LIMITS } from '../reading/input-file.ts';
import { assertCelsius, parseChannelName, readColumns, createUnnamedContent } from '../wells/melt-curves.ts';
import type { MeltColumn } from '../wells/melt-curves.ts';

const CAPILLARY_HEADER = /^temperature for\s+(.+?)\s*(\((?:°|º)?\s*[a-z]+\))?$/i;

export function isCapillaryHeader(firstHeader: string): boolean {
  return CAPILLARY_HEADER.test(firstHeader);
}

export function parseCapillaryColumns(grid: Grid): MeltSet {
  const notices: string[] = [];
  const columns = findCapillaryColumns(grid, grid.rows[0]);
  const traces = readColumns(grid, columns, notices);
  return {
    format: 'prometheus-columns',
    instrument: 'Prometheus',
    plate: null,
    metadata: {},
    notices,
    traces,
  };
}

function findCapillaryColumns(grid: Grid, header: GridRow): MeltColumn[] {
  const columns: MeltColumn[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < header.cells.length; i += 2) {
    const temperature = header.cells[i];
    const signal = header.cells.at(i + 1);
    const capillary = CAPILLARY_HEADER.exec(temperature.text)?.[1];
    if (capillary === undefined)
      throw createGridError(
        grid,
        { row: header, cell: temperature },
        'Temperature for a capillary',
        formatFound(temperature.text),
      );
    assertCelsius(grid, header, temperature);
    if (signal === undefined || !signal.text.endsWith(`for ${capillary}`))
      throw createGridError(
        grid,
        { row: header, cell: signal ?? temperature },
        `a signal for ${capillary}`,
        formatFound(signal?.text ?? ''),
      );
    const channel = parseChannelName(signal.text);
    if (channel === null) continue;
    const key = JSON.stringify([capillary, channel]);
    if (seen.has(key))
      throw createGridError(
        grid,
        { row: header, cell: signal },
        'one column for each signal',
        formatFound(signal.text),
      );
    seen.add(key);
    const content = createUnnamedContent(capillary);
    columns.push({ content, channel, temperatureAt: i, signalAt: i + 1 });
    if (columns.length > LIMITS.traces)
      throw createGridError(grid, { row: header }, `at most ${LIMITS.traces} curves`, 'more');
  }
  return columns;
}
