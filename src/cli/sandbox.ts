/** `assayer sandbox`: commands for sandboxes only. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  parseOptions,
  createUsageError,
  createVerbError,
} from './options.ts';
import { print } from './terminal.ts';

const HELP = `Usage: assayer sandbox mint-payment-token [--max-usd N] [--declines] [--expires-in SECONDS] [--json]

Mints a shared payment token of the sandbox, to try the payment method mpp-spt. It pays one invoice.

  --max-usd N           maximum charge; default 1000
  --declines            a token whose card is declined
  --expires-in SECONDS  default 3600
  --json                print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer sandbox mint-payment-token --max-usd 300
  assayer pay DEMO-001-004 --spt "$(assayer sandbox mint-payment-token)"
  assayer sandbox mint-payment-token --declines`;

const guide = { name: 'sandbox', help: HELP, operands: ['VERB'] };
const VERB = 'mint-payment-token';

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    'max-usd': { type: 'string', default: '1000' },
    'expires-in': { type: 'string', default: '3600' },
    declines: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [verb = ''] = positionals;
  if (verb !== VERB) throw createVerbError(guide, verb, [VERB]);
  const maxUsd = values['max-usd'];
  if (!/^\d{1,6}(?:\.\d{1,2})?$/.test(maxUsd))
    throw createUsageError(guide, '--max-usd must be an amount such as 500 or 49.90');
  if (!/^\d{1,6}$/.test(values['expires-in']))
    throw createUsageError(guide, '--expires-in must be whole seconds');
  const minted = await createApi(requireConnection(values)).post<{ spt: string }>('/sandbox/payment-tokens', {
    max_amount_cents: Math.round(Number(maxUsd) * 100),
    expires_in_s: Number(values['expires-in']),
    behavior: values.declines === true ? 'declines' : 'pays',
  });
  print(values.json === true ? JSON.stringify(minted, null, 2) : minted.spt);
}
