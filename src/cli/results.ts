/** `assayer results`: the released results of an experiment, best first. */
import { connect, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { formatTurn, readExperiment, type Experiment } from './follow.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import type { Result } from '#assays/columns.ts';
import { writeResultsCsv, summarizeResults, createResultsTable } from '#assays/results-view.ts';
import { printNote, toPlainText, print, getTerminal } from './terminal.ts';
import { formatStatus } from './words.ts';

export const guide = {
  name: 'results',
  usage: ['CODE... [--csv | --json]'],
  about: `Prints the released results of experiments, best first. Ends with 1 where an experiment has none yet. "assayer results
list" lists those of all experiments, and "assayer results list --help" what it can filter.`,
  options: {
    csv: 'every value in base units (M, 1/(M·s), 1/s), for spreadsheets and scripts; of all experiments in one table',
    json: 'one object with the records of the API as items ("assayer results list --json": an object on each line)',
    ...CONNECTION,
  },
  notes: 'Further verbs: "assayer results list", show, curves, diff, highlights, neighbors, plot, versions.',
  examples: [
    'results DEMO-001-004',
    'results DEMO-001-004 DEMO-001-005 --csv > results.csv',
    "results DEMO-001-004 --json | jq '.items[] | select(.quantities.kd.value < 1e-8) | .sequence_name'",
  ],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const api = connect(values);
  const results: Result[] = [];
  const missing: string[] = [];
  for (const code of new Set(positionals)) {
    const { items } = await readResults(api, code);
    results.push(...items);
    if (items.length === 0) missing.push(describeMissing(await readExperiment(api, code)));
    else if (values.json !== true && values.csv !== true) {
      if (positionals.length > 1) print(`${results.length > items.length ? '\n' : ''}${toPlainText(code)}`);
      printResults(items);
    }
  }
  if (values.json === true) print(JSON.stringify({ items: results, total: results.length }, null, 2));
  if (values.csv === true) getTerminal().stdout.write(writeResultsCsv(results));
  if (missing.length > 0) throw new CommandError(missing.join('\n'));
}

function describeMissing(experiment: Experiment): string {
  const { code, status } = experiment;
  return toPlainText(`No results of ${code} yet: it is ${formatStatus(status)} (${formatTurn(experiment)}).`);
}

/** Reads every released result of an experiment. */
export async function readResults(api: Api, code: string) {
  const members = `id sequence_name outcome experiment_type qc.flags[] assessment.grade assessment.reasons[]
quantities:object n_replicates_ordered:number n_replicates:number n_replicates_passed:number`;
  return api.list<Result>(formatExperimentPath(code, '/results'), members.replaceAll('\n', ' '));
}

export function printResults(results: readonly Result[]): void {
  const table = createResultsTable(results);
  print(table.lines.join('\n'));
  printNote(`\n${summarizeResults(results)}`);
}
