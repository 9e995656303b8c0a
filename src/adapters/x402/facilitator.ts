/**
 * A stand-alone x402 facilitator for one network: `POST /verify`, `POST /settle`, `GET /supported`. It has a hot
 * wallet that pays the gas. Run one process per key: the nonces of its transactions are counted in memory, so two
 * processes with one key would reuse each other's nonces.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { x402Facilitator } from '@x402/core/facilitator';
import { parsePaymentPayload, parsePaymentRequirements } from '@x402/core/schemas';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, publicActions, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { parseChainId, X402_VERSION } from '#features/payments/x402-rules.ts';
import { createNonces, type Nonces } from './nonces.ts';

const BODY_BYTES_MAX = 64 * 1024;
const RPC_TIMEOUT_MS = 10_000;
const CONFIRMATION_TIMEOUT_MS = 15_000;
const POLL_MS = 50;

export interface FacilitatorOptions {
  readonly network: Network;
  readonly rpcUrl: string;
  /** The key of the wallet that pays the gas. */
  readonly key: Hex;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

export interface RunningFacilitator {
  readonly url: string;
  readonly address: string;
  close(): Promise<void>;
}

export async function startFacilitator(options: FacilitatorOptions): Promise<RunningFacilitator> {
  const { facilitator, nonces, address } = createFacilitator(options);
  const server = createServer((request, response) => {
    answer(facilitator, nonces, request)
      .catch((error: unknown): Answer => ({ status: 500, body: { error: String(error) } }))
      .then(
        (answer) => send(response, answer),
        () => response.destroy(),
      );
  });
  const port = await listen(server, options);
  return {
    url: `http://${options.host}:${port}`,
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createFacilitator({ network, rpcUrl, key }: FacilitatorOptions) {
  const nonces = createNonces();
  const account = privateKeyToAccount(key, { nonceManager: nonces.manager });
  const chain = defineChain({
    id: parseChainId(network),
    name: network,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createWalletClient({
    account,
    chain,
    pollingInterval: POLL_MS,
    transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS }),
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the library documents it; its types are looser
    { ...client, address: account.address } as unknown as Parameters<typeof toFacilitatorEvmSigner>[0],
    { confirmationTimeoutMs: CONFIRMATION_TIMEOUT_MS },
  );
  const facilitator = new x402Facilitator().register(network, new ExactEvmScheme(signer));
  return { facilitator, nonces, address: account.address };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function answer(
  facilitator: x402Facilitator,
  nonces: Nonces,
  request: IncomingMessage,
): Promise<Answer> {
  const place = `${request.method} ${request.url}`;
  if (place === 'GET /supported') return { status: 200, body: facilitator.getSupported() };
  if (place !== 'POST /verify' && place !== 'POST /settle')
    return { status: 404, body: { error: 'only POST /verify, POST /settle and GET /supported are served' } };
  const parsed = parseRequest(await readText(request));
  if (parsed === undefined)
    return { status: 400, body: { error: 'paymentPayload and paymentRequirements are required' } };
  const { payload, requirements } = parsed;
  const body =
    place === 'POST /verify'
      ? await facilitator.verify(payload, requirements)
      : await nonces.send(() => facilitator.settle(payload, requirements));
  return { status: 200, body };
}

function parseRequest(
  text: string,
): { readonly payload: PaymentPayload; readonly requirements: PaymentRequirements } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('paymentPayload' in body) || !('paymentRequirements' in body)) return undefined;
  const payload = parsePaymentPayload(body.paymentPayload);
  const requirements = parsePaymentRequirements(body.paymentRequirements);
  if (!payload.success || !requirements.success) return undefined;
  if (payload.data.x402Version !== X402_VERSION || !('amount' in requirements.data)) return undefined;
  // oxlint-disable typescript/no-unsafe-type-assertion -- the schema of version 2 was held against both
  return {
    payload: payload.data as PaymentPayload,
    requirements: requirements.data as PaymentRequirements,
  };
  // oxlint-enable typescript/no-unsafe-type-assertion
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

function listen(server: Server, { host, port }: FacilitatorOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
