/** `assayer show`: everything about one experiment. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { ExpInfo } from '#features/experiments/contract.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { formatTurn } from './follow.ts';
import { formatTime, formatStatus } from './words.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import { parseFields, selectFields } from './select-fields.ts';
import { getPalette, getTerminal, print, toPlainText } from './terminal.ts';

const guide = {
  name: 'show',
  operands: ['CODE'],
  help: `Usage: assayer show CODE [--json] [--fields FIELD,…]

Shows an experiment: what was ordered, its state, who acts next, and its price.

  --json         print the answer of the API as JSON
  --fields LIST  these fields of it alone, such as code,status; implies --json

${CONNECTION_HELP}

Examples:
  assayer show DEMO-001-004
  assayer show DEMO-001-004 --fields code,status,waiting_on`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    json: { type: 'boolean' },
    fields: { type: 'string' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const fields = parseFields(values.fields);
  const api = createApi(requireConnection(values));
  const experiment = await api.get<ExpInfo>(formatExperimentPath(positionals[0] ?? ''));
  if (values.json === true || fields !== undefined)
    print(JSON.stringify(selectFields(experiment, fields), null, 2));
  else printExperiment(experiment);
}

function printExperiment(experiment: ExpInfo): void {
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['Name', experiment.name],
    ['Status', `${formatStatus(experiment.status)} (${formatTurn(experiment)})`],
    ['Assay', experiment.experiment_spec.experiment_type],
    ['Target', experiment.target_name],
    [
      'Sequences',
      `${formatCount(experiment.sequences.length, 'sequence')}, ${formatCount(experiment.n_replicates, 'replicate')} each`,
    ],
    ['Price', formatCosts(experiment)],
    ['Payment', experiment.payment_method],
    ['About', experiment.description],
    ['Created', formatTime(experiment.created_at)],
    ['Changed', formatTime(experiment.updated_at)],
    ['Page', experiment.experiment_url],
  ];
  const { bold } = getPalette(getTerminal().stdout);
  const filled = [['Experiment', experiment.code] as const, ...rows].flatMap(([label, value]) =>
    value === null || value === undefined || value === '' ? [] : [[label, toPlainText(value)] as const],
  );
  for (const [label, value] of filled) print(`${bold(label.padEnd(10))}  ${value}`);
}

function formatCosts({ costs }: ExpInfo): string | null {
  if (costs === null || costs === undefined) return null;
  if (costs.type === 'incomplete_estimate') return 'the lab prices the target by hand';
  if (costs.type === 'estimate') return `${formatUsd(costs.breakdown.total_cents)} before tax (estimate)`;
  return `${formatUsd(costs.amount_cents)} (${costs.type}, ${costs.status})`;
}
