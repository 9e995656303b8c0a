/** `assayer edit`: changes a draft, or the name and description of an experiment. */
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { FastaError, parseFasta } from './fasta.ts';
import { requireTarget } from './find-target.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import { readJsonFile, readTextFile } from './files.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'edit',
  operands: ['CODE'],
  help: `Usage: assayer edit CODE [options]

Changes what is named and leaves the rest. Name and description can be changed until the experiment is done, everything
else while it is a draft.

  --name NAME         title for people
  --description TEXT  description for people; an empty text clears it
  --target TARGET     another target: name, gene, UniProt accession or id
  --replicates N      measurements of each sequence, 1 to 5
  --sequences FILE    a FASTA file that replaces all sequences, or - for standard input
  --patch FILE        any fields of the API as JSON, or - for standard input
  --json              print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer edit DEMO-001-004 --name "round 2" --replicates 2
  echo '{"antigen_concentrations": [10, 30, 100]}' | assayer edit DEMO-001-004 --patch -`,
};

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  name: { type: 'string' },
  description: { type: 'string' },
  target: { type: 'string', short: 't' },
  replicates: { type: 'string' },
  sequences: { type: 'string' },
  patch: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Change = Record<string, unknown>;

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const { name, description, replicates, sequences, patch, target } = values;
  if (replicates !== undefined && !/^[1-5]$/.test(replicates))
    throw createUsageError(guide, '--replicates must be a whole number from 1 to 5');
  if (sequences === '-' && patch === '-')
    throw createUsageError(guide, '--sequences and --patch cannot both read standard input');
  const change: Change = patch === undefined ? {} : await readPatch(patch);
  if (name !== undefined) change['name'] = name;
  if (description !== undefined) change['description'] = description;
  if (replicates !== undefined) change['n_replicates'] = Number(replicates);
  if (sequences !== undefined) change['sequences'] = await readSequences(sequences);
  const api = createApi(requireConnection(values));
  if (target !== undefined) change['target_id'] = (await requireTarget(api, target)).id;
  if (Object.keys(change).length === 0) throw createUsageError(guide, 'Nothing to change is named');
  await sendChange(api, positionals[0] ?? '', change, values.json === true);
}

async function sendChange(api: Api, code: string, change: Change, asJson: boolean): Promise<void> {
  const answer = await api.patch<{ updated: boolean }>(formatExperimentPath(code), change);
  if (asJson) print(JSON.stringify(answer, null, 2));
  else print(answer.updated ? `${code} is changed.` : `${code} was like this already.`);
}

async function readPatch(file: string): Promise<Change> {
  const read = await readJsonFile(file, 'fields of the experiment, such as {"name": "round 2"}');
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new CommandError('--patch must be a JSON object of fields, such as {"name": "round 2"}.', 2);
  return { ...read };
}

async function readSequences(file: string): Promise<Change> {
  try {
    const records = parseFasta(await readTextFile(file), file === '-' ? 'standard input' : file);
    return Object.fromEntries(records.map(({ name, sequence }) => [name, sequence]));
  } catch (error) {
    if (error instanceof FastaError) throw new CommandError(error.message, 2);
    throw error;
  }
}
