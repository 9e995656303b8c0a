/** `assayer estimate`: shows the price of an experiment without ordering it. */
import { formatCount } from '#core/words.ts';
import { TARGETLESS } from './assays.ts';
import { connect } from './api.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { listCostLines, ORDER_OPTIONS, readEstimate, readOrder } from './order.ts';
import { getPalette, toPlainText, print, getTerminal } from './terminal.ts';

export const guide = {
  name: 'estimate',
  usage: ['FILE.fasta --target TARGET [options]', `FILE.fasta --type ${TARGETLESS.join('|')} [options]`],
  about: 'Prints the price of measuring the sequences of a file, and warnings about them. Orders nothing.',
  options: { ...ORDER_OPTIONS, json: 'print the answer of the API as JSON', ...CONNECTION },
  notes: 'FILE may be "-" for standard input.',
  examples: [
    'estimate designs.fasta --target EGFR',
    'estimate designs.fasta --target P00533 --type screening --replicates 2',
    `estimate designs.fasta --type ${TARGETLESS[0]}`,
  ],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const api = connect(values);
  const order = await readOrder(guide, api, positionals[0] ?? '', values);
  const estimate = await readEstimate(api, order.spec);
  if (values.json === true) return print(JSON.stringify(estimate, null, 2));
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
