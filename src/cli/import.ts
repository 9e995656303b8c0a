/** `assayer import`: makes a draft from a FASTA or CSV file. The service reads the file, unless it is to be translated. */
import { readSequences } from '#features/sequences/read-sequences.ts';
import { translateReading } from '#features/sequences/dna.ts';
import type { ExperimentSpec } from '#features/experiments/contract.ts';
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { requireTarget } from './find-target.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { FastaError } from './fasta.ts';
import {
  ORDER_HELP,
  ORDER_OPTIONS,
  printTranslation,
  readPlan,
  readSequenceFile,
  toPlainLines,
} from './order.ts';
import type { Created } from './purchase.ts';
import { print, printNote, toPlainText } from './terminal.ts';
import { formatFileTitle } from './words.ts';

const guide = {
  name: 'import',
  operands: ['FILE'],
  help: `Usage: assayer import FILE [--target TARGET] [options]

Makes a draft from a file of sequences: FASTA, or CSV whose first row names the columns "name" and "sequence", and
optionally "control", "type", "VH", "VL", "linker", "tag_location", "ch" and "cl".

${ORDER_HELP}
  --name NAME       name of the experiment; default: the name of the file
  --json            print the answer of the API as JSON

FILE may be "-" for standard input. "assayer submit" takes FASTA and also asks for the quote.

${CONNECTION_HELP}`,
};

export async function run(args: readonly string[]): Promise<void> {
  const { library: _library, ...options } = ORDER_OPTIONS;
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    ...options,
    name: { type: 'string' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const file = positionals[0] ?? '';
  const plan = readPlan(guide, values);
  const content = await readSequenceFile(file);
  const api = createApi(requireConnection(values));
  const target = values.target === undefined ? null : await requireTarget(api, values.target);
  const name = values.name ?? formatFileTitle(file, plan.experiment_type, target);
  const spec = { ...plan, ...(target === null ? {} : { target_id: target.id }) };
  const created =
    values.translate === true
      ? await createTranslated(api, { name, spec, content, file })
      : await importFile(api, { name, spec, content });
  for (const warning of created.warnings ?? []) printNote(`Worth knowing: ${toPlainText(warning)}`);
  if (values.json === true) print(JSON.stringify(created, null, 2));
  else print(`${created.experiment_code} is a draft. Next: assayer submit ${created.experiment_code}`);
}

interface Plan {
  readonly name: string;
  readonly spec: ExperimentSpec;
  readonly content: string;
}

function importFile(api: Api, { name, spec, content }: Plan): Promise<Created> {
  const { experiment_type: type, method, target_id: target, n_replicates: replicates } = spec;
  const query = new URLSearchParams({
    name,
    experiment_type: type,
    ...(method === undefined || method === null ? {} : { method }),
    ...(target === undefined || target === null ? {} : { target_id: target }),
    ...(replicates === undefined || replicates === null ? {} : { n_replicates: String(replicates) }),
    ...(spec.antigen_concentrations === undefined || spec.antigen_concentrations === null
      ? {}
      : { antigen_concentrations: spec.antigen_concentrations.join(',') }),
  });
  return api.post<Created>(`/experiments/import?${query.toString()}`, { content });
}

function createTranslated(
  api: Api,
  { name, spec, content, file }: Plan & { readonly file: string },
): Promise<Created> {
  const translation = translateReading(readSequences(content));
  const { sequences, problems } = translation;
  if (problems.length > 0) throw new CommandError(toPlainLines(new FastaError(file, problems).message), 2);
  printTranslation(translation);
  return api.post<Created>('/experiments', { name, experiment_spec: { ...spec, sequences } });
}
