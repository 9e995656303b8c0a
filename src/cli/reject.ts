/** `assayer reject`: rejects the quote of an experiment, with a reason. */
import { rejectionReasons } from '#features/quotes/rules.ts';
import { createApi } from './api.ts';
import { askOnTerminal } from './confirm.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, createUsageError } from './options.ts';
import { awaitQuote, createQuoteNotReadyError, describeQuote } from './purchase.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'reject',
  operands: ['CODE'],
  help: `Usage: assayer reject CODE --reason REASON [--feedback TEXT] [--yes] [--json]

Rejects the quote of an experiment. The experiment is then a draft again: change it and submit it for another quote.

  --reason REASON   ${rejectionReasons.join(', ')}
  --feedback TEXT   what the lab should know about the reason
  --yes             reject without asking; the command asks only on a terminal
  --json            print the answer of the API as JSON

${CONNECTION_HELP}`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    reason: { type: 'string' },
    feedback: { type: 'string' },
    yes: { type: 'boolean', short: 'y' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const code = positionals[0] ?? '';
  const reason = rejectionReasons.find((each) => each === values.reason);
  if (reason === undefined)
    throw createUsageError(guide, `--reason must be one of ${rejectionReasons.join(', ')}`);
  const api = createApi(requireConnection(values));
  const quote = await awaitQuote(api, code);
  if (quote === undefined) throw createQuoteNotReadyError(code);
  await askOnTerminal(`Reject the quote for ${code} of ${describeQuote(quote)}?`, values.yes === true);
  const { feedback } = values;
  const path = `/quotes/${encodeURIComponent(quote.quote_id)}/reject`;
  const rejected = await api.post<object>(path, { reason, ...(feedback === undefined ? {} : { feedback }) });
  if (values.json === true) print(JSON.stringify(rejected, null, 2));
  else print(`Rejected. ${code} is a draft again.`);
}
