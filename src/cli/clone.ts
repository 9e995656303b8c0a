/** `assayer clone`: makes a draft like an experiment. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { requireTarget } from './find-target.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { formatExperimentPath, type Created } from './purchase.ts';
import { print, printNote, toPlainText } from './terminal.ts';

const guide = {
  name: 'clone',
  operands: ['CODE'],
  help: `Usage: assayer clone CODE [--name NAME] [--target TARGET] [--replicates N] [--json]

Makes a new draft with the specification and sequences of an experiment, which stays as it is.

  --name NAME       name of the copy; default: that of the experiment, with "(copy)"
  --target TARGET   another target: name, gene, UniProt accession or id
  --replicates N    another number of measurements of each sequence, 1 to 5
  --json            print the answer of the API as JSON

${CONNECTION_HELP}`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    name: { type: 'string' },
    target: { type: 'string', short: 't' },
    replicates: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const { name, target, replicates } = values;
  if (replicates !== undefined && !/^[1-5]$/.test(replicates))
    throw createUsageError(guide, '--replicates must be a whole number from 1 to 5');
  const api = createApi(requireConnection(values));
  const code = positionals[0] ?? '';
  const created = await api.post<Created>(formatExperimentPath(code, '/clone'), {
    ...(name === undefined ? {} : { name }),
    ...(target === undefined ? {} : { target_id: (await requireTarget(api, target)).id }),
    ...(replicates === undefined ? {} : { n_replicates: Number(replicates) }),
  });
  for (const warning of created.warnings ?? []) printNote(`Worth knowing: ${toPlainText(warning)}`);
  if (values.json === true) print(JSON.stringify(created, null, 2));
  else
    print(
      `${created.experiment_code} is a draft like ${toPlainText(code)}. Next: assayer submit ${created.experiment_code}`,
    );
}
