/** A service over a local chain, with a facilitator that can be made to fail, and signatures of every kind. */
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { getAddress, toHex, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createX402Rail, type X402Options } from '#adapters/x402/rail.ts';
import { parseChainId, type X402Terms } from '#features/payments/x402-rules.ts';
import { reconcilePayments } from '#features/payments/drive-attempt.ts';
import { createSingleFlight } from '#core/single-flight.ts';
import { indexMachineRails, type MachineRail } from '#features/payments/machine-rail.ts';
import { testChain, type TestChain } from './chain.ts';
import { createFacilitatorProxy, type FacilitatorProxy } from './facilitator-proxy.ts';
import { createMachineOrders, type MachineOrders } from './machine-orders.ts';
import { testService, getText, type TestAnswer, type TestService } from './service.ts';

export interface X402Bench extends TestService {
  readonly chain: TestChain;
  readonly proxy: FacilitatorProxy;
  readonly orders: MachineOrders;
  /** The terms and the header of an open invoice. */
  readonly readChallenge: (
    invoiceId: string,
  ) => Promise<{ readonly terms: X402Terms; readonly header: string }>;
  /** `POST …/pay`; the service's clock is set to the machine's before, because signatures carry real time. */
  readonly pay: (invoiceId: string, signature?: string) => Promise<TestAnswer>;
  readonly readStatus: (invoiceId: string) => Promise<string>;
  readonly listAttempts: (invoiceId: string) => Promise<{ readonly n: number; readonly state: string }[]>;
  /** Other settings from now on; none: those of the start. */
  readonly rotate: (options: Partial<X402Options>) => void;
  /** One round of the chore, as another process would do it. */
  readonly reconcile: () => Promise<void>;
}

/** Longer than any stall of a busy machine. */
const PATIENT_MS = 30_000;
/** For what never answers. On a busy machine others may take longer too, so that only what must be so is asked meanwhile. */
export const IMPATIENT = { rpcTimeoutMs: 150, verifyTimeoutMs: 400, settleTimeoutMs: 400 } as const;

export async function createX402Bench(changed: Partial<X402Options> = {}): Promise<X402Bench> {
  const chain = await testChain();
  const proxy = await createFacilitatorProxy(() => chain.facilitator.url);
  const railWith = (options: Partial<X402Options>) =>
    createX402Rail({
      ...chain.options,
      facilitatorUrl: proxy.url,
      rpcTimeoutMs: PATIENT_MS,
      verifyTimeoutMs: PATIENT_MS,
      settleTimeoutMs: PATIENT_MS,
      ...changed,
      ...options,
    });
  let current = railWith({});
  const rail: MachineRail = {
    method: current.method,
    foreignCredential: current.foreignCredential,
    findCredential: (headers) => current.findCredential(headers),
    createChallenge: (invoice, at) => current.createChallenge(invoice, at),
    describeChallenge: (challenge) => current.describeChallenge?.(challenge) ?? {},
    admit: (credential, request) => current.admit(credential, request),
    verify: (attempt) => current.verify(attempt),
    settle: (attempt) => current.settle(attempt),
    reconcile: (attempt) => current.reconcile(attempt),
    confirmRefund: (attempt, refund) => current.confirmRefund(attempt, refund),
  };
  const service = await testService({}, { rails: [rail], start: new Date() });
  const orders = await createMachineOrders(service);
  const { ask, clock } = service;
  const { database, work } = service.service;
  const tellTime = (): void => clock.advance(Math.max(0, Date.now() - clock.now().getTime()));
  return {
    ...service,
    chain,
    proxy,
    orders,
    async readChallenge(invoiceId) {
      const header = (await orders.payWith(invoiceId)).headers['payment-required'] ?? '';
      return { header, terms: decodeTerms(header) };
    },
    pay: (invoiceId, signature) => {
      tellTime();
      return orders.payWith(invoiceId, signature);
    },
    readStatus: async (invoiceId) => getText((await ask('GET', `/invoices/${invoiceId}`)).body.status),
    listAttempts: (invoiceId) =>
      database.read.query('select n, state from payment_attempts where invoice_id = $1 order by n', [
        invoiceId,
      ]),
    rotate: (options) => void (current = railWith(options)),
    reconcile: () =>
      reconcilePayments({
        work,
        database,
        payments: { rails: indexMachineRails([rail]), flights: createSingleFlight() },
      }),
  };
}

export function decodeTerms(header: string): X402Terms {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own header; what reads it would throw
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as X402Terms;
}

export interface Signing {
  readonly to?: string;
  readonly value?: string;
  readonly validAfter?: number;
  readonly validBefore?: number;
  readonly nonce?: Hex;
  /** What the EIP-712 domain says instead. */
  readonly domain?: Readonly<Record<string, unknown>>;
  /** Fields of `accepted` that are echoed otherwise. */
  readonly accepted?: Readonly<Record<string, unknown>>;
  /** The payer that is claimed, when it is not the signer. */
  readonly from?: string;
}

export function createNonce(): Hex {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

/** A PAYMENT-SIGNATURE, right in everything that is not said otherwise. */
export async function sign(
  account: PrivateKeyAccount,
  terms: X402Terms,
  signing: Signing = {},
): Promise<string> {
  const [asked] = terms.accepts;
  const nowS = Math.floor(Date.now() / 1_000);
  const authorization = {
    from: signing.from ?? account.address,
    to: signing.to ?? asked.payTo,
    value: signing.value ?? asked.amount,
    validAfter: String(signing.validAfter ?? 0),
    validBefore: String(signing.validBefore ?? nowS + 290),
    nonce: signing.nonce ?? createNonce(),
  };
  const signature = await account.signTypedData({
    domain: {
      name: asked.extra.name,
      version: asked.extra.version,
      chainId: parseChainId(asked.network),
      verifyingContract: getAddress(asked.asset),
      ...signing.domain,
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: getAddress(authorization.from),
      to: getAddress(authorization.to),
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce,
    },
  });
  return encodePaymentSignatureHeader({
    x402Version: 2,
    resource: terms.resource,
    accepted: { ...asked, extra: { ...asked.extra }, ...signing.accepted },
    payload: { authorization, signature },
  });
}
