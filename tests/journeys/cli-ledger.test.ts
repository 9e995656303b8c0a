/** `assayer ledger check` as an operator runs it: on a running and a stopped sandbox with its own chain, and with nobody to ask. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startAnvil, type Anvil } from '#adapters/x402/anvil.ts';
import { buildChainVariables } from '#testing/ledger.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { buildStripeVariables } from '#testing/stripe/service.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const NOBODY = 'http://127.0.0.1:9';
const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-ledger-'));
const dataDir = join(folder, 'data');
const running: { service?: ServiceProcess; anvil?: Anvil } = {};
before(async () => {
  running.service = await startProcess(dataDir, { SANDBOX_CHAIN: '1' });
});
after(async () => {
  await running.service?.stop();
  await running.anvil?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function check(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<CliAnswer> {
  return runAssayer(['ledger', 'check', '--data-dir', dataDir, ...args], { env });
}

test('operator commands: a service runs on the embedded database → each works, and the service goes on', async () => {
  const { service } = running;
  assert.ok(service !== undefined);
  const whoami = () =>
    fetch(`${service.url}/api/v1/whoami`, { headers: { authorization: `Bearer ${service.token}` } });
  const expectations: readonly (readonly [args: readonly string[], out: RegExp])[] = [
    [['admin', 'make-staff', 'demo@example.org'], /^demo@example\.org is already of the staff\.\n$/],
    [['admin', 'sign-in-link', 'demo@example.org'], /\/sign-in\/link\/[\w-]{32}\n$/],
    [['audit', 'verify'], /^The audit trail is intact: /],
    [['migrate'], /^The schema is up to date\.\n$/],
    [['keys', 'rotate'], /^New tokens are signed by the key /],
  ];
  for (const [args, out] of expectations) {
    const answer = await runAssayer([...args, '--data-dir', dataDir]);
    assert.equal(answer.code, 0, `${args.join(' ')}: ${answer.err}`);
    assert.match(answer.out, out);
  }
  assert.equal((await whoami()).status, 200);
});

test('assayer ledger check: a sandbox paid on its own chain, running and stopped → clean; against another chain → a finding', async () => {
  const { service } = running;
  assert.ok(service !== undefined);
  const client = async (...args: string[]): Promise<string> => {
    const answer = await runAssayer(args, { server: service, input: '>one\nACDEFGHIKLMNPQRSTVWY\n' });
    assert.equal(answer.code, 0, answer.err);
    return answer.out;
  };
  const machine = ['--accept', '--payment-method', 'x402-exact', '--json'];
  const ordered = await client('submit', '-', '--target', 'EGFR', '--type', 'screening', ...machine);
  const code = /[A-Z]+-\d{3}-\d{3}/.exec(ordered)?.[0] ?? '';
  const homeless = await runAssayer(['accept', code, '--pay'], { server: service });
  assert.equal(homeless.code, 2);
  assert.match(homeless.err, /no key file .*demo-wallet\.key.*--key-file/);
  // Its wallet is found in the data directory, and the second time nothing is paid again.
  for (const _time of ['first', 'second'])
    assert.match(await client('accept', code, '--pay', '--yes', '--data-dir', dataDir), /is paid/);
  const whileRunning = await check();
  assert.equal(whileRunning.code, 0, whileRunning.out + whileRunning.err);
  assert.match(whileRunning.out, /x402-exact +received +1 +\$212\.00 +eip155:84532 +1 +\$212\.00 +\$0\.00\n/);
  assert.equal(await service.stop(), 0);
  delete running.service;

  const clean = await check();
  assert.equal(clean.code, 0, clean.err);
  assert.match(
    clean.out,
    /x402-exact +received +1 +\$212\.00 +eip155:84532 +1 +\$212\.00 +\$0\.00\n[^]*The books are correct: debits/,
  );
  const report = JSON.parse((await check(['--json'])).out);
  assert.deepEqual([report.findings, report.not_compared, report.rails.length], [[], [], 1]);

  running.anvil = await startAnvil({ chainId: 84_532 });
  const options = { rpcUrl: running.anvil.rpcUrl, facilitatorUrl: NOBODY };
  const wrong = await check([], buildChainVariables({ options, payTo: `0x${'1'.repeat(40)}` }));
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /posted and not collected: [^]*shows no such payment under 0x/);
  assert.match(wrong.err, /The books have 1 error/);
});

test('assayer ledger check: a processor does not answer → exit code 3 names it; --offline → 0; a wrong date → 2', async () => {
  const silent = await check([], buildStripeVariables(NOBODY));
  assert.equal(silent.code, 3, silent.out);
  assert.match(silent.out, /stripe at Stripe was not compared: list invoices/);
  assert.match(silent.out, /The books by themselves are correct/);
  assert.match(silent.err, /could not be compared with the outside of stripe, mpp-spt/);
  const offline = await check(['--offline'], buildStripeVariables(NOBODY));
  assert.equal(offline.code, 0, offline.err);
  assert.match(offline.out, /x402-exact was not compared: --offline was given/);
  for (const wrong of ['yesterday', '2026-02-31']) assert.equal((await check(['--since', wrong])).code, 2);
  assert.match(
    (await check(['--since', '2999-01-01', '--offline'])).out,
    /No money has moved since 2999-01-01/,
  );
});
