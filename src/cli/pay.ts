/**
 * `assayer pay`: pays an open invoice from a wallet over x402 or with a card token, or prints the payment page for
 * people.
 */
import { formatUsd } from '#core/money.ts';
import { connect, type Api } from './api.ts';
import { runAttempt } from './attempt.ts';
import { CommandError } from './command-error.ts';
import { requireConsent } from './confirm.ts';
import { AGAIN, CONNECTION, type Parsed, createUsageError } from './options.ts';
import { EXPERIMENT_CODE } from './find-item.ts';
import { markPaidNow, readInvoice, requireInvoiceId, type Invoice } from './purchase.ts';
import { toPlainText, print } from './terminal.ts';
import { payWithToken } from './pay-token.ts';
import type { payFromWallet } from './pay-x402.ts';

export const guide = {
  name: 'pay',
  usage: ['INVOICE [--key-file FILE | --spt TOKEN] [--max-usd N] [--yes] [--json]'],
  about: `Pays an invoice. INVOICE is its id, or the code of its experiment. An invoice on the rail x402-exact is paid from the
wallet of a key, one on mpp-spt with a shared payment token; for one that people pay, the address of its page is printed.`,
  options: {
    'key-file FILE': 'private key of the wallet, 64 hexadecimal digits',
    'spt TOKEN': 'shared payment token, minted and limited at the payment processor',
    'max-usd N': 'the most that may be paid; agrees in advance to as much',
    yes: 'do not ask; needed where nobody can answer and --max-usd is not given',
    'any-token': 'also accept a token that the client library does not know',
    json: 'print the answer of the API as JSON',
    ...AGAIN,
    ...CONNECTION,
  },
  notes: `The signature is stored beside the key file until the invoice is paid, and the same one is sent again: running
the command twice pays once.`,
  examples: [
    'pay DEMO-001-004 --key-file wallet.key --max-usd 500',
    'pay DEMO-001-005 --spt "$(assayer sandbox mint-payment-token)"',
    'pay 01980000-0000-7000-8000-0000000000c1',
  ],
};
const WALLET = 'x402-exact';
const CARD = 'mpp-spt';

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const maxCents = parseLimit(values['max-usd']);
  const isAllowed = maxCents !== undefined || values.yes === true;
  const api = connect(values);
  const attempt = values['idempotency-key'];
  const invoice = await getInvoice(api, positionals[0] ?? '');
  if (invoice.status === 'paid') return printInvoice(invoice, values.json);
  if (invoice.payment_method === CARD) {
    refuseAbove(maxCents, invoice);
    if (values.spt === undefined) throw createUsageError(guide, '--spt gives the token that pays');
    await requireConsent(
      `Pay ${formatName(invoice)} of ${formatUsd(invoice.total_cents)} for ${invoice.experiment_code} with this token?`,
      isAllowed,
    );
    const { spt } = values;
    await runAttempt(api, attempt, (once) => payWithToken(once, invoice, spt));
    return printPaid(api, invoice, values.json);
  }
  if (invoice.payment_method !== WALLET) {
    const page = invoice.hosted_invoice_url ?? 'the portal';
    const test = api.isSandbox ? ' (in a sandbox, "assayer accept CODE --pay" makes a test payment)' : '';
    throw new CommandError(
      `A person pays ${formatName(invoice)} of ${formatUsd(invoice.total_cents)}, at ${toPlainText(page)}${test}`,
    );
  }
  const keyFile = values['key-file'];
  if (keyFile === undefined) throw createUsageError(guide, '--key-file names the wallet that pays');
  refuseAbove(maxCents, invoice);
  const wallet = { keyFile, isAllowed, anyToken: values['any-token'] === true };
  await runAttempt(api, attempt, (once) => payOverX402(once, invoice, wallet));
  await printPaid(api, invoice, values.json);
}

/** Loaded with the first such payment: the libraries of a chain take longer than a whole command without them. */
export async function payOverX402(...args: Parameters<typeof payFromWallet>): Promise<void> {
  const wallet = await import('./pay-x402.ts');
  await wallet.payFromWallet(...args);
}

async function printPaid(api: Api, { id }: Invoice, asJson: boolean | undefined): Promise<void> {
  printInvoice(markPaidNow(await readInvoice(api, id)), asJson);
}

function refuseAbove(maxCents: number | undefined, invoice: Invoice): void {
  if (maxCents === undefined || invoice.total_cents <= maxCents) return;
  throw new CommandError(
    `${formatName(invoice)} is ${formatUsd(invoice.total_cents)}, more than --max-usd allows; nothing was sent.`,
  );
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(?:\.\d{1,2})?$/.test(text))
    throw createUsageError(guide, '--max-usd must be an amount such as 500 or 49.90');
  return Math.round(Number(text) * 100);
}

async function getInvoice(api: Api, name: string): Promise<Invoice> {
  return readInvoice(api, EXPERIMENT_CODE.test(name) ? await requireInvoiceId(api, name) : name);
}

function formatName(invoice: Invoice): string {
  return toPlainText(invoice.invoice_number ?? invoice.id);
}

function printInvoice(invoice: Invoice, asJson: boolean | undefined): void {
  if (asJson === true) return print(JSON.stringify(invoice, null, 2));
  const { tx_hash: hash, payment_intent_id: intent } = invoice.settlement_reference ?? {};
  const reference = hash ?? intent;
  print(`${formatName(invoice)} is paid${reference === undefined ? '' : ` (${toPlainText(reference)})`}.`);
}
