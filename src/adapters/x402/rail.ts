/**
 * The rail `x402-exact`: a client signs an EIP-3009 authorization, a facilitator submits it to the chain, and only
 * the chain decides the outcome. The facilitator's answer, or its absence, is a hint: the facilitator verifies
 * attempts that were never handed over, and afterwards no answer of it ends an attempt.
 * This folder: everything that knows a chain: the rail, its facilitator, its book, the chain of a sandbox. Not here:
 * how a payment is settled (`features/payments`).
 */
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  HTTPFacilitatorClient,
} from '@x402/core/http';
import { parsePaymentPayload } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { formatUnits, getAddress, recoverTypedDataAddress } from 'viem';
import { CURRENCY } from '#core/money.ts';
import type {
  Admission,
  Attempt,
  MachineRail,
  PayableInvoice,
  Proof,
  Verdict,
} from '#features/payments/machine-rail.ts';
import * as rules from '#features/payments/x402-rules.ts';
import { createChain, type Chain } from './chain.ts';
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1';
import type { X402Terms } from '#features/payments/x402-rules.ts';

/**
 * Version 1 of x402, whose clients read the terms in the body of a 402, name networks by words and send `X-PAYMENT`.
 * What they sign is the same EIP-3009 authorization, so everything after the credential is read is as in version 2.
 */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(EVM_NETWORK_CHAIN_ID_MAP).map(([name, chainId]) => [`eip155:${chainId}`, name]),
);

/** Finds the word of version 1 for a network; undefined for networks that it does not know. */
function findNetworkName(network: string): string | undefined {
  return NAMES.get(network);
}

/** The terms as version 1 writes them; empty for a network that it cannot name. */
function describeInVersion1({
  resource: { url, description, mimeType },
  accepts: [{ scheme, network, amount, payTo, asset, maxTimeoutSeconds, extra }],
}: X402Terms): Readonly<Record<string, unknown>> {
  const name = findNetworkName(network);
  if (name === undefined) return {};
  const accepted = {
    scheme,
    network: name,
    maxAmountRequired: amount,
    resource: url,
    description,
    mimeType,
    payTo,
    maxTimeoutSeconds,
    asset,
    extra: { name: extra.name, version: extra.version },
  };
  return { x402Version: 1, accepts: [accepted] };
}

/** Finds the CAIP-2 name of a network that a payload of version 1 names. */
function findNetwork(name: string): string | undefined {
  return [...NAMES].find(([, known]) => known === name)?.[0];
}

const VERIFY_TIMEOUT_MS = 8_000;
const SETTLE_TIMEOUT_MS = 20_000;
const HEADER_LENGTH_MAX = 8_192;
const NOT_A_PAYLOAD = 'the credential is not base64 of an x402 payment payload';
/** The outcome is unknown; the client repeats the same signature. */
const UNKNOWN: Verdict = { kind: 'not_yet_settled', mayRepeat: false };

export interface X402Options {
  readonly token: rules.Token;
  readonly payTo: string;
  readonly rpcUrl: string;
  readonly confirmations: number;
  readonly facilitatorUrl: string;
  /** Sent to the facilitator as a bearer token. */
  readonly facilitatorToken: string | null;
  readonly verifyTimeoutMs?: number;
  readonly settleTimeoutMs?: number;
  readonly rpcTimeoutMs?: number;
}

export function createX402Rail(
  options: X402Options,
  chain: Chain = createChain(options),
): MachineRail & Required<Pick<MachineRail, 'confirmRefund'>> {
  const verifier = createFacilitator(options, options.verifyTimeoutMs ?? VERIFY_TIMEOUT_MS);
  const settler = createFacilitator(options, options.settleTimeoutMs ?? SETTLE_TIMEOUT_MS);

  /** Asks the chain; without an answer the outcome stays unknown. */
  async function getKnownVerdict(attempt: Attempt): Promise<Verdict> {
    const request = getRequest(attempt);
    const truth = await chain.readTruth(request).catch(() => undefined);
    switch (truth?.kind) {
      case 'transferred':
        return createPaidVerdict(request, truth.txHash);
      case 'canceled':
        return rules.createRefusedVerdict(
          'the authorization was canceled, or used for another transfer; sign a new one',
        );
      case 'expired':
        return rules.createRefusedVerdict('the authorization expired unused; sign a new one');
      case 'unused':
        return { kind: 'not_yet_settled', mayRepeat: true };
      default:
        return UNKNOWN;
    }
  }

  return {
    method: 'x402-exact',
    foreignCredential: {
      code: 'payment_refused',
      reason: 'this authorization was signed for another invoice; sign a new one',
    },
    findCredential: (headers) => headers['payment-signature'],
    createChallenge: (invoice) => {
      const terms = buildTerms(options, invoice);
      const header = encodePaymentRequiredHeader({ ...terms, accepts: terms.accepts.map(toWire) });
      return { headers: { 'payment-required': header }, terms, expires_at: null };
    },
    describeChallenge: ({ terms }) => (rules.isTerms(terms) ? describeInVersion1(terms) : {}),
    admit: (credential, { challenges, at }) => admitCredential(credential, challenges, at),
    async verify(attempt) {
      const before = await getKnownVerdict(attempt);
      if (before.kind !== 'not_yet_settled' || !before.mayRepeat) return before;
      const request = getRequest(attempt);
      const verdict = await verifier
        .verify(buildPayload(request), toWire(request.requirements))
        .catch(() => undefined);
      if (verdict === undefined) return UNKNOWN;
      if (verdict.isValid) return { kind: 'fit' };
      // Anybody who has the signature may have submitted it since the chain was asked, and that is no refusal.
      const after = await getKnownVerdict(attempt);
      if (after.kind !== 'not_yet_settled' || !after.mayRepeat) return after;
      const short = await explainShortfall(chain, options.token, request).catch(() => undefined);
      return rules.createRefusedVerdict(
        short ?? `the facilitator refused it (${rules.toPrintable(verdict.invalidReason ?? 'no reason')})`,
      );
    },
    async settle(attempt) {
      const request = getRequest(attempt);
      await settler.settle(buildPayload(request), toWire(request.requirements)).catch(() => undefined);
      return getKnownVerdict(attempt);
    },
    reconcile: getKnownVerdict,
    confirmRefund: (attempt, refund) =>
      confirmRefund(chain, options.token.decimals, getRequest(attempt), refund),
  };
}

/**
 * Explains what a rejected payer lacks, from the chain. Facilitators use their own words, or report only a failed
 * simulation. Only the sentence depends on this.
 */
async function explainShortfall(
  chain: Chain,
  token: rules.Token,
  { requirements, authorization }: rules.X402Request,
): Promise<string | undefined> {
  const { network, asset, extra } = requirements;
  const balance = await chain.readBalance({ network, asset, address: authorization.from });
  const needed = BigInt(authorization.value);
  if (balance >= needed) return undefined;
  const isPresentToken = asset.toLowerCase() === token.asset.toLowerCase();
  const formatAmount = (units: bigint): string =>
    isPresentToken ? formatUnits(units, token.decimals) : `${units} base units`;
  const state = balance === 0n ? 'is empty' : `holds ${formatAmount(balance)}`;
  return `the wallet ${authorization.from} ${state}, and ${formatAmount(needed)} ${rules.toPrintable(extra.name)} are needed; fund it and sign again`;
}

async function confirmRefund(
  chain: Chain,
  decimals: number,
  { requirements, authorization }: rules.X402Request,
  { reference, amountCents }: { readonly reference: string; readonly amountCents: number },
): Promise<Proof> {
  const hash = /^0x([0-9a-f]{64})$/i.exec(reference.trim())?.[1]?.toLowerCase();
  if (hash === undefined)
    return { kind: 'unconfirmed', reason: 'the reference is not the hash of a transaction' };
  const { network, asset } = requirements;
  const value = BigInt(rules.toBaseUnits(amountCents, decimals));
  const transfer = { network, asset, to: authorization.from, value };
  if (await chain.hasTransfer(`0x${hash}`, transfer)) return { kind: 'confirmed', reference: `0x${hash}` };
  const missing = `${value} base units of ${asset} to ${authorization.from}`;
  return { kind: 'unconfirmed', reason: `it shows no transfer of ${missing} in that transaction` };
}

function createFacilitator(
  { facilitatorUrl, facilitatorToken }: X402Options,
  timeoutMs: number,
): HTTPFacilitatorClient {
  const headers = facilitatorToken === null ? undefined : { authorization: `Bearer ${facilitatorToken}` };
  return new HTTPFacilitatorClient({
    url: facilitatorUrl,
    timeoutMs,
    ...(headers === undefined
      ? {}
      : { createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }) }),
  });
}

function buildTerms({ token, payTo }: X402Options, invoice: PayableInvoice): rules.X402Terms {
  if (invoice.currency !== CURRENCY)
    throw new Error(`x402 pays ${CURRENCY}, the invoice is in ${invoice.currency}`);
  return {
    x402Version: rules.X402_VERSION,
    resource: { url: invoice.payUrl, description: `Invoice ${invoice.number}`, mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: token.network,
        amount: rules.toBaseUnits(invoice.totalCents, token.decimals),
        payTo,
        asset: token.asset,
        maxTimeoutSeconds: rules.MAX_TIMEOUT_S,
        extra: { name: token.name, version: token.version, assetTransferMethod: 'eip3009' },
      },
    ],
  };
}

/** Copies the record, because the library's type is not read-only. */
function toWire(requirements: rules.Requirements) {
  return { ...requirements, extra: { ...requirements.extra } };
}

/** Contains only what was checked and stored, and nothing else from the client. */
function buildPayload({
  resource,
  requirements,
  authorization,
  signature,
}: rules.X402Request): PaymentPayload {
  return {
    x402Version: rules.X402_VERSION,
    resource: { ...resource },
    accepted: toWire(requirements),
    payload: { authorization: { ...authorization }, signature },
  };
}

function getRequest({ request }: Attempt): rules.X402Request {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `admitCredential` wrote it
  return request as rules.X402Request;
}

function createPaidVerdict(request: rules.X402Request, txHash: string): Verdict {
  const { network } = request.requirements;
  const receipt = {
    success: true,
    payer: getAddress(request.authorization.from),
    transaction: txHash,
    network,
  };
  return {
    kind: 'paid',
    reference: { type: 'x402_transaction', tx_hash: txHash },
    headers: {
      'payment-response': encodePaymentResponseHeader(receipt),
      ...buildVersion1Receipt(receipt),
    },
  };
}

/** Builds the header by which clients of version 1 read the same receipt. */
function buildVersion1Receipt(receipt: {
  readonly success: boolean;
  readonly payer: string;
  readonly transaction: string;
  readonly network: string;
}): Readonly<Record<string, string>> {
  const network = findNetworkName(receipt.network);
  if (network === undefined) return {};
  const text = JSON.stringify({ ...receipt, network });
  return { 'x-payment-response': Buffer.from(text, 'utf8').toString('base64') };
}

async function admitCredential(
  credential: string,
  challenges: Parameters<typeof rules.findAcceptedTerms>[0],
  at: Date,
): Promise<Admission> {
  const payload = decodeHeader(credential);
  if (typeof payload === 'string') return rules.createRefusedVerdict(payload);
  const signed = parseSigned(payload.payload);
  if (signed === undefined)
    return rules.createRefusedVerdict('the payload is not an EIP-3009 authorization with its signature');
  const terms =
    'network' in payload
      ? rules.findTermsOnNetwork(challenges, findNetwork(payload.network) ?? '', signed.authorization)
      : rules.findAcceptedTerms(challenges, payload.accepted);
  if (terms === undefined)
    return rules.createRefusedVerdict(
      'network' in payload
        ? `the invoice is not paid on the network ${rules.toPrintable(payload.network)}`
        : rules.explainNotAccepted(challenges, payload.accepted),
    );
  const [requirements] = terms.accepts;
  const unfit = rules.explainUnfit(requirements, signed.authorization, Math.floor(at.getTime() / 1_000));
  if (unfit !== undefined) return rules.createRefusedVerdict(`${unfit}; sign a new one`);
  const request = { resource: terms.resource, requirements, ...signed };
  const signer = await recoverSigner(request);
  if (signer !== getAddress(signed.authorization.from))
    return rules.createRefusedVerdict(
      'the signature is not of the payer, or was made for another token or network',
    );
  return { kind: 'admitted', externalKey: rules.formatExternalKey(request), request };
}

type Decoded =
  | { readonly accepted: Record<string, unknown>; readonly payload: unknown }
  /** Version 1 names the network alone. */
  | { readonly network: string; readonly payload: unknown };

const VERSIONS: ReadonlySet<unknown> = new Set([1, rules.X402_VERSION]);

/** Returns the decoded credential, or the reason why it is invalid. */
function decodeHeader(header: string): Decoded | string {
  if (header.length > HEADER_LENGTH_MAX)
    return `the credential is longer than ${HEADER_LENGTH_MAX} characters`;
  try {
    const payload: unknown = decodePaymentSignatureHeader(header);
    if (typeof payload !== 'object' || payload === null) return NOT_A_PAYLOAD;
    const version: unknown = 'x402Version' in payload ? payload.x402Version : undefined;
    if (!VERSIONS.has(version))
      return `the payment payload is of x402Version ${formatVersion(version)}; it must be the number 2 or 1`;
    if (version === rules.X402_VERSION && !('accepted' in payload))
      return 'the payment payload has no `accepted`: echo the entry of `accepts` that it pays';
    const parsed = parsePaymentPayload(payload);
    if (!parsed.success) return NOT_A_PAYLOAD;
    const { data } = parsed;
    if (data.x402Version === 1)
      return data.scheme === 'exact' ? { network: data.network, payload: data.payload } : NOT_A_PAYLOAD;
    return { accepted: { ...data.accepted }, payload: data.payload };
  } catch {
    return NOT_A_PAYLOAD;
  }
}

/** A text keeps its quotation marks, since "2" is not the number 2. */
const formatVersion = (version: unknown): string => rules.toPrintable(JSON.stringify(version) ?? 'none');

const AUTHORIZATION_FIELDS = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const;

function parseSigned(
  payload: unknown,
): { authorization: rules.Authorization; signature: `0x${string}` } | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  if (!('authorization' in payload) || !('signature' in payload)) return undefined;
  const { authorization, signature } = payload;
  if (typeof signature !== 'string' || !rules.isSignature(signature)) return undefined;
  if (typeof authorization !== 'object' || authorization === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...authorization };
  const texts = Object.fromEntries(
    AUTHORIZATION_FIELDS.map((field) => [field, fields[field]]).filter(
      ([, value]) => typeof value === 'string',
    ),
  );
  if (AUTHORIZATION_FIELDS.some((field) => !(field in texts))) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was found to be a text
  return { authorization: texts as unknown as rules.Authorization, signature };
}

/** Recovers the address whose key signed; undefined for an invalid signature. Call it after `explainUnfit`. */
async function recoverSigner(request: rules.X402Request): Promise<string | undefined> {
  const { requirements, authorization, signature } = request;
  if (!rules.isSignature(signature)) return undefined;
  try {
    return await recoverTypedDataAddress({
      domain: {
        name: requirements.extra.name,
        version: requirements.extra.version,
        chainId: rules.parseChainId(requirements.network),
        verifyingContract: getAddress(requirements.asset),
      },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: getAddress(authorization.from),
        to: getAddress(authorization.to),
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce: `0x${authorization.nonce.slice(2)}`,
      },
      signature,
    });
  } catch {
    return undefined;
  }
}
