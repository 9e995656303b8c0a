/** `assayer import`: makes a draft from a FASTA or CSV file as it is; the service reads the file. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { requireTarget } from './find-target.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { ORDER_HELP, ORDER_OPTIONS, readPlan, readSequenceFile } from './order.ts';
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
  --json            the answer of the API

FILE may be "-" for standard input. "assayer submit" takes FASTA and also asks for the quote.

${CONNECTION_HELP}`,
};

export async function run(args: readonly string[]): Promise<void> {
  const { library: _library, translate: _translate, ...options } = ORDER_OPTIONS;
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
  const query = new URLSearchParams({
    name: values.name ?? formatFileTitle(file, plan.experiment_type, target),
    experiment_type: plan.experiment_type,
    ...(plan.method === undefined || plan.method === null ? {} : { method: plan.method }),
    ...(target === null ? {} : { target_id: target.id }),
    ...(values.replicates === undefined ? {} : { n_replicates: values.replicates }),
    ...(values.concentrations === undefined ? {} : { antigen_concentrations: values.concentrations }),
  });
  const created = await api.post<Created>(`/experiments/import?${query.toString()}`, { content });
  for (const warning of created.warnings ?? []) printNote(`Worth knowing: ${toPlainText(warning)}`);
  if (values.json === true) print(JSON.stringify(created, null, 2));
  else
    print(
      `${created.experiment_code} is a draft. Submit it in the portal or with POST /experiments/${created.experiment_code}/submit.`,
    );
}
