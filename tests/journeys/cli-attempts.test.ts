/** Commands that change something, behind a proxy that drops answers: what they say, and what their repeat makes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startProcess } from '#testing/process.ts';
import { runAssayer, runAssayerProcess, type CliAnswer } from './cli-process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-attempts-'));
const service = await startProcess(dataDir);
after(async () => {
  await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const designs = join(dataDir, 'designs.fasta');
writeFileSync(
  designs,
  '>only\nQVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSL\n',
);

/** What the proxy does to the answers of some requests, after the service has given them. */
interface Fault {
  readonly path: RegExp;
  readonly act: 'drop' | 'hold' | number;
  times: number;
}

let faults: Fault[] = [];
let onHeld = (): void => undefined;

const proxy = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => void forward(Buffer.concat(pieces)));
  const forward = async (body: Buffer): Promise<void> => {
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(`${service.url}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length === 0 ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const fault = faults.find(
      ({ path, times }) => times > 0 && request.method !== 'GET' && path.test(request.url ?? ''),
    );
    if (fault === undefined) {
      const challenge = answer.headers.get('www-authenticate');
      const terms = challenge === null ? {} : { 'www-authenticate': challenge };
      response.writeHead(answer.status, { 'content-type': 'application/json', ...terms }).end(bytes);
      return;
    }
    fault.times -= 1;
    if (fault.act === 'drop') request.socket.destroy();
    else if (fault.act === 'hold') onHeld();
    else
      response
        .writeHead(fault.act, { 'content-type': 'application/json' })
        .end('{"error":"A sentence.","code":"internal_error"}');
  };
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
after(() => {
  proxy.close();
  proxy.closeAllConnections();
});
const address = proxy.address();
const server = {
  url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
  token: service.token,
};

function fail(path: RegExp, act: Fault['act'], times = 3): void {
  faults = [{ path, act, times }];
}

const run = (...args: readonly string[]): Promise<CliAnswer> => runAssayer(args, { server });
const CREATE = /\/experiments$/;
const SUBMIT = /\/submit$/;
const CONFIRM = /\/quote\/confirm$/;

function readKey({ err }: CliAnswer): string {
  const key = /may have been done; repeat with --idempotency-key (\S+), so that/.exec(err)?.[1];
  assert.ok(key !== undefined, err);
  return key;
}

async function listNamed(
  name: string,
): Promise<readonly { readonly code: string; readonly status: string }[]> {
  const { out } = await run('experiments', 'list', '--filter', `eq(name,'${name}')`, '--json');
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const order = (name: string, ...more: readonly string[]) =>
  ['submit', designs, '--target', 'EGFR', '--name', name, '--json', ...more] as const;

describe('assayer submit', () => {
  const steps = [
    ['create', CREATE, []],
    ['submit', SUBMIT, []],
    ['confirm', CONFIRM, ['--accept']],
  ] as const;
  for (const [step, path, more] of steps)
    for (const act of ['drop', 500, 504] as const)
      it(`idempotency key: the answer of ${step} is ${act} → exit code, key and experiment; the repeat goes on with one order`, async () => {
        const name = `order-${step}-${act}`;
        fail(path, act);
        const broken = await run(...order(name, ...more));
        assert.equal(broken.code, act === 500 ? 1 : 3, broken.err);
        const [made] = await listNamed(name);
        assert.equal(
          broken.err.includes(`The experiment is ${made?.code}. `) ||
            broken.err.includes(`"The experiment is ${made?.code}`),
          step !== 'create',
          broken.err,
        );
        assert.doesNotMatch(broken.err, /draft is stored/);
        const { error } = JSON.parse(broken.err.trimEnd().split('\n').at(-1) ?? '');
        faults = [];
        const repeated = await run(...order(name, ...more, '--idempotency-key', error.idempotency_key));
        assert.equal(repeated.code, 0, repeated.err);
        assert.equal(JSON.parse(repeated.out).experiment_code, made?.code);
        assert.equal((await listNamed(name)).length, 1);
      });

  it('Ctrl+C, SIGTERM, SIGHUP: the answer is outstanding → the key and the experiment are named', async () => {
    for (const [signal, path] of [
      ['SIGINT', CREATE],
      ['SIGTERM', SUBMIT],
      ['SIGHUP', CONFIRM],
    ] as const) {
      fail(path, 'hold');
      const args = ['submit', designs, '--target', 'EGFR', '--name', signal, '--accept'];
      const stopped = await runAssayerProcess(args, {
        server,
        onStart: (interrupt) => (onHeld = () => interrupt(signal)),
      });
      faults = [];
      assert.equal(stopped.code, 130, stopped.err);
      assert.equal(stopped.err.includes('The experiment is DEMO-'), path !== CREATE, stopped.err);
      const repeated = await run(...args, '--idempotency-key', readKey(stopped));
      assert.match(repeated.out, /, accepted\n/, repeated.err);
      assert.equal((await listNamed(signal)).length, 1);
    }
  });

  it('idempotency key: a refusal before anything was made → the refusal alone', async () => {
    fail(CREATE, 422);
    const refused = await run('submit', designs, '--target', 'EGFR', '--name', 'refused');
    faults = [];
    assert.equal(refused.code, 1);
    assert.doesNotMatch(refused.err, /idempotency-key/);
  });
});

describe('assayer accept', () => {
  const createQuoted = async (...more: readonly string[]): Promise<string> => {
    const { out, err } = await run(...order('to accept', ...more));
    assert.notEqual(out, '', err);
    return JSON.parse(out).experiment_code;
  };

  it('idempotency key: the answer is dropped → the repeat with the key answers as the first, one without it says so with 0', async () => {
    const code = await createQuoted();
    fail(CONFIRM, 'drop');
    const broken = await run('accept', code, '--yes', '--purchase-order', 'PO-1');
    faults = [];
    assert.equal(broken.code, 3);
    assert.match(broken.err, new RegExp(`The experiment is ${code}\\. It may have been done`));
    const args = ['accept', code, '--yes', '--purchase-order', 'PO-1'];
    const repeated = await run(...args, '--json', '--idempotency-key', readKey(broken));
    assert.equal(repeated.code, 0, repeated.err);
    assert.equal(JSON.parse(repeated.out).status, 'accepted');
    const plain = await run(...args);
    assert.equal(plain.code, 0, plain.err);
    assert.match(plain.err, /was accepted before; nothing is ordered again\.\n/);
    const other = await run('accept', code, '--yes', '--purchase-order', 'PO-2');
    assert.equal(other.code, 1);
    assert.match(
      other.err,
      /accepted before, with the purchase order PO-1: --purchase-order PO-2 has no effect/,
    );
  });

  it('--pay: the quote is accepted and the invoice open → asked for its amount; without a terminal it needs --yes', async () => {
    for (const method of ['async_invoice', 'mpp-spt']) {
      const code = await createQuoted('--accept', '--payment-method', method);
      const piped = await run('accept', code, '--pay');
      assert.equal(piped.code, 2, piped.err);
      assert.match(
        piped.err,
        new RegExp(`Pay INV-\\S+ of \\$[\\d,.]+ for ${code}\\? Nothing was changed: .* --yes`),
      );
      const refused = await runAssayer(['accept', code, '--pay'], { server, isAsked: true, input: 'no\n' });
      assert.equal(refused.code, 1);
      const paid = await run('accept', code, '--pay', '--yes');
      assert.match(paid.out, /is paid\. Next/, paid.err);
      const again = await run('accept', code, '--pay');
      assert.equal(again.code, 0, again.err);
    }
  });

  it('--key-file: the order is not paid from a wallet → refused, and nothing is accepted', async () => {
    const code = await createQuoted();
    const refused = await run('accept', code, '--pay', '--yes', '--key-file', 'nope');
    assert.equal(refused.code, 2);
    assert.match(
      refused.err,
      /^--key-file goes with x402-exact, but this order is paid by async_invoice\.\n$/,
    );
  });
});
