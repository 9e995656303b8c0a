/** A local chain with the test token, a facilitator, a wallet that pays and one that is paid; one per test file. */
import { after } from 'node:test';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client, x402HTTPClient } from '@x402/fetch';
import { createPublicClient, getAddress, http, parseUnits, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { startAnvil } from '#adapters/x402/anvil.ts';
import { startFacilitator, type RunningFacilitator } from '#adapters/x402/facilitator.ts';
import type { X402Options } from '#adapters/x402/rail.ts';
import {
  LOCAL_TOKEN,
  createLocalClient,
  mintTestToken,
  placeTestToken,
  tokenAbi,
} from '#adapters/x402/test-token.ts';

export interface TestChain {
  readonly rpcUrl: string;
  readonly facilitator: RunningFacilitator;
  readonly facilitatorKey: Hex;
  readonly payer: PrivateKeyAccount;
  readonly payTo: Address;
  /** The wallet that is paid. */
  readonly lab: PrivateKeyAccount;
  /** What the service is told about this chain. */
  readonly options: X402Options;
  readonly client: ReturnType<typeof createLocalClient>;
  readonly readBalance: (address: Address) => Promise<bigint>;
  /** Every transfer to the lab, oldest first, as `payer/value`. */
  readonly listReceived: () => Promise<
    { readonly from: string; readonly value: bigint; readonly txHash: Hex }[]
  >;
  /** A wallet with ten million test dollars. */
  readonly createWallet: () => Promise<PrivateKeyAccount>;
}

const FUNDS = parseUnits('10000000', LOCAL_TOKEN.decimals);

export async function testChain(): Promise<TestChain> {
  const anvil = await startAnvil({ chainId: 84_532 });
  const opened: { facilitator?: RunningFacilitator } = {};
  after(async () => {
    await opened.facilitator?.close();
    await anvil.stop();
  });
  const { rpcUrl } = anvil;
  await placeTestToken(rpcUrl);
  const client = createLocalClient(rpcUrl);
  const facilitatorKey = generatePrivateKey();
  const gas = privateKeyToAccount(facilitatorKey).address;
  await client.setBalance({ address: gas, value: parseUnits('1000', 18) });
  const facilitator = await startFacilitator({
    network: LOCAL_TOKEN.network,
    rpcUrl,
    key: facilitatorKey,
    host: '127.0.0.1',
    port: 0,
  });
  opened.facilitator = facilitator;
  const wallet = async (): Promise<PrivateKeyAccount> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await mintTestToken(rpcUrl, account.address, FUNDS);
    return account;
  };
  const lab = privateKeyToAccount(generatePrivateKey());
  await client.setBalance({ address: lab.address, value: parseUnits('1', 18) });
  const payTo = lab.address;
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const asset = getAddress(LOCAL_TOKEN.asset);
  return {
    rpcUrl,
    facilitator,
    facilitatorKey,
    payer: await wallet(),
    payTo,
    lab,
    client,
    options: {
      token: LOCAL_TOKEN,
      payTo,
      rpcUrl,
      confirmations: 1,
      facilitatorUrl: facilitator.url,
      facilitatorToken: null,
    },
    readBalance: (address) =>
      reader.readContract({ abi: tokenAbi, address: asset, functionName: 'balanceOf', args: [address] }),
    listReceived: async () => {
      const logs = await reader.getLogs({
        address: asset,
        event: tokenAbi[5],
        args: { to: payTo },
        fromBlock: 0n,
        strict: true,
      });
      return logs.map(({ args, transactionHash }) => ({
        from: args.from,
        value: args.value,
        txHash: transactionHash,
      }));
    },
    createWallet: wallet,
  };
}

/** The low-level client that keeps a signature: the header PAYMENT-SIGNATURE for a challenge. */
export async function createSignature(account: PrivateKeyAccount, challenge: string): Promise<string> {
  const client = new x402HTTPClient(createGenerousClient(account));
  const required = client.getPaymentRequiredResponse((name) =>
    name.toLowerCase() === 'payment-required' ? challenge : null,
  );
  const headers = client.encodePaymentSignatureHeader(await client.createPaymentPayload(required));
  const signature = headers['PAYMENT-SIGNATURE'];
  if (signature === undefined) throw new Error('the client made no signature');
  return signature;
}

/** The unmodified client with the spend limit that the guide tells callers to set. */
export function createGenerousClient(account: PrivateKeyAccount): x402Client {
  return x402Client.fromConfig({
    schemes: [{ network: LOCAL_TOKEN.network, client: new ExactEvmScheme(account) }],
    spendControls: { maxAmountPerPayment: '$5000' },
  });
}
