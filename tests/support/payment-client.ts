/** What a payer by `mpp-spt` does: takes a challenge, has a token, answers. And the same by an unmodified client. */
import { Challenge, Credential } from 'mppx';
import { expectStatus } from './builders.ts';
import { createMachineOrders, type MachineOrders } from './machine-orders.ts';
import type { TestAnswer, TestService } from './service.ts';

export const MPP = { 'x-service-payment-method': 'mpp-spt' } as const;

export interface TokenPayer extends MachineOrders {
  readonly orderByToken: () => Promise<string>;
  /** The challenge of a first call, as an independent library reads it. */
  readonly readChallenge: (invoiceId: string) => Promise<Challenge.Challenge>;
  readonly answer: (invoiceId: string, authorization: string) => Promise<TestAnswer>;
  /** Takes a challenge and answers it with the token. */
  readonly payByToken: (invoiceId: string, token: string) => Promise<TestAnswer>;
}

export async function createTokenPayer(
  service: Pick<TestService, 'ask' | 'runLab' | 'service' | 'token'>,
): Promise<TokenPayer> {
  const orders = await createMachineOrders(service);
  const { ask } = service;

  async function readChallenge(invoiceId: string): Promise<Challenge.Challenge> {
    const challenge = expectStatus(await ask('POST', `/invoices/${invoiceId}/pay`, { headers: MPP }), 402);
    return Challenge.deserialize(challenge.headers['www-authenticate'] ?? '');
  }

  const answer = (invoiceId: string, authorization: string): Promise<TestAnswer> =>
    ask('POST', `/invoices/${invoiceId}/pay`, {
      token: null,
      headers: { ...MPP, authorization, 'x-service-api-key': service.token },
    });

  return {
    ...orders,
    orderByToken: () => orders.createOrder({ headers: MPP }),
    readChallenge,
    answer,
    async payByToken(invoiceId, token) {
      const challenge = await readChallenge(invoiceId);
      return answer(invoiceId, serializeCredential(challenge, token, invoiceId));
    },
  };
}

export function serializeCredential(challenge: Challenge.Challenge, spt: string, externalId: string): string {
  return Credential.serialize({ challenge, payload: { spt, externalId } });
}
