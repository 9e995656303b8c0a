/** A client that goes away while its document waits or is drawn: whoever draws it is told, at every door. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { DocumentWaiter } from '#documents/document.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { formatRequest, openRaw } from '#testing/raw-http.ts';
import { getText, testService } from '#testing/service.ts';
import { sharedThreads } from '#testing/shared-threads.ts';

interface Drawing {
  readonly waiter: DocumentWaiter;
  readonly finish: (bytes: Uint8Array) => void;
  readonly fail: (error: Error) => void;
}

const begun: Drawing[] = [];
let takeNext: (() => void) | undefined;
const documents = {
  render: (_document: unknown, waiter: DocumentWaiter) =>
    new Promise<Uint8Array>((finish, fail) => {
      begun.push({ waiter, finish, fail });
      takeNext?.();
    }),
  close: () => Promise.resolve(),
};
const world = await testService({}, { threads: { ...sharedThreads, documents } });
const { ask, token, service } = world;
const { createInvoiced } = await createBuilders(world);
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port);
const { organizationId } = service.founder;
after(() => begun.forEach(({ fail }) => fail(new Error('the test is over'))));

async function awaitDrawing(): Promise<Drawing> {
  if (begun.length === 0) await new Promise<void>((resolve) => (takeNext = resolve));
  const [drawing] = begun.splice(0, 1);
  assert.ok(drawing !== undefined);
  return drawing;
}

const { invoiceId } = await createInvoiced();
const bearer = `Authorization: Bearer ${token}`;
const pay = getText(expectStatus(await ask('GET', `/invoices/${invoiceId}`), 200).body.hosted_invoice_url);

/** The address of a signed link, which the answer that makes it needs a drawn document for. */
async function readLink(path: string): Promise<string> {
  const pending = ask('GET', path);
  (await awaitDrawing()).finish(new Uint8Array([37]));
  const { pathname, search } = new URL(expectStatus(await pending, 307).headers['location'] ?? '');
  return pathname + search;
}

const formatGet = (path: string) => formatRequest(`GET ${path}`, [bearer, 'Connection: close']);

function formatToolCall(name: string, args: object): string {
  const params = { name, arguments: args, _meta: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2025-11-25',
    `Content-Length: ${body.length}`,
  ];
  return formatRequest('POST /mcp/', [bearer, 'Connection: close', ...headers], body);
}

const doors: readonly [what: string, request: string][] = [
  ['an operation', formatGet(`/api/v1/invoices/${invoiceId}/pdf`)],
  ['a tool', formatToolCall('get_invoice_pdf', { invoice_id: invoiceId })],
  ['a signed link', formatGet(await readLink(`/invoices/${invoiceId}/pdf`))],
  ['the page of an invoice', formatGet(`${new URL(pay).pathname}/invoice.pdf`)],
];

for (const [what, request] of doors) {
  test(`documents: ${what}, and the client goes → its signal is aborted`, { timeout: 180_000 }, async () => {
    const client = openRaw(port);
    client.socket.write(request);
    const { waiter, fail } = await awaitDrawing();
    assert.equal(waiter.organizationId, organizationId);
    assert.ok(waiter.signal !== undefined && !waiter.signal.aborted);
    const aborted = new Promise<void>((resolve) =>
      waiter.signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    client.socket.destroy();
    await aborted;
    fail(new Error('nobody waits'));
  });

  test(`documents: ${what}, and the client waits → it gets the document, and its signal is not aborted`, async () => {
    const client = openRaw(port);
    client.socket.write(request);
    const { waiter, finish } = await awaitDrawing();
    finish(new Uint8Array([37, 80, 68, 70]));
    const { status, body } = await client.closed;
    assert.ok(status === 200 || status === 307, String(status));
    assert.ok(body.length > 0);
    assert.equal(waiter.signal?.aborted, false);
  });
}
