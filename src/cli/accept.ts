/** `assayer accept`: accepts the quote of an experiment. */
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, createUsageError } from './options.ts';
import {
  acceptQuote,
  formatExperimentPath,
  formatPayCommand,
  payTestInvoice,
  awaitQuote,
  describeQuote,
} from './purchase.ts';
import { printNote, print } from './terminal.ts';

const HELP = `Usage: assayer accept CODE [--purchase-order NUMBER] [--pay] [--json]

Accepts the quote of an experiment: this orders it. The lab then sends an invoice.

  --purchase-order NUMBER  printed on the invoice
  --pay                    in a sandbox: make the test payment
  --json                   the answer of the API

${CONNECTION_HELP}

Examples:
  assayer accept DEMO-001-004
  assayer accept DEMO-001-004 --purchase-order PO-1042 --pay`;

const guide = { name: 'accept', help: HELP, operands: ['CODE'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    'purchase-order': { type: 'string' },
    pay: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const code = positionals[0] ?? '';
  const api = createApi(requireConnection(values));
  if (values.pay === true && !api.isSandbox)
    throw createUsageError(guide, '--pay makes test payments, which only a sandbox accepts');
  if (values.pay === true) await refuseUnlessByPage(api, code);
  const quote = await awaitQuote(api, code);
  if (quote === undefined) throw new CommandError(`The quote of ${code} is not ready yet.`);
  const accepted = await acceptQuote(api, code, values['purchase-order']);
  printNote(`Accepted the quote of ${describeQuote(quote)}.`);
  const paid = values.pay === true ? await payTestInvoice(api, accepted) : undefined;
  if (values.json === true) print(JSON.stringify({ ...accepted, paid: paid !== undefined }, null, 2));
  else if (accepted.payment.pay_url) print(`Next: ${formatPayCommand(code, accepted.payment.kind)}`);
  else if (paid === undefined) print(accepted.hosted_invoice_url ?? accepted.id);
  else print(`${paid.invoice_number ?? paid.id} is paid. Next: assayer watch ${code}`);
}

/** Checked before anything is accepted: an order that a program pays has no test payment on its page. */
async function refuseUnlessByPage(api: Api, code: string): Promise<void> {
  const { payment_method: method } = await api.get<{ payment_method: string }>(formatExperimentPath(code));
  if (method !== 'async_invoice')
    throw new CommandError(
      `${code} is paid by ${method}, so --pay cannot pay it, and nothing was accepted. Accept it without --pay, then: ${formatPayCommand(code, method)}`,
    );
}
