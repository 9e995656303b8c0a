/** Orders that are paid by machine, made through the public doors. */
import { createBuilders, expectStatus, type Builders } from './builders.ts';
import { getText, type Ask, type TestAnswer, type TestService } from './service.ts';

export interface MachineOrders extends Builders {
  /** An open invoice of a machine rail, made in one request; its id. */
  readonly createOrder: (options?: Ask) => Promise<string>;
  /** `POST /invoices/{id}/pay`, with a credential of x402-exact where one is given. */
  readonly payWith: (invoiceId: string, signature?: string, options?: Ask) => Promise<TestAnswer>;
}

const X402 = { 'x-service-payment-method': 'x402-exact' } as const;

export async function createMachineOrders(
  service: Pick<TestService, 'ask' | 'runLab' | 'service'>,
): Promise<MachineOrders> {
  const { ask } = service;
  const build = await createBuilders(service);
  return {
    ...build,
    createOrder: async (options = {}) => {
      const body = { ...build.createBody(), auto_accept_quote: true };
      const headers = { ...X402, ...options.headers };
      const created = expectStatus(await ask('POST', '/experiments', { ...options, body, headers }), 200);
      return getText(created.body.invoice_id);
    },
    payWith: (invoiceId, signature, options = {}) =>
      ask('POST', `/invoices/${invoiceId}/pay`, {
        ...options,
        headers: {
          ...X402,
          ...(signature === undefined ? {} : { 'payment-signature': signature }),
          ...options.headers,
        },
      }),
  };
}
