/** `assayer cancel`: cancels an experiment before its quote is accepted, or deletes a draft. */
import type { ExpInfo } from '#features/experiments/contract.ts';
import { createApi } from './api.ts';
import { requireConsent } from './confirm.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import { print, toPlainText } from './terminal.ts';

const guide = {
  name: 'cancel',
  operands: ['CODE'],
  help: `Usage: assayer cancel CODE [--reason TEXT | --delete] [--yes] [--json]

Cancels an experiment whose quote is not accepted yet. This cannot be undone, so it asks first.

  --reason TEXT  why, in words; kept with the experiment
  --delete       remove a draft instead, with its sequences
  --yes          do not ask; required where no terminal can answer
  --json         print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer cancel DEMO-001-004 --reason "ordered twice"
  assayer cancel DEMO-001-005 --delete --yes`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    reason: { type: 'string' },
    delete: { type: 'boolean' },
    yes: { type: 'boolean', short: 'y' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const { reason } = values;
  if (values.delete === true && reason !== undefined)
    throw createUsageError(guide, '--reason and --delete exclude each other');
  const api = createApi(requireConnection(values));
  const path = formatExperimentPath(positionals[0] ?? '');
  const { code: rawCode, name } = await api.get<Pick<ExpInfo, 'code' | 'name'>>(path);
  const code = toPlainText(rawCode);
  const verb = values.delete === true ? 'Delete' : 'Cancel';
  await requireConsent(`${verb} ${code}, ${toPlainText(name ?? '')}?`, values.yes === true);
  if (values.delete === true) {
    await api.delete(path);
    return print(values.json === true ? JSON.stringify({ code, deleted: true }) : `${code} is deleted.`);
  }
  const canceled = await api.post<object>(`${path}/cancel`, reason === undefined ? {} : { reason });
  print(values.json === true ? JSON.stringify(canceled, null, 2) : `${code} is canceled.`);
}
