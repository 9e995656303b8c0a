/** Paying with shared payment tokens in a sandbox: by the command line, and by the program in the guide as it stands. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';
import { runGuideProgram } from './guide-program.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-pay-token-'));
const server: ServiceProcess = await startProcess(dataDir);
after(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function expectOk(promise: Promise<CliAnswer>): Promise<string> {
  const answer = await promise;
  assert.equal(answer.code, 0, answer.err);
  return answer.out.trim();
}

async function createOrder(): Promise<string> {
  const args = ['submit', 'examples/designs.fasta', '--target', 'EGFR', '--accept', '--json'];
  const out = await expectOk(runAssayer([...args, '--payment-method', 'mpp-spt'], { server }));
  const code = /"experiment_code": "([^"]+)"/.exec(out)?.[1];
  assert.ok(code !== undefined, out);
  return code;
}

const mint = (...options: string[]) =>
  expectOk(runAssayer(['sandbox', 'mint-payment-token', '--fields', 'spt', '--yes', ...options], { server }));

test('assayer pay --spt: a declined token, one that is too small, a good one twice → refused, refused, one payment', async () => {
  const code = await createOrder();
  const pay = (...options: string[]) => runAssayer(['pay', code, '--yes', ...options], { server });
  assert.match((await pay()).err, /--spt gives the token/);
  const declined = await pay('--spt', await mint('--behavior', 'declines', '--max-amount-cents', '9999900'));
  assert.equal(declined.code, 1);
  assert.match(declined.err, /declined/);
  assert.match(
    (await pay('--spt', await mint('--max-amount-cents', '100'))).err,
    /maximum amount of the token is below the total/,
  );
  const token = await mint('--max-amount-cents', '9999900');
  assert.match((await pay('--spt', token, '--max-usd', '1')).err, /nothing was sent/);
  const unasked = await runAssayer(['pay', code, '--spt', token], { server });
  assert.equal(unasked.code, 2);
  assert.match(
    unasked.err,
    /^Pay INV-\S+ of \$[\d,.]+ for \S+ with this token\? Nothing was changed: .* add --yes/,
  );
  assert.match(await expectOk(pay('--spt', token)), /^INV-\d{4}-\d{5} is paid \(pi_test_[0-9a-f]{32}\)\.$/);
  assert.match(await expectOk(pay('--spt', await mint('--max-amount-cents', '100000'))), /is paid/);
});

test('assayer submit, accept: an order paid by card → names assayer pay; --pay pays it with a test card', async () => {
  const args = ['submit', 'examples/designs.fasta', '--target', 'EGFR', '--payment-method', 'mpp-spt'];
  assert.match(await expectOk(runAssayer([...args, '--accept'], { server })), /assayer pay \S+ --spt TOKEN/);
  const both = await expectOk(runAssayer([...args, '--accept', '--pay'], { server }));
  assert.match(both, /Invoice {5}INV-\S+, paid\nNext {8}assayer watch/);
  const code = /Experiment\s+(\S+)/.exec(await expectOk(runAssayer(args, { server })))?.[1] ?? '';
  assert.match(
    await expectOk(runAssayer(['accept', code, '--yes'], { server })),
    new RegExp(`Next: assayer pay ${code} --spt`),
  );
  const other = /Experiment\s+(\S+)/.exec(await expectOk(runAssayer(args, { server })))?.[1] ?? '';
  assert.match(
    await expectOk(runAssayer(['accept', other, '--pay', '--yes'], { server })),
    new RegExp(`is paid\\. Next: assayer watch ${other}`),
  );
});

test('assayer sandbox: an unknown command or a bad amount → exit code 2 and a sentence', async () => {
  const wrong = await runAssayer(['sandbox', 'mint'], { server });
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /has no "mint" \(did you mean "mint-payment-token"\?\)/);
  assert.equal(
    (await runAssayer(['sandbox', 'mint-payment-token', '--max-amount-cents', 'much'], { server })).code,
    2,
  );
});

test('guide: its program for mpp-spt runs unchanged → pays the invoice', async () => {
  const found = await fetch(`${server.url}/api/v1/experiments/${await createOrder()}/invoice`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const invoice: { readonly invoice_id: string } = JSON.parse(await found.text());
  const out = await runGuideProgram('paying.md', 'mppx/client', {
    URL: `${server.url}/api/v1`,
    TOKEN: server.token,
    INVOICE: invoice.invoice_id,
  });
  assert.match(out, /^200 \{/);
  assert.match(out, /status: 'paid'/);
});
