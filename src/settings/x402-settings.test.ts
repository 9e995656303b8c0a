import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const WHOLE = {
  X402_NETWORK: 'eip155:8453',
  X402_ASSET: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  X402_ASSET_NAME: 'USD Coin',
  X402_ASSET_VERSION: '2',
  X402_PAY_TO: '0x1111111111111111111111111111111111111111',
  X402_RPC_URL: 'https://rpc.example.org/key',
  X402_FACILITATOR_URL: 'https://facilitator.example.org/',
};

test('x402 settings: none → no rail; all → the rail', () => {
  assert.equal(readSettings({}).x402, null);
  const x402 = readSettings(WHOLE).x402;
  assert.equal(x402?.token.decimals, 6);
  assert.equal(x402?.facilitatorUrl, 'https://facilitator.example.org');
  assert.equal(x402?.confirmations, 1);
});

test('x402 settings: half of them → the start is refused and names what is missing', () => {
  for (const name of Object.keys(WHOLE)) {
    assert.throws(() => readSettings({ ...WHOLE, [name]: '' }), {
      name: 'SettingsError',
      message: `x402-exact needs all of its settings; missing: ${name}.`,
    });
  }
});

test('x402 settings: any wrong value → one sentence that names it and repeats no secret', () => {
  const wrong: Readonly<Record<string, string>> = {
    X402_NETWORK: 'base',
    X402_ASSET: '0x12',
    X402_PAY_TO: '0x0000000000000000000000000000000000000000',
    X402_RPC_URL: 'secret-key',
    X402_FACILITATOR_URL: 'ftp://secret-key',
    X402_DECIMALS: '1',
    X402_CONFIRMATIONS: '0',
    X402_FACILITATOR_TOKEN: 'secret-key ',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const read = () => readSettings({ ...WHOLE, [name]: value });
    assert.throws(read, ({ message }: Error) => message.startsWith(name) && !message.includes('secret-key'));
  }
});

test('SANDBOX_CHAIN: live, or beside a real network → refused', () => {
  assert.equal(readSettings({}).sandboxChain, false);
  assert.equal(readSettings({ SANDBOX_CHAIN: '1' }).sandboxChain, true);
  const refused: Readonly<Record<string, string>>[] = [
    { SANDBOX_CHAIN: 'yes' },
    { SANDBOX_CHAIN: '1', ENVIRONMENT: 'live' },
    { SANDBOX_CHAIN: '1', ...WHOLE },
  ];
  for (const variables of refused)
    assert.throws(() => readSettings(variables), { name: 'SettingsError', message: /^SANDBOX_CHAIN / });
});
