/**
 * Answers the challenge of an invoice with a shared payment token, and repeats the answer until the outcome is known.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { toRecord } from '#core/records.ts';
import type { Api } from './api.ts';
import { CommandError, UnknownOutcomeError } from './command-error.ts';
import type { Invoice } from './purchase.ts';
import { readBody, sendRequest } from './requests.ts';
import { printNote, toPlainText } from './terminal.ts';
import { toText } from './words.ts';

const RAIL_HEADER = { 'x-service-payment-method': 'mpp-spt' } as const;
const TRIES = 30;
const PAUSE_MS = 2_000;
const ECHOED = ['id', 'realm', 'method', 'intent', 'request', 'expires'] as const;

/** Returns when the service reports the invoice as paid. The token is charged once, however often this runs. */
export async function payWithToken(api: Api, invoice: Invoice, token: string): Promise<void> {
  const headers = { ...RAIL_HEADER, 'x-service-api-key': api.connection.token };
  const unpaid = await askToPay(api, invoice, headers);
  if (unpaid.status === 200) return;
  const challenge = unpaid.getHeader('www-authenticate');
  if (challenge?.startsWith('Payment ') !== true) throw new CommandError(unpaid.error);
  const credential = { authorization: createCredential(challenge, token, invoice.id) };
  for (let tries = 0; tries < TRIES; tries++) {
    const { status, error } = await askToPay(api, invoice, headers, credential);
    if (status === 200) return;
    if (status !== 503) throw new CommandError(error);
    if (tries === 0) printNote('The outcome is not known yet; asking again with the same token.');
    await wait(PAUSE_MS);
  }
  throw new CommandError('The outcome is not known yet. Run the command again: nothing is charged twice.');
}

/** The challenge is sent back unchanged; its request is not decoded. */
function createCredential(header: string, spt: string, externalId: string): string {
  const parameters = new Map(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const challenge = Object.fromEntries(ECHOED.map((name) => [name, parameters.get(name) ?? '']));
  const text = JSON.stringify({ challenge, payload: { spt, externalId } });
  return `Payment ${Buffer.from(text).toString('base64url')}`;
}

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  getHeader(name: string): string | undefined;
}

/** Asks the service to take a payment, or without a credential for its terms. */
export async function askToPay(
  api: Api,
  { id }: Pick<Invoice, 'id'>,
  headers: Readonly<Record<string, string>>,
  credential?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const path = `/invoices/${id}/pay`;
  const ask = async (key?: string): Promise<Answer> => {
    const ownKey = key === undefined ? {} : { key };
    const request = { method: 'POST', path, headers: { ...headers, ...credential }, ...ownKey };
    const answer = await sendRequest(api.connection, request);
    const { status } = answer;
    const { code, error } = toRecord(await readBody(api.connection, answer));
    const sentence = toPlainText(toText(error)) || `The service answered ${status}.`;
    if ([500, 502, 504].includes(status)) throw new UnknownOutcomeError(sentence);
    return { status, code: toText(code), error: sentence, getHeader: (name) => answer.getHeader(name) };
  };
  return credential === undefined ? ask() : api.runChange(path, ask);
}
