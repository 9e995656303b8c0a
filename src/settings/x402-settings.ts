/** The settings of the payment rail x402-exact: one token on one network, and its facilitator. */
import { type ReadText, type ReadWhole, SettingsError, type Setting } from './setting.ts';

export interface X402Settings {
  readonly token: {
    readonly network: `eip155:${number}`;
    readonly asset: string;
    readonly name: string;
    readonly version: string;
    readonly decimals: number;
  };
  readonly payTo: string;
  readonly rpcUrl: string;
  readonly confirmations: number;
  readonly facilitatorUrl: string;
  readonly facilitatorToken: string | null;
}

export const x402SettingList: readonly Setting[] = [
  {
    name: 'X402_NETWORK',
    fallback: '',
    meaning: 'serves the rail x402-exact on this network, such as eip155:8453',
  },
  { name: 'X402_ASSET', fallback: '', meaning: 'address of the token, which must support EIP-3009' },
  { name: 'X402_ASSET_NAME', fallback: '', meaning: 'name in the EIP-712 domain of the token' },
  { name: 'X402_ASSET_VERSION', fallback: '', meaning: 'version in the EIP-712 domain of the token' },
  {
    name: 'X402_DECIMALS',
    fallback: '6',
    meaning: 'decimals of the token, 2 to 18; one token is one US dollar',
  },
  { name: 'X402_PAY_TO', fallback: '', meaning: 'address of the wallet that is paid' },
  {
    name: 'X402_RPC_URL',
    fallback: '',
    isSecret: true,
    meaning: 'JSON-RPC of the network: what it says is true',
  },
  {
    name: 'X402_FACILITATOR_URL',
    fallback: '',
    isSecret: true,
    meaning: 'facilitator that carries payments to the network',
  },
  {
    name: 'X402_FACILITATOR_TOKEN',
    fallback: '',
    isSecret: true,
    meaning: 'bearer token for the facilitator',
  },
  {
    name: 'X402_CONFIRMATIONS',
    fallback: '1',
    meaning: 'confirmations of a payment, its own block included, before it counts',
  },
  {
    name: 'SANDBOX_CHAIN',
    fallback: '0',
    meaning: '1: a sandbox brings its own chain, facilitator and demo wallet (assayer start --with-chain)',
  },
];

const REQUIRED = [
  'X402_NETWORK',
  'X402_ASSET',
  'X402_ASSET_NAME',
  'X402_ASSET_VERSION',
  'X402_PAY_TO',
  'X402_RPC_URL',
  'X402_FACILITATOR_URL',
] as const;

/** Null: the rail is not served. An incomplete set is an error. */
export function readX402Settings(readText: ReadText, readWhole: ReadWhole): X402Settings | null {
  const decimals = readWhole('X402_DECIMALS', 2, 18);
  const confirmations = readWhole('X402_CONFIRMATIONS', 1, 1_000);
  const facilitatorToken = readText('X402_FACILITATOR_TOKEN');
  const missing = REQUIRED.filter((name) => readText(name) === '');
  if (missing.length === REQUIRED.length && facilitatorToken === '') return null;
  if (missing.length > 0)
    throw new SettingsError(`x402-exact needs all of its settings; missing: ${missing.join(', ')}.`);
  if (!/^[\x21-\x7e]*$/.test(facilitatorToken))
    throw new SettingsError('X402_FACILITATOR_TOKEN must be printable and without spaces.');
  return {
    token: {
      network: parseNetwork(readText('X402_NETWORK')),
      asset: parseAddress('X402_ASSET', readText('X402_ASSET')),
      name: readText('X402_ASSET_NAME'),
      version: readText('X402_ASSET_VERSION'),
      decimals,
    },
    payTo: parseAddress('X402_PAY_TO', readText('X402_PAY_TO')),
    rpcUrl: parseHttp('X402_RPC_URL', readText('X402_RPC_URL')),
    confirmations,
    facilitatorUrl: parseHttp('X402_FACILITATOR_URL', readText('X402_FACILITATOR_URL')).replace(/\/+$/, ''),
    facilitatorToken: facilitatorToken === '' ? null : facilitatorToken,
  };
}

/** The sandbox's chain replaces all X402 settings, and is not allowed with real money. */
export function readSandboxChain(readText: ReadText): boolean {
  const value = readText('SANDBOX_CHAIN');
  if (value !== '0' && value !== '1')
    throw new SettingsError(`SANDBOX_CHAIN must be 0 or 1; it is "${value}".`);
  if (value === '0') return false;
  if (readText('ENVIRONMENT') !== 'sandbox')
    throw new SettingsError('SANDBOX_CHAIN is for a sandbox; a live environment is paid on a real network.');
  if (readText('X402_NETWORK') !== '')
    throw new SettingsError('SANDBOX_CHAIN and X402_NETWORK exclude each other; set one of them.');
  return true;
}

function parseNetwork(value: string): `eip155:${number}` {
  const match = /^eip155:([1-9]\d{0,14})$/.exec(value);
  if (match === null)
    throw new SettingsError(`X402_NETWORK must be an EVM network such as eip155:8453; it is "${value}".`);
  return `eip155:${Number(match[1])}`;
}

function parseAddress(name: string, value: string): string {
  if (!/^0x[0-9a-f]{40}$/i.test(value) || /^0x0{40}$/.test(value))
    throw new SettingsError(`${name} must be an address of 0x and 40 hexadecimal digits; it is "${value}".`);
  return value;
}

/** The address often contains a key, so messages do not repeat it. */
function parseHttp(name: string, value: string): string {
  const isHttp = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  if (!isHttp) throw new SettingsError(`${name} must be an http or https address.`);
  return value;
}
