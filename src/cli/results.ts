/** `assayer results`: the released results of an experiment, best first. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { formatTurn, type Experiment } from './follow.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, createUsageError } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import type { Result } from '#assays/columns.ts';
import { writeResultsCsv, summarizeResults, createResultsTable } from './results-view.ts';
import { printNote, toPlainText, print, getTerminal } from './terminal.ts';
import { formatStatus } from './words.ts';

const HELP = `Usage: assayer results CODE [--csv | --json]

Prints the released results of an experiment, best first.

  --csv    every value in base units (M, 1/(M·s), 1/s), for spreadsheets and scripts
  --json   the records of the API

${CONNECTION_HELP}

Examples:
  assayer results DEMO-001-004
  assayer results DEMO-001-004 --csv > results.csv
  assayer results DEMO-001-004 --json | jq '.items[] | select(.quantities.kd.value < 1e-8) | .sequence_name'`;

const guide = { name: 'results', help: HELP, operands: ['CODE'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    csv: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  if (values.csv === true && values.json === true)
    throw createUsageError(guide, '--csv and --json exclude each other');
  const code = positionals[0] ?? '';
  const api = createApi(requireConnection(values));
  const results = await api.list<Result>(formatExperimentPath(code, '/results'));
  if (values.json === true) print(JSON.stringify(results, null, 2));
  else if (values.csv === true) getTerminal().stdout.write(writeResultsCsv(results.items));
  else if (results.items.length > 0) printResults(results.items);
  if (results.items.length > 0) return;
  const experiment = await api.get<Experiment>(formatExperimentPath(code));
  printNote(
    toPlainText(
      `No results of ${experiment.code} yet: it is ${formatStatus(experiment.status)} (${formatTurn(experiment)}).`,
    ),
  );
}

export function printResults(results: readonly Result[]): void {
  const table = createResultsTable(results);
  print(table.lines.join('\n'));
  printNote(`\n${summarizeResults(results)}`);
}
