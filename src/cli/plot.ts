/** `assayer plot`: draws the curves of a result in the terminal, or saves the figure. */
import { formatCount } from '#core/counts.ts';
import type { Output } from '#core/operation.ts';
import type { getResultCurves } from '#features/results/contract.ts';
import { createApi, type Api } from './api.ts';
import type { Result } from '#assays/columns.ts';
import { drawLines, type Line } from './braille.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { findNearest } from './other-words.ts';
import { formatExperimentPath } from './purchase.ts';
import { saveFile } from './save-file.ts';
import { getTerminal, print, printNote, toPlainText } from './terminal.ts';

const VIEWS = ['ranking', 'plates', 'rates', 'melts'] as const;

const guide = {
  name: 'plot',
  operands: ['CODE'],
  isOpenEnded: true,
  help: `Usage: assayer plot CODE [SEQUENCE] [--output FILE.svg] [--force]
       assayer plot CODE --view VIEW --output FILE.svg [--force]

Draws the sensorgrams, melting curves or captures of a sequence in the terminal, of the best one unless you name another.

  --output FILE  save the figure as SVG instead; - is standard output
  --view VIEW    a figure of the whole experiment: ${VIEWS.join(', ')}
  --force        replace a file that exists

Programs that convert SVG to PNG include rsvg-convert and Inkscape.

${CONNECTION_HELP}

Examples:
  assayer plot DEMO-001-004
  assayer plot DEMO-001-004 design-7 --output design-7.svg
  assayer plot DEMO-001-004 --view ranking --output - | rsvg-convert > ranking.png`,
};

type Curves = Output<typeof getResultCurves>;

const COLUMNS_USUAL = 80;
const COLUMNS_MAX = 120;
const MARGIN_COLUMNS = 12;
const ROWS = 16;

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    output: { type: 'string', short: 'o' },
    view: { type: 'string' },
    force: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [code = '', name, surplus] = positionals;
  const { output, view } = values;
  if (surplus !== undefined) throw createUsageError(guide, `"${surplus}" is one argument too many`);
  if (output !== undefined && output !== '-' && !/\.svg$/i.test(output))
    throw createUsageError(guide, `--output must end in .svg, the only format; it is "${output}"`);
  if (view !== undefined && !VIEWS.some((known) => known === view))
    throw createUsageError(guide, `--view must be one of ${VIEWS.join(', ')}`);
  if (view !== undefined && (name !== undefined || output === undefined))
    throw createUsageError(
      guide,
      '--view is a figure of all sequences and needs --output, without a sequence',
    );
  const api = createApi(requireConnection(values));
  const mayReplace = values.force === true;
  if (view !== undefined && output !== undefined) {
    const path = formatExperimentPath(code, `/plot.svg?view=${view}`);
    return saveFile(output, await api.download(path), mayReplace);
  }
  const result = await findResult(api, code, name);
  const path = `/results/${encodeURIComponent(result.id)}`;
  if (output !== undefined) return saveFile(output, await api.download(`${path}/plot.svg`), mayReplace);
  printCurves(await api.get<Curves>(`${path}/curves`));
}

async function findResult(api: Api, code: string, name: string | undefined): Promise<Result> {
  const { items } = await api.list<Result>(formatExperimentPath(code, '/results'));
  const result = name === undefined ? items[0] : items.find((item) => item.sequence_name === name);
  if (result !== undefined) return result;
  if (name === undefined) throw new CommandError(`${code} has no released results yet.`);
  const near = findNearest(
    name,
    items.map((item) => item.sequence_name),
  );
  const hint = near === undefined ? ` "assayer results ${code}" lists them.` : ` Did you mean "${near}"?`;
  throw new CommandError(`${code} has no result of "${toPlainText(name)}".${hint}`);
}

function printCurves({
  curves,
  sequence_name: name,
  signal_unit: unit,
  experiment_code: code,
}: Curves): void {
  const { lines, xTitle } = listDrawable(curves);
  const columns = Math.min(COLUMNS_MAX, getTerminal().stdout.columns ?? COLUMNS_USUAL) - MARGIN_COLUMNS;
  const drawn = drawLines(lines, {
    xTitle,
    yTitle: toPlainText(unit),
    columns: Math.max(10, columns),
    rows: ROWS,
  });
  if (drawn.length === 0)
    throw new CommandError(
      `${toPlainText(name)} has no curve for a terminal; --output FILE.svg saves its figure.`,
    );
  print(toPlainText(`${code}  ${name}`));
  print(drawn.join('\n'));
  printNote(`${formatCount(lines.length, 'line')}: measured curves and their fits.`);
}

function listDrawable(curves: Curves['curves']): {
  readonly lines: readonly Line[];
  readonly xTitle: string;
} {
  const lines: Line[] = [];
  let xTitle = 's';
  for (const curve of curves) {
    if (curve.kind === 'sensorgram' || curve.kind === 'capture') {
      lines.push({ x: curve.time_s, y: curve.signal });
      if (curve.fit !== null) lines.push({ x: curve.time_s, y: curve.fit });
    } else if (curve.kind === 'melt') {
      xTitle = '°C';
      lines.push({ x: curve.temperature_c, y: curve.signal });
      if (curve.fit !== null) lines.push({ x: curve.temperature_c, y: curve.fit });
    }
  }
  return { lines, xTitle };
}
