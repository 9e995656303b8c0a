/** The first requests of every kind, all at once, right after the ready line: nobody is refused, and no turn is long. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createAsker, startProcess, type ServiceProcess } from '#testing/process.ts';
import { getText } from '#testing/service.ts';
import { computeSlowness } from '#testing/fixed-work.ts';
import type { TurnRecord } from '#testing/watch-turns.ts';

const TURN_MS_MAX = 100;
const SIGN_INS = 20;
const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

const directory = mkdtempSync(join(tmpdir(), 'assayer-first-requests-'));
after(() => rmSync(directory, { recursive: true, force: true }));

async function signIn({ url }: ServiceProcess, person: number): Promise<number> {
  const form = new URLSearchParams({ email: `person-${person}@example.org`, password: `wrong-${person}` });
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' };
  return (await fetch(`${url}/sign-in`, { method: 'POST', body: form, headers })).status;
}

/** Orders, and follows the redirect to the quote as PDF. */
async function openFirstPdf(ask: ReturnType<typeof createAsker>): Promise<number> {
  const spec = { experiment_type: 'thermostability', sequences: { vhh: VHH } };
  const order = await ask('POST', '/experiments', { body: { name: 'first', experiment_spec: spec } });
  const path = `/experiments/${getText(order.body.experiment_id)}`;
  await ask('POST', `${path}/submit`, { body: {} });
  const redirect = await ask('GET', `${path}/quote/pdf`);
  assert.equal(redirect.status, 307, redirect.text);
  const pdf = await fetch(redirect.headers['location'] ?? '');
  assert.equal(pdf.headers.get('content-type'), 'application/pdf');
  return pdf.status;
}

test('late modules: first requests of every kind at once, with nothing compiled before → no refusal, and no turn over 100 ms of processor time', async () => {
  const file = join(directory, 'turns.json');
  const watch = new URL('../support/watch-turns.ts', import.meta.url).href;
  const service = await startProcess(join(directory, 'data'), {
    NODE_OPTIONS: `--import ${watch}`,
    ASSAYER_TURNS_FILE: file,
    // As after an installation: nothing is compiled yet.
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
  });
  service.child.kill('SIGUSR2');
  const ask = createAsker(service);
  const begin = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const callMcp = (method: string, params: object) =>
    ask('POST', '//mcp/?tools=all', { body: { jsonrpc: '2.0', id: 1, method, params }, headers: accept });
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  const [signIns, others, pdf] = await Promise.all([
    Promise.all(Array.from({ length: SIGN_INS }, (_, person) => signIn(service, person))),
    Promise.all([
      callMcp('initialize', begin),
      callMcp('tools/list', {}),
      ask('GET', '/experiments?limit=1'),
      ask('GET', '/lab/experiments?limit=1'),
      ask('GET', '/audit?limit=1'),
      ask('GET', '//docs', { token: null }),
      ask('GET', '//sign-in', { token: null }),
      ask('GET', '/openapi.json'),
      ask('GET', '/openapi.json', { token: null }),
    ]),
    openFirstPdf(ask),
  ]);
  assert.equal(await service.stop(), 0);
  assert.deepEqual(new Set(signIns), new Set([401]));
  assert.deepEqual(
    others.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
  assert.equal(pdf, 200);
  const record: TurnRecord = JSON.parse(readFileSync(file, 'utf8'));
  assert.ok(record.turns > SIGN_INS, 'the turns were watched');
  // Processor time grows on a slower machine, and where others use its caches; the fixed work grows with it.
  const limitMs = TURN_MS_MAX * computeSlowness(record.fixedWorkMs);
  assert.ok(record.longestMs <= limitMs, `${JSON.stringify(record)}, limit ${limitMs} ms`);
});
