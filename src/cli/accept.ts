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
  awaitInvoice,
  awaitQuote,
  describeQuote,
  type Invoice,
  type InvoiceHint,
} from './purchase.ts';
import { printNote, print } from './terminal.ts';

const HELP = `Usage: assayer accept CODE [--purchase-order NUMBER] [--pay] [--json]

Accepts the quote of an experiment: this orders it. The lab then sends an invoice. With --pay it also pays an invoice
whose quote is accepted already.

  --purchase-order NUMBER  printed on the invoice
  --pay                    in a sandbox: make the test payment, by a page or with a test card token
  --json                   the answer of the API

${CONNECTION_HELP}

Examples:
  assayer accept DEMO-001-004
  assayer accept DEMO-001-004 --purchase-order PO-1042 --pay`;

const TEST_TOKEN_S = 3_600;
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
  const method = values.pay === true ? await requireTestMethod(api, code) : undefined;
  const quote = await awaitQuote(api, code);
  if (quote === undefined) throw new CommandError(`The quote of ${code} is not ready yet.`);
  if (method !== undefined && quote.status === 'accepted') return payAccepted(api, code, method, values.json);
  const accepted = await acceptQuote(api, code, values['purchase-order']);
  printNote(`Accepted the quote of ${describeQuote(quote)}.`);
  const paid = method === undefined ? undefined : await payTest(api, code, { method, accepted });
  if (values.json === true) print(JSON.stringify({ ...accepted, paid: paid !== undefined }, null, 2));
  else if (paid !== undefined)
    print(`${paid.invoice_number ?? paid.id} is paid. Next: assayer watch ${code}`);
  else if (accepted.payment.pay_url) print(`Next: ${formatPayCommand(code, accepted.payment.kind)}`);
  else {
    print(accepted.hosted_invoice_url ?? accepted.id);
    if (api.isSandbox) printNote(`Pay there, or make the test payment: assayer accept ${code} --pay`);
  }
}

const CARD = 'mpp-spt';

/** Pays what was accepted before, so that the command completes when it is repeated with `--pay`. */
async function payAccepted(
  api: Api,
  code: string,
  method: string,
  asJson: boolean | undefined,
): Promise<void> {
  const invoice = await payTest(api, code, { method, accepted: {} });
  if (asJson === true) print(JSON.stringify(invoice, null, 2));
  else print(`${invoice.invoice_number ?? invoice.id} is paid. Next: assayer watch ${code}`);
}

async function payTest(
  api: Api,
  code: string,
  { method, accepted }: { readonly method: string; readonly accepted: InvoiceHint },
): Promise<Invoice> {
  if (method !== CARD) return payTestInvoice(api, code, accepted);
  const invoice = await awaitInvoice(api, code, accepted);
  return invoice.status === 'paid' ? invoice : payWithTestCard(api, invoice);
}

/** Checked before anything is accepted: what is paid from a wallet has no test payment. */
async function requireTestMethod(api: Api, code: string): Promise<string> {
  const { payment_method: method } = await api.get<{ payment_method: string }>(formatExperimentPath(code));
  if (method === 'async_invoice' || method === CARD) return method;
  throw new CommandError(
    `${code} is paid by ${method}, so --pay cannot pay it, and nothing was accepted. Accept it without --pay, then: ${formatPayCommand(code, method)}`,
  );
}

/** Pays with a test token that is limited to the amount of the invoice. */
async function payWithTestCard(api: Api, invoice: Invoice): Promise<Invoice> {
  const { spt } = await api.post<{ spt: string }>('/sandbox/payment-tokens', {
    max_amount_cents: invoice.total_cents,
    expires_in_s: TEST_TOKEN_S,
    behaviour: 'pays',
  });
  const { payWithToken } = await import('./pay-token.ts');
  await payWithToken(api.connection, invoice, spt);
  return api.get<Invoice>(`/invoices/${encodeURIComponent(invoice.id)}`);
}
