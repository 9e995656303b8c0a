/** `assayer accept`: accepts the quote of an experiment. */
import { connect, type Api } from './api.ts';
import { runAttempt } from './attempt.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { requireConsent } from './confirm.ts';
import { AGAIN, CONNECTION, type Parsed } from './options.ts';
import {
  acceptQuote,
  formatPayCommand,
  awaitQuote,
  createQuoteNotReadyError,
  describeQuote,
  findInvoiceId,
  readInvoice,
  type Accepted,
  type Invoice,
  type Quote,
} from './purchase.ts';
import { printNote, print, toPlainText } from './terminal.ts';
import { checkTestPayment, findTestPayment, makeTestPayment, type TestPayment } from './test-payment.ts';

export const guide = {
  name: 'accept',
  usage: ['CODE [--purchase-order NUMBER] [--pay [--key-file FILE]] [--yes] [--json]'],
  about: `Accepts the quote of an experiment: this orders it, and commits its amount, so that a terminal is asked first. The lab
then sends an invoice. With --pay it also pays an invoice whose quote is accepted already. One that is accepted as wanted
is no error: the command says so and ends with 0, unless it was accepted with another purchase order.`,
  options: {
    'purchase-order NUMBER': 'printed on the invoice',
    pay: 'in a sandbox: make the test payment, by a page, with a test card token or from a wallet',
    'key-file FILE': 'wallet of an order by x402-exact; default: the one that "start --with-chain" made',
    yes: 'do not ask; needed where nobody can answer',
    json: 'print the answer of the API as JSON',
    ...AGAIN,
    ...CONNECTION,
  },
  examples: ['accept DEMO-001-004', 'accept DEMO-001-004 --purchase-order PO-1042 --pay --yes'],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const code = positionals[0] ?? '';
  const api = connect(values);
  checkTestPayment(guide, api, values);
  const payment = values.pay === true ? await findTestPayment(api, code, values) : undefined;
  const quote = await awaitQuote(api, code);
  if (quote === undefined) throw createQuoteNotReadyError(code);
  if (quote.status === 'open') {
    const question = `Accept the quote of ${code}, ${describeQuote(quote)}? This orders it${payment === undefined ? '' : ' and pays it'}.`;
    await requireConsent(question, values.yes === true);
  }
  await runAttempt(api, values['idempotency-key'], (once) =>
    conclude(once, code, quote, { ...values, payment }),
  );
}

type Wishes = Parsed<typeof guide>['values'] & { readonly payment: TestPayment | undefined };

async function conclude(api: Api, code: string, quote: Quote, wishes: Wishes): Promise<void> {
  const { payment, 'purchase-order': purchaseOrder } = wishes;
  const isAgreed = wishes.yes === true || quote.status === 'open';
  // Under the key of the first attempt the service repeats its answer.
  const isOver = quote.status === 'accepted' && wishes['idempotency-key'] === undefined;
  const accepted = isOver ? undefined : await acceptUnlessDone(api, code, purchaseOrder);
  const before = accepted === undefined ? await findOwnInvoice(api, code, purchaseOrder) : undefined;
  printNote(
    accepted === undefined
      ? `The quote of ${code} was accepted before; nothing is ordered again.`
      : `Accepted the quote of ${describeQuote(quote)}.`,
  );
  const paying = payment && makeTestPayment(api, code, { payment, accepted: accepted ?? {} }, isAgreed);
  const invoice = (await paying) ?? before;
  const isPaid = invoice?.status === 'paid';
  const method = accepted === undefined ? invoice?.payment_method : accepted.payment.kind;
  if (wishes.json === true)
    print(
      JSON.stringify(accepted === undefined ? (invoice ?? quote) : { ...accepted, paid: isPaid }, null, 2),
    );
  else if (isPaid) print(`${invoice.invoice_number ?? invoice.id} is paid. Next: assayer watch ${code}`);
  else if (method === 'x402-exact' || method === 'mpp-spt') print(`Next: ${formatPayCommand(code, method)}`);
  else {
    print((accepted ?? invoice)?.hosted_invoice_url ?? quote.quote_id);
    if (api.isSandbox) printNote(`Pay there, or make the test payment: assayer accept ${code} --pay`);
  }
}

async function acceptUnlessDone(
  api: Api,
  code: string,
  purchaseOrder?: string,
): Promise<Accepted | undefined> {
  try {
    return await acceptQuote(api, code, purchaseOrder);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.refusal.code !== 'quote_already_accepted') throw error;
    return undefined;
  }
}

/** Finds the invoice of a quote that was accepted before, which has another purchase order only if another order did so. */
async function findOwnInvoice(api: Api, code: string, purchaseOrder?: string): Promise<Invoice | undefined> {
  const id = await findInvoiceId(api, code);
  const invoice = id ? await readInvoice(api, id) : undefined;
  const known = invoice?.purchase_order_number ?? undefined;
  if (purchaseOrder === undefined || purchaseOrder === known) return invoice;
  throw new CommandError(
    `The quote of ${code} was accepted before, ${known === undefined ? 'without a purchase order' : `with the purchase order ${toPlainText(known)}`}: --purchase-order ${purchaseOrder} has no effect, and nothing was changed.`,
  );
}
