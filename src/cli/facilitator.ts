/** `assayer facilitator`: submits x402 payments to a chain until it is stopped. */
import { startFacilitator } from '#adapters/x402/facilitator.ts';
import { CommandError } from './command-error.ts';
import { readKeyFile } from './key-file.ts';
import type { Parsed } from './options.ts';

export const guide = {
  name: 'facilitator',
  usage: ['--network NETWORK --rpc-url URL --key-file FILE [--port N] [--host ADDRESS]'],
  about: `Serves /verify, /settle and /supported of x402 (exact, EIP-3009) for one network. The wallet of the key pays the gas.
Run one process for each key: it counts the nonces of its transactions itself.`,
  options: {
    'network NETWORK': 'such as eip155:8453',
    'rpc-url URL': 'JSON-RPC of the network',
    'key-file FILE': 'private key, 64 hexadecimal digits; only its owner should be able to read it',
    'port N': 'port to listen on; default 4022',
    'host ADDRESS': 'address to listen on; default 127.0.0.1',
    tied: 'end when standard input closes',
  },
  notes: 'Set X402_FACILITATOR_URL of the service to its address.',
};

const DEFAULT_PORT = '4022';

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { network = '', 'rpc-url': rpcUrl = '', 'key-file': keyFile = '', port = DEFAULT_PORT } = values;
  if (!/^eip155:[1-9]\d{0,14}$/.test(network))
    throw new CommandError('--network must be an EVM network such as eip155:8453.', 2);
  if (!URL.canParse(rpcUrl)) throw new CommandError('--rpc-url must be an http or https address.', 2);
  if (!/^\d{1,5}$/.test(port)) throw new CommandError('--port must be a number.', 2);
  const facilitator = await startFacilitator({
    network: `eip155:${Number(network.slice('eip155:'.length))}`,
    rpcUrl,
    key: readKeyFile(keyFile),
    host: values.host ?? '127.0.0.1',
    port: Number(port),
  });
  console.log(`The facilitator of ${network} is at ${facilitator.url}; ${facilitator.address} pays the gas.`);
  await stopAsked(values.tied === true);
  await facilitator.close();
}

function stopAsked(isTied: boolean): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    if (isTied) process.stdin.resume().once('end', () => resolve());
  });
}
