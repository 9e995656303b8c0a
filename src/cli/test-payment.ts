/** `--pay`: pays an accepted order in a sandbox, by whichever rail its invoice has. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from './api.ts';
import { formatUsd } from '#core/money.ts';
import { CommandError, EXIT } from './command-error.ts';
import { requireConsent } from './confirm.ts';
import { getDataDirectory, type ConnectionOptions } from './connection.ts';
import { createUsageError, type CommandGuide } from './options.ts';
import {
  awaitInvoice,
  formatExperimentPath,
  formatPayCommand,
  markPaidNow,
  payTestInvoice,
  readInvoice,
  type Invoice,
  type InvoiceHint,
} from './purchase.ts';
import { payOverX402 } from './pay.ts';
import { payWithToken } from './pay-token.ts';
import { showWait } from './progress.ts';
import { toPlainText } from './terminal.ts';

const PAGE = 'async_invoice';
const CARD = 'mpp-spt';
const WALLET = 'x402-exact';
const TEST_TOKEN_S = 3_600;

export interface TestPaymentOptions extends ConnectionOptions {
  readonly pay?: boolean | undefined;
  readonly 'key-file'?: string | undefined;
}

/** How a test payment is made; chosen before anything is accepted. */
export type TestPayment =
  { readonly rail: typeof PAGE | typeof CARD } | { readonly rail: typeof WALLET; readonly keyFile: string };

/** Refuses options that can never pay. */
export function checkTestPayment(guide: CommandGuide, api: Api, options: TestPaymentOptions): void {
  if (options.pay === true && !api.isSandbox)
    throw createUsageError(guide, '--pay makes test payments, which only a sandbox accepts');
  if (options.pay !== true && options['key-file'] !== undefined)
    throw createUsageError(guide, '--key-file goes with --pay');
}

/** Chooses the payment for the payment method of an order. A wallet is the named one, else that of a local sandbox. */
export function chooseTestPayment(method: string, options: TestPaymentOptions): TestPayment {
  if (method !== WALLET && options['key-file'] !== undefined)
    throw new CommandError(
      `--key-file goes with ${WALLET}, but this order is paid by ${method}.`,
      EXIT.misused,
    );
  if (method === PAGE || method === CARD) return { rail: method };
  if (method !== WALLET)
    throw new CommandError(
      `--pay cannot pay by ${method}, and nothing was accepted. Repeat the command without --pay, then pay: ${formatPayCommand('CODE', method)}`,
    );
  const keyFile = options['key-file'] ?? join(getDataDirectory(options), 'chain', 'demo-wallet.key');
  if (!existsSync(keyFile))
    throw new CommandError(
      `--pay needs a wallet for x402-exact, and nothing was accepted: there is no key file ${keyFile}. Name one with --key-file, or start the sandbox with --with-chain, which makes one.`,
      2,
    );
  return { rail: WALLET, keyFile };
}

/** Chooses that of an order before anything is accepted, because not every order has one. */
export async function findTestPayment(
  api: Api,
  code: string,
  options: TestPaymentOptions,
): Promise<TestPayment> {
  const { payment_method: method } = await api.get<{ payment_method: string }>(
    formatExperimentPath(code),
    'payment_method',
  );
  return chooseTestPayment(method, options);
}

/**
 * Pays the invoice of an accepted quote, after a question unless its amount is agreed to; one that is paid already is
 * only returned, so that repeating is safe.
 */
export async function makeTestPayment(
  api: Api,
  code: string,
  { payment, accepted }: { readonly payment: TestPayment; readonly accepted: InvoiceHint },
  isAgreed: boolean,
): Promise<Invoice> {
  const invoice = await showWait('Waiting for the invoice', awaitInvoice(api, code, accepted));
  if (invoice.status === 'paid') return invoice;
  await requireConsent(
    `Pay ${toPlainText(invoice.invoice_number ?? invoice.id)} of ${formatUsd(invoice.total_cents)} for ${code}?`,
    isAgreed,
  );
  if (payment.rail === PAGE) return showWait('Paying', payTestInvoice(api, invoice));
  if (!('keyFile' in payment)) await payWithTestCard(api, invoice);
  else {
    // The amount is agreed to, and the signature is limited to that of the invoice.
    await payOverX402(api, invoice, { keyFile: payment.keyFile, isAllowed: true, anyToken: false });
  }
  return markPaidNow(await readInvoice(api, invoice.id));
}

/** Pays with a test token that is limited to the amount of the invoice. */
async function payWithTestCard(api: Api, invoice: Invoice): Promise<void> {
  const { spt } = await api.post<{ spt: string }>('/sandbox/payment-tokens', {
    max_amount_cents: invoice.total_cents,
    expires_in_s: TEST_TOKEN_S,
    behavior: 'pays',
  });
  await payWithToken(api, invoice, spt);
}
