import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createApi } from './api.ts';
import { payFromWallet } from './pay-x402.ts';

const INVOICE = '00000000-0000-4000-8000-000000000001';

interface Reply {
  readonly status: number;
  readonly code?: string;
}

/** Pays with a signature that was kept, at a service that gives these answers in turn. */
async function payWithKept(context: TestContext, replies: readonly Reply[]) {
  const sent: unknown[] = [];
  const server = createServer((request, response) => {
    const { status, code } = replies[sent.length] ?? { status: 500 };
    sent.push(request.headers['payment-signature']);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code, error: 'A sentence.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const directory = mkdtempSync(join(tmpdir(), 'assayer-wallet-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const keyFile = join(directory, 'key');
  const kept = `${keyFile}.${INVOICE}.signature`;
  writeFileSync(kept, 'signed\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listening TCP server has this form of address
  const { port } = server.address() as AddressInfo;
  const paying = payFromWallet(
    createApi({ url: `http://127.0.0.1:${port}`, token: 'token' }),
    { id: INVOICE, total_cents: 100 },
    { keyFile, isAllowed: true, anyToken: false },
  );
  const error = await paying.then(
    () => null,
    (failure: unknown) => String(failure),
  );
  return { sent, error, isKept: existsSync(kept) };
}

test('payment_in_progress: another signature is being settled → the same one is kept and sent again', async (context) => {
  const outcome = await payWithKept(context, [{ status: 402, code: 'payment_in_progress' }, { status: 200 }]);
  assert.deepEqual(outcome, { sent: ['signed', 'signed'], error: null, isKept: false });
});

test('payment_refused: the signature is of no more use → it is discarded, and a new one is advised', async (context) => {
  const { sent, error, isKept } = await payWithKept(context, [{ status: 402, code: 'payment_refused' }]);
  assert.deepEqual(sent, ['signed']);
  assert.match(error ?? '', /A sentence\. Run the command again to sign a new authorization\./);
  assert.equal(isKept, false);
});

test('payment_credential_mismatch: the service answers something else → the signature is kept', async (context) => {
  const { error, isKept } = await payWithKept(context, [
    { status: 409, code: 'payment_credential_mismatch' },
  ]);
  assert.match(error ?? '', /A sentence\./);
  assert.equal(isKept, true);
});
