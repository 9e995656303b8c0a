/** `assayer plot`: saves the figure of a result, or of a whole experiment, as SVG. */
import { findNearest } from '#core/nearest.ts';
import { connect, type Api } from './api.ts';
import type { Result } from '#assays/columns.ts';
import { CommandError } from './command-error.ts';
import { CONNECTION, createUsageError, requireChoice, type Parsed } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import { refuseExisting, saveDocument } from './files.ts';
import { toPlainText } from './terminal.ts';

const VIEWS = ['ranking', 'plates', 'rates', 'melts'] as const;

export const guide = {
  name: 'plot',
  usage: ['CODE [SEQUENCE] [--output FILE.svg] [--force]', 'CODE --view VIEW [--output FILE.svg] [--force]'],
  about: `Saves the figure of a sequence as SVG: its sensorgrams, melting curves or captures. It is the best sequence unless you
name another.`,
  options: {
    'output FILE':
      'where to; default: CODE-SEQUENCE.svg or CODE-VIEW.svg in this folder; - is standard output',
    'view VIEW': `a figure of the whole experiment instead: ${VIEWS.join(', ')}`,
    force: 'replace a file that exists',
    ...CONNECTION,
  },
  notes: 'Programs that convert SVG to PNG include rsvg-convert and Inkscape.',
  examples: [
    'plot DEMO-001-004',
    'plot DEMO-001-004 design-7 --output design-7.svg',
    'plot DEMO-001-004 --view ranking --output - | rsvg-convert > ranking.png',
  ],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const [code = '', name] = positionals;
  const { output } = values;
  const view = requireChoice(guide, 'view', values.view, VIEWS);
  if (output !== undefined && output !== '-' && !/\.svg$/i.test(output))
    throw createUsageError(guide, `--output must end in .svg, the only format; it is "${output}"`);
  if (view !== undefined && name !== undefined)
    throw createUsageError(guide, '--view is a figure of all sequences; leave the sequence out');
  const api = connect(values);
  const mayReplace = values.force === true;
  if (view !== undefined) {
    const path = formatExperimentPath(code, `/plot.svg?view=${view}`);
    const file = output ?? nameFigure(code, view);
    refuseExisting(file, mayReplace);
    return saveDocument(file, await api.open(path), mayReplace);
  }
  const result = await findResult(api, code, name);
  const file = output ?? nameFigure(code, result.sequence_name);
  refuseExisting(file, mayReplace);
  await saveDocument(file, await api.open(`/results/${encodeURIComponent(result.id)}/plot.svg`), mayReplace);
}

/** Names the file of a figure; a service chooses no folder by the name of a sequence. */
function nameFigure(code: string, subject: string): string {
  return `${`${code}-${subject}`.replaceAll(/[^\w.-]/g, '_')}.svg`;
}

async function findResult(api: Api, code: string, name: string | undefined): Promise<Result> {
  const { items } = await api.list<Result>(formatExperimentPath(code, '/results'), 'id sequence_name');
  const result = name === undefined ? items[0] : items.find((item) => item.sequence_name === name);
  if (result !== undefined) return result;
  if (name === undefined) throw new CommandError(`${code} has no released results yet.`);
  const names = items.map((item) => item.sequence_name);
  const near = findNearest(name, names);
  const hint = near === undefined ? ` "assayer results ${code}" lists them.` : ` Did you mean "${near}"?`;
  throw new CommandError(`${code} has no result of "${toPlainText(name)}".${hint}`);
}
