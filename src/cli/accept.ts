/** `assayer accept`: accepts the quote of an experiment. */
import { createApi } from './api.ts';
import { requireConsent } from './confirm.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions } from './options.ts';
import {
  acceptQuote,
  formatPayCommand,
  awaitQuote,
  createQuoteNotReadyError,
  describeQuote,
} from './purchase.ts';
import { printNote, print } from './terminal.ts';
import { checkTestPayment, findTestPayment, makeTestPayment } from './test-payment.ts';

const HELP = `Usage: assayer accept CODE [--purchase-order NUMBER] [--pay [--key-file FILE]] [--yes] [--json]

Accepts the quote of an experiment: this orders it, and commits its amount, so that a terminal is asked first. The lab
then sends an invoice. With --pay it also pays an invoice whose quote is accepted already.

  --purchase-order NUMBER  printed on the invoice
  --pay                    in a sandbox: make the test payment, by a page, with a test card token or from a wallet
  --key-file FILE          wallet of an order by x402-exact; default: the one that "start --with-chain" made
  --yes                    do not ask; needed where nobody can answer
  --json                   print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer accept DEMO-001-004
  assayer accept DEMO-001-004 --purchase-order PO-1042 --pay --yes`;

const guide = { name: 'accept', help: HELP, operands: ['CODE'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    'purchase-order': { type: 'string' },
    pay: { type: 'boolean' },
    'key-file': { type: 'string' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const code = positionals[0] ?? '';
  const api = createApi(requireConnection(values));
  checkTestPayment(guide, api, values);
  const payment = values.pay === true ? await findTestPayment(api, code, values) : undefined;
  const quote = await awaitQuote(api, code);
  if (quote === undefined) throw createQuoteNotReadyError(code);
  if (quote.status === 'open') {
    const question = `Accept the quote of ${code}, ${describeQuote(quote)}? This orders it.`;
    await requireConsent(question, values.yes === true);
  }
  // What was accepted before is paid, so that the command completes when it is repeated with `--pay`.
  const isAccepted = payment !== undefined && quote.status === 'accepted';
  const accepted = isAccepted ? undefined : await acceptQuote(api, code, values['purchase-order']);
  if (accepted !== undefined) printNote(`Accepted the quote of ${describeQuote(quote)}.`);
  const hint = accepted ?? {};
  const paid = payment && (await makeTestPayment(api, code, { payment, accepted: hint }));
  if (values.json === true)
    print(JSON.stringify(accepted === undefined ? paid : { ...accepted, paid: paid !== undefined }, null, 2));
  else if (paid !== undefined)
    print(`${paid.invoice_number ?? paid.id} is paid. Next: assayer watch ${code}`);
  else if (accepted?.payment.pay_url) print(`Next: ${formatPayCommand(code, accepted.payment.kind)}`);
  else {
    print(accepted?.hosted_invoice_url ?? quote.quote_id);
    if (api.isSandbox) printNote(`Pay there, or make the test payment: assayer accept ${code} --pay`);
  }
}
