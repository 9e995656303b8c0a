/** `assayer estimate`: shows the price of an experiment without ordering it. */
import { formatCount } from '#core/words.ts';
import { TARGETLESS } from './assays.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { listCostLines, ORDER_HELP, ORDER_OPTIONS, readEstimate, readOrder } from './order.ts';
import { getPalette, toPlainText, print, getTerminal } from './terminal.ts';

const HELP = `Usage: assayer estimate FILE.fasta --target TARGET [options]
       assayer estimate FILE.fasta --type ${TARGETLESS.join('|')} [options]

Prints the price of measuring the sequences of a file, and warnings about them. Orders nothing.

${ORDER_HELP}
  --json            print the answer of the API as JSON

FILE may be "-" for standard input.

${CONNECTION_HELP}

Examples:
  assayer estimate designs.fasta --target EGFR
  assayer estimate designs.fasta --target P00533 --type screening --replicates 2
  assayer estimate designs.fasta --type ${TARGETLESS[0]}`;

const guide = { name: 'estimate', help: HELP, operands: ['FILE'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, { ...CONNECTION_OPTIONS, ...ORDER_OPTIONS });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const api = createApi(requireConnection(values));
  const order = await readOrder(guide, api, positionals[0] ?? '', values);
  const estimate = await readEstimate(api, order.spec);
  if (values.json === true) {
    print(JSON.stringify(estimate, null, 2));
    return;
  }
  const palette = getPalette(getTerminal().stdout);
  const lines = listCostLines(estimate);
  const type = order.spec.experiment_type;
  print(
    palette.bold(
      toPlainText(
        `${formatCount(order.count, 'sequence')}, ${type}${order.target === null ? '' : ` against ${order.target.name}`}`,
      ),
    ),
  );
  print(lines.map((line, index) => `  ${index === lines.length - 1 ? palette.bold(line) : line}`).join('\n'));
  const { incomplete } = estimate;
  if (incomplete) print(`  No total yet: ${toPlainText(incomplete.materials_unavailable.reason)}`);
  const warnings = (estimate.warnings ?? []).map(toPlainText);
  if (warnings.length > 0)
    print(`\n${palette.yellow('Worth knowing')}\n${warnings.map((line) => `  - ${line}`).join('\n')}`);
}
