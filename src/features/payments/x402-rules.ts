/**
 * The rules of x402 `exact` with EIP-3009: the terms, and every check of a signed authorization that needs nothing
 * outside. Checks use the stored challenge alone; the client's echo is compared with it and then dropped. All numbers
 * on the wire are decimal strings.
 */
import type { Challenge, Refused } from './machine-rail.ts';

export const X402_VERSION = 2;
export const MAX_TIMEOUT_S = 300;
/** A client's clock may be this much ahead: clients sign for the whole timeout from their own present. */
const CLOCK_SKEW_S = 60;
const CENTS_DECIMALS = 2;

/** One entry of `accepts`. */
export interface Requirements {
  readonly scheme: 'exact';
  /** CAIP-2: `eip155:<chain id>`. */
  readonly network: `${string}:${string}`;
  /** Base units of the token. */
  readonly amount: string;
  readonly payTo: string;
  readonly asset: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: {
    readonly name: string;
    readonly version: string;
    readonly assetTransferMethod: 'eip3009';
  };
}

export interface X402Terms {
  readonly x402Version: typeof X402_VERSION;
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  readonly accepts: readonly [Requirements];
}

/** EIP-3009 TransferWithAuthorization. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  /** Seconds since the epoch. */
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes in hex. */
  readonly nonce: string;
}

/** The record of an attempt: enough to hand it over again and to find it on the chain. */
export interface X402Request {
  readonly resource: X402Terms['resource'];
  readonly requirements: Requirements;
  readonly authorization: Authorization;
  readonly signature: string;
}

export interface Token {
  readonly network: `eip155:${number}`;
  readonly asset: string;
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
}

/** 125000 cents of a token with 6 decimals are `1250000000` base units. One cent must be a whole number of them. */
export function toBaseUnits(amountCents: number, decimals: number): string {
  if (decimals < CENTS_DECIMALS) throw new RangeError(`a token with ${decimals} decimals has no cents`);
  return (BigInt(amountCents) * 10n ** BigInt(decimals - CENTS_DECIMALS)).toString();
}

export function parseChainId(network: string): number {
  const match = /^eip155:(\d{1,15})$/.exec(network);
  if (match === null) throw new RangeError(`${network} is not an EVM network`);
  return Number(match[1]);
}

/** Unique key outside: an authorization is used at most once per token and payer (EIP-3009). */
export function formatExternalKey({ requirements, authorization }: X402Request): string {
  const { network, asset } = requirements;
  return [network, asset, authorization.from, authorization.nonce].join('/').toLowerCase();
}

const isSameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const COMPARED = ['scheme', 'network', 'amount', 'payTo', 'asset'] as const;

/** Finds the stored terms that equal an echoed entry of `accepts`; undefined when none do. */
export function findAcceptedTerms(
  challenges: readonly Challenge[],
  accepted: Readonly<Record<string, unknown>>,
): X402Terms | undefined {
  return challenges
    .map(({ terms }) => terms)
    .filter(isTerms)
    .find(({ accepts: [requirements] }) =>
      COMPARED.every((field) => {
        const echoed = accepted[field];
        return typeof echoed === 'string' && isSameText(echoed, requirements[field]);
      }),
    );
}

/**
 * Finds the stored terms that a payload of version 1 pays, which names the network alone: those that fit its
 * authorization, or else the newest of the network, whose check then names what differs.
 */
export function findTermsOnNetwork(
  challenges: readonly Challenge[],
  network: string,
  { to, value }: Pick<Authorization, 'to' | 'value'>,
): X402Terms | undefined {
  const known = challenges
    .map(({ terms }) => terms)
    .filter(isTerms)
    .filter(({ accepts: [asked] }) => asked.network === network);
  return (
    known.find(({ accepts: [asked] }) => isSameText(asked.payTo, to) && asked.amount === value) ?? known[0]
  );
}

/**
 * Says why an echoed entry of `accepts` equals none of the stored terms: names the fields that differ from the
 * newest.
 */
export function explainNotAccepted(
  challenges: readonly Challenge[],
  accepted: Readonly<Record<string, unknown>>,
): string {
  const requirements = challenges.map(({ terms }) => terms).find(isTerms)?.accepts[0];
  const differing = COMPARED.filter((field) => {
    const echoed = accepted[field];
    return (
      requirements === undefined || typeof echoed !== 'string' || !isSameText(echoed, requirements[field])
    );
  });
  return `\`accepted\` differs from the terms of this invoice in ${differing.join(', ')}`;
}

export function isTerms(terms: unknown): terms is X402Terms {
  return typeof terms === 'object' && terms !== null && 'accepts' in terms && 'resource' in terms;
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const NONCE = /^0x[0-9a-f]{64}$/i;
const SIGNATURE = /^0x[0-9a-f]{130}$/i;
/** Base units, without leading zeros. */
const DIGITS = /^(?:0|[1-9]\d*)$/;
const SECONDS = /^\d{1,15}$/;

/** Says why an authorization cannot pay the terms; undefined when it can. The caller checks the signer. */
export function explainUnfit(
  requirements: Requirements,
  authorization: Authorization,
  nowS: number,
): string | undefined {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if (!ADDRESS.test(from)) return 'the payer is not an address';
  if (!isSameText(to, requirements.payTo))
    return `it pays ${toPrintable(to)} instead of ${requirements.payTo}`;
  if (!DIGITS.test(value)) return `its value must be decimal digits, such as ${requirements.amount}`;
  if (value !== requirements.amount)
    return `it pays ${toPrintable(value)} base units instead of ${requirements.amount}`;
  if (!NONCE.test(nonce)) return 'the nonce is not 32 bytes';
  if (!SECONDS.test(validAfter) || !SECONDS.test(validBefore))
    return 'validAfter and validBefore must be whole seconds since the epoch';
  if (Number(validAfter) > nowS) return 'it is not valid yet';
  if (Number(validBefore) <= nowS) return 'it has expired';
  if (Number(validBefore) > nowS + requirements.maxTimeoutSeconds + CLOCK_SKEW_S)
    return `it is valid for more than ${requirements.maxTimeoutSeconds} seconds from now`;
  return undefined;
}

export function isSignature(signature: string): signature is `0x${string}` {
  return SIGNATURE.test(signature);
}

export function createRefusedVerdict(reason: string): Refused {
  return { kind: 'refused', code: 'payment_refused', reason };
}

/** Makes foreign text safe for our messages: printable ASCII, at most 80 characters. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
