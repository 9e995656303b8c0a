/** `assayer start --with-chain`: one command brings all that paying over x402 takes, and a restart keeps it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VHH } from '#testing/builders.ts';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';
import { runGuideProgram } from './guide-program.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-chain-'));
const keyFile = join(dataDir, 'chain', 'demo-wallet.key');
let running: ServiceProcess | undefined;
after(async () => {
  await running?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  running = await startProcess(dataDir, { SANDBOX_CHAIN: '1' });
  return running;
}

async function expectOk(promise: Promise<CliAnswer>): Promise<string> {
  const answer = await promise;
  assert.equal(answer.code, 0, answer.err);
  return answer.out;
}

async function orderByMachine(server: ServiceProcess, designs = 'examples/designs.fasta'): Promise<string> {
  const args = ['submit', designs, '--target', 'EGFR', '--accept', '--json'];
  const out = await expectOk(runAssayer([...args, '--payment-method', 'x402-exact'], { server }));
  const code = /"experiment_code": "([^"]+)"/.exec(out)?.[1];
  assert.ok(code !== undefined, out);
  return code;
}

/** The program of the guide for the published client, as it stands there. */
async function payByGuide(server: ServiceProcess, code: string): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}` };
  const find = async (): Promise<{ readonly invoice_id: string; readonly status: string }> =>
    JSON.parse(await (await fetch(`${server.url}/api/v1/experiments/${code}/invoice`, { headers })).text());
  const { invoice_id: id } = await find();
  const out = await runGuideProgram('paying.md', '@x402/fetch', {
    KEY_FILE: keyFile,
    PAY_URL: `${server.url}/api/v1/invoices/${id}/pay`,
    TOKEN: server.token,
  });
  assert.match(out, /^200 \{/);
  assert.match(out, /already_paid: false/);
  assert.match(out, /tx_hash: '0x[0-9a-f]{64}'/);
  assert.equal((await find()).status, 'paid');
}

test(
  'assayer start --with-chain: pay by wallet and by the guide’s program, then restart → one payment each, and the state is kept',
  { timeout: 900_000 },
  async () => {
    let server = await start();
    for (const name of readdirSync(join(dataDir, 'chain')).filter((file) => file.endsWith('.key')))
      assert.equal(statSync(join(dataDir, 'chain', name)).mode & 0o777, 0o600, name);
    const first = await orderByMachine(server);
    const pay = (code: string, ...more: string[]) =>
      runAssayer(['pay', code, '--key-file', keyFile, ...more], { server });
    const unlimited = await pay(first);
    assert.equal(unlimited.code, 2);
    assert.match(unlimited.err, /Pay .* on .*add --yes/);
    const tooMuch = await pay(first, '--max-usd', '1');
    assert.equal(tooMuch.code, 1);
    assert.match(tooMuch.err, /nothing was sent/);
    assert.match(await expectOk(pay(first, '--max-usd', '50000')), /is paid \(0x[0-9a-f]{64}\)/);
    assert.match(await expectOk(pay(first, '--max-usd', '50000')), /is paid/);
    assert.deepEqual(
      readdirSync(join(dataDir, 'chain')).filter((file) => file.endsWith('.signature')),
      [],
    );

    // Within the spend limit that the guide sets.
    const small = join(dataDir, 'small.fasta');
    writeFileSync(small, `>one\n${VHH}\n`);
    await payByGuide(server, await orderByMachine(server, small));

    const second = await orderByMachine(server);
    assert.equal(await server.stop(), 0);
    server = await start();
    assert.match(await expectOk(pay(second, '--max-usd', '50000')), /is paid/);

    // Killed outright, it leaves neither chain nor facilitator behind.
    await server.kill();
    server = await start();
    const third = await orderByMachine(server);
    assert.match(await expectOk(pay(third, '--max-usd', '50000')), /is paid/);
    assert.equal(await server.stop(), 0);
    running = undefined;
  },
);
