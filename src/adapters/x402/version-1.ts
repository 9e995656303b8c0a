/**
 * Version 1 of x402, whose clients read the terms in the body of a 402, name networks by words and send `X-PAYMENT`.
 * What they sign is the same EIP-3009 authorization, so everything after the credential is read is as in version 2.
 */
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1';
import type { X402Terms } from '#features/payments/x402-rules.ts';

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(EVM_NETWORK_CHAIN_ID_MAP).map(([name, chainId]) => [`eip155:${chainId}`, name]),
);

/** Finds the word of version 1 for a network; undefined for networks that it does not know. */
export function findNetworkName(network: string): string | undefined {
  return NAMES.get(network);
}

/** The terms as version 1 writes them; empty for a network that it cannot name. */
export function describeInVersion1({
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
export function findNetwork(name: string): string | undefined {
  return [...NAMES].find(([, known]) => known === name)?.[0];
}
