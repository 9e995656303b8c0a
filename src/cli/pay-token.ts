/**
 * Answers the challenge of an invoice with a shared payment token, and repeats the answer until the outcome is known.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { createNoAnswerError } from './http.ts';
import type { Invoice } from './purchase.ts';
import { printNote, toPlainText } from './terminal.ts';

const RAIL_HEADER = { 'x-service-payment-method': 'mpp-spt' } as const;
const TIMEOUT_MS = 60_000;
const TRIES = 30;
const PAUSE_MS = 2_000;
const ECHOED = ['id', 'realm', 'method', 'intent', 'request', 'expires'] as const;

/** Returns when the service reports the invoice as paid. The token is charged once, however often this runs. */
export async function payWithToken(connection: Connection, invoice: Invoice, token: string): Promise<void> {
  const unpaid = await ask(connection, invoice);
  if (unpaid.status === 200) return;
  if (unpaid.challenge === null) throw new CommandError(toPlainText(unpaid.error));
  const credential = createCredential(unpaid.challenge, token, invoice.id);
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await ask(connection, invoice, credential);
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new CommandError(toPlainText(answer.error));
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
  readonly error: string;
  /** The header WWW-Authenticate if its scheme is `Payment`. */
  readonly challenge: string | null;
}

async function ask({ url, token }: Connection, invoice: Invoice, credential?: string): Promise<Answer> {
  try {
    const answer = await fetch(`${url}/api/v1/invoices/${invoice.id}/pay`, {
      method: 'POST',
      headers: {
        ...RAIL_HEADER,
        'x-service-api-key': token,
        ...(credential === undefined ? {} : { authorization: credential }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await (answer.ok ? answer.json() : answer.json().catch(() => null));
    const isRefusal = typeof body === 'object' && body !== null && 'error' in body;
    const challenge = answer.headers.get('www-authenticate');
    return {
      status: answer.status,
      error: isRefusal ? String(body.error) : `The service answered ${answer.status}.`,
      challenge: challenge?.startsWith('Payment ') === true ? challenge : null,
    };
  } catch (error) {
    throw createNoAnswerError({ url }, error, TIMEOUT_MS, 'Run the command again: nothing is charged twice.');
  }
}
