/** Signs the x402 payment of an invoice and sends it until it is settled; one signature for each invoice. */
import { getErrorMessage } from '#core/records.ts';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { privateKeyToAccount } from 'viem/accounts';
import { formatUsd } from '#core/money.ts';
import type { Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConsent } from './confirm.ts';
import { readKeyFile } from './key-file.ts';
import { askToPay } from './pay-token.ts';
import type { Invoice } from './purchase.ts';
import { printNote, toPlainText } from './terminal.ts';

const RAIL_HEADER = { 'x-service-payment-method': 'x402-exact' } as const;
const TRIES = 30;
const PAUSE_MS = 2_000;
/** The token has six decimals, a cent two. */
const DECIMALS_BELOW_CENT = 4;
/** Failures after which the same signature may still pay. */
const WAITING: ReadonlySet<string> = new Set(['payment_not_settled', 'payment_in_progress']);

type Payable = Pick<Invoice, 'id' | 'total_cents'>;

export interface Wallet {
  readonly keyFile: string;
  /** True when the amount is within a given limit; otherwise a person is asked. */
  readonly isAllowed: boolean;
  readonly anyToken: boolean;
}

/** Returns when the service reports the invoice as paid. */
export async function payFromWallet(api: Api, invoice: Payable, wallet: Wallet): Promise<void> {
  const signatureFile = `${wallet.keyFile}.${invoice.id}.signature`;
  const signature = existsSync(signatureFile)
    ? readFileSync(signatureFile, 'utf8').trim()
    : await signPayment(api, invoice, wallet, signatureFile);
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await askToPay(api, invoice, RAIL_HEADER, { 'payment-signature': signature });
    if (answer.status === 200) return rmSync(signatureFile, { force: true });
    if (!WAITING.has(answer.code) && answer.status !== 503) refuse(answer, signatureFile);
    if (tries === 0) printNote('Not settled yet; sending the same signature until it is.');
    await wait(PAUSE_MS);
  }
  throw new CommandError(
    'The payment is not settled yet. Run the command again: it sends the same signature.',
  );
}

/** A refused signature is of no more use; one that was not settled yet, or that waits for another, is kept. */
function refuse({ code, error }: { readonly code: string; readonly error: string }, kept: string): never {
  const isFinal = code === 'payment_refused';
  if (isFinal) rmSync(kept, { force: true });
  const next = isFinal ? ' Run the command again to sign a new authorization.' : '';
  throw new CommandError(`${error}${next}`);
}

/** The signature is written to its file before it is sent, so that a crash never leads to a second one. */
async function signPayment(api: Api, invoice: Payable, wallet: Wallet, file: string): Promise<string> {
  const account = privateKeyToAccount(readKeyFile(wallet.keyFile));
  const unpaid = await askToPay(api, invoice, RAIL_HEADER);
  const challenge = unpaid.getHeader('payment-required');
  if (challenge === undefined) throw new CommandError(unpaid.error);
  const terms = parseTerms(challenge);
  const client = x402Client.fromConfig({
    schemes: [{ network: terms.accepts[0].network, client: new ExactEvmScheme(account) }],
    spendControls: {
      maxAmountPerPayment: `$${(invoice.total_cents / 100).toFixed(2)}`,
      ...(wallet.anyToken ? { allowedAssets: true as const } : {}),
    },
  });
  await requireTerms(invoice, terms, wallet);
  const http = new x402HTTPClient(client);
  const required = http.getPaymentRequiredResponse((name) =>
    name.toLowerCase() === 'payment-required' ? challenge : null,
  );
  const payload = await http.createPaymentPayload(required).catch((failure: unknown) => {
    throw new CommandError(`Nothing was signed: ${describeProblem(failure)}`);
  });
  const signature = http.encodePaymentSignatureHeader(payload)['PAYMENT-SIGNATURE'];
  if (signature === undefined)
    throw new CommandError('Nothing was signed: the library returned no signature.');
  try {
    writeFileSync(file, `${signature}\n`, { mode: 0o600, flag: 'wx' });
  } catch (failure) {
    throw new CommandError(`The signature could not be saved, and was not sent: ${describeProblem(failure)}`);
  }
  return signature;
}

function describeProblem(failure: unknown): string {
  return toPlainText(getErrorMessage(failure));
}

/** Signs no other amount than that of the invoice, and none that nobody agreed to. */
async function requireTerms(invoice: Payable, terms: Static<typeof Terms>, wallet: Wallet): Promise<void> {
  const [requirements] = terms.accepts;
  const expected = BigInt(invoice.total_cents) * 10n ** BigInt(DECIMALS_BELOW_CENT);
  if (!wallet.anyToken && requirements.amount !== expected.toString())
    throw new CommandError(
      `The service asks for ${toPlainText(requirements.amount)} base units, the invoice is ${formatUsd(invoice.total_cents)}; nothing was signed.`,
    );
  const { extra, network, payTo } = requirements;
  await requireConsent(
    toPlainText(`Pay ${formatUsd(invoice.total_cents)} in ${extra.name} on ${network} to ${payTo}?`),
    wallet.isAllowed,
  );
}

const Terms = Type.Object({
  accepts: Type.Tuple([
    Type.Object({
      network: Type.TemplateLiteral('${string}:${string}'),
      amount: Type.String(),
      payTo: Type.String(),
      extra: Type.Object({ name: Type.String() }),
    }),
  ]),
});

/** Reads what the service asks for; the library checks the rest before it signs. */
function parseTerms(challenge: string): Static<typeof Terms> {
  try {
    const terms: unknown = JSON.parse(Buffer.from(challenge, 'base64').toString('utf8'));
    if (Value.Check(Terms, terms)) return terms;
  } catch {
    // Told like terms of another form.
  }
  throw new CommandError('The service answered with terms that cannot be read; nothing was signed.');
}
