/** The command line when something is wrong between it, its service and its disk. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createTestAuthority } from '#testing/certificates.ts';
import { describeDefect } from '#cli/command-error.ts';
import { runAssayer, runAssayerProcess, type CliAnswer } from './cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-failures-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const TOKEN = 'asy_test_none';

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return (server.address() as AddressInfo).port;
}

async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(answer))}`;
}

/** Runs a command against a service that gives one answer. */
async function ask(answer: RequestListener, ...args: readonly string[]): Promise<CliAnswer> {
  return runAssayer(args, { server: { url: await serve(answer), token: TOKEN } });
}

function refuse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

function readError(answer: CliAnswer): Readonly<Record<string, unknown>> {
  assert.equal(answer.out, '');
  assert.equal(answer.err.split('\n').length, 2, answer.err);
  return JSON.parse(answer.err).error;
}

describe('no answer', () => {
  it('exit code 3: nothing listens, a name that does not exist → one sentence with what to do', async () => {
    for (const [url, sentence] of [
      ['http://127.0.0.1:1', /^No service answers at http:\/\/127\.0\.0\.1:1 \(.*\)\. Check the address/],
      ['http://lab.invalid', /^The name in http:\/\/lab\.invalid is not known\. Check the address/],
    ] as const) {
      const answer = await runAssayer(['whoami'], { server: { url, token: TOKEN } });
      assert.match(answer.err, sentence);
      assert.deepEqual([answer.code, answer.out, answer.err.split('\n').length], [3, '', 2]);
      const json = readError(await runAssayer(['whoami', '--json'], { server: { url, token: TOKEN } }));
      assert.deepEqual([json['code'], json['status'], json['exit_code']], ['service_unreachable', null, 3]);
    }
  });

  it('exit code 3: the port speaks no HTTP, no TLS, or ends every connection → the sentence says so', async () => {
    const mute = createTcpServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-nobody\r\n'));
    const port = await listen(mute);
    const plain = await serve(refuse(200, {}));
    const ends = createTcpServer((socket) => socket.on('error', () => undefined).destroy());
    const endsPort = await listen(ends);
    for (const [url, sentence] of [
      [`http://127.0.0.1:${port}`, /does not speak HTTP\. Check the address and its port\.\n$/],
      [
        plain.replace('http:', 'https:'),
        /does not speak TLS\. .* write http:\/\/ in place of https:\/\/\.\n$/,
      ],
      [`http://127.0.0.1:${endsPort}`, /ended the connection without an answer\. Try again/],
    ] as const) {
      const answer = await runAssayer(['whoami'], { server: { url, token: TOKEN } });
      assert.match(answer.err, sentence);
      assert.equal(answer.code, 3);
    }
  });

  it('exit code 3: a certificate of an unknown authority, for another name, out of date → the sentence names it', async () => {
    const authority = createTestAuthority(Date.now());
    const file = join(folder, 'authority.pem');
    writeFileSync(file, authority.certificate);
    for (const [name, options, env, sentence] of [
      [
        'localhost',
        {},
        {},
        /comes from an authority that this machine does not know\. Name .* NODE_EXTRA_CA_CERTS/,
      ],
      [
        'elsewhere.example',
        {},
        { NODE_EXTRA_CA_CERTS: file },
        /is for another name\. Check the address\.\n$/,
      ],
      ['localhost', { isExpired: true }, { NODE_EXTRA_CA_CERTS: file }, /has expired\. Tell whoever runs/],
    ] as const) {
      const { certificate, key } = authority.certify(name, options);
      const port = await listen(createHttpsServer({ cert: certificate, key }, refuse(200, {})));
      const server = { url: `https://localhost:${port}`, token: TOKEN };
      const answer = await runAssayerProcess(['whoami'], { server, env });
      assert.match(answer.err, sentence);
      assert.equal(answer.code, 3);
    }
    const { certificate, key } = authority.certify('localhost');
    const port = await listen(
      createHttpsServer({ cert: certificate, key }, refuse(200, { organizations: [], permissions: [] })),
    );
    const trusted = await runAssayerProcess(['whoami'], {
      server: { url: `https://localhost:${port}`, token: TOKEN },
      env: { NODE_EXTRA_CA_CERTS: file },
    });
    assert.deepEqual([trusted.code, trusted.err], [0, '']);
  });

  it('a connection that breaks: the answer comes with the next try → done, under one idempotency key', async () => {
    const keys: unknown[] = [];
    const answer = await ask(
      (request, response) => {
        keys.push(request.headers['idempotency-key']);
        if (keys.length < 3) request.socket.destroy();
        else refuse(200, { spt: 'token' })(request, response);
      },
      'sandbox',
      'mint-payment-token',
      '--max-amount-cents',
      '100',
      '--yes',
      '--fields',
      'spt',
    );
    assert.deepEqual([answer.code, answer.out], [0, 'token\n']);
    assert.equal(new Set(keys).size, 1);
    assert.equal(keys.length, 3);
  });
});

describe('refusals', () => {
  const code = 'some_code';
  const cases: readonly (readonly [number, object, Readonly<Record<string, string>>, number, RegExp])[] = [
    [
      401,
      { error: 'The token is not known.', code },
      {},
      1,
      /--token or ASSAYER_TOKEN\. "assayer login --url/,
    ],
    [403, { error: 'The token may not do this.', code }, {}, 1, /^The token may not do this\.\n/],
    [404, { error: 'No such page.', code }, {}, 1, /^No such page\.\n/],
    [409, { error: 'The quote is closed.', code }, {}, 1, /^The quote is closed\.\n/],
    [429, { error: 'Too many requests.', code }, { 'retry-after': '42' }, 3, /Try again in 42 seconds\.\n/],
    [
      503,
      { error: 'The service restarts.', code },
      { 'retry-after': '30' },
      3,
      /Try again in 30 seconds\.\n/,
    ],
  ];
  for (const [status, body, headers, exit, sentence] of cases)
    it(`exit code ${exit}: ${status} → the sentence of the service and what to do; with --json one object`, async () => {
      const listener = refuse(status, { ...body, request_id: 'req_1' }, headers);
      const answer = await ask(listener, 'whoami');
      assert.match(answer.err, sentence);
      assert.match(answer.err, /\(some_code, request req_1\)\n$/);
      assert.deepEqual([answer.code, answer.out], [exit, '']);
      const json = readError(await ask(listener, 'whoami', '--json'));
      assert.deepEqual(
        [json['code'], json['status'], json['request_id'], json['exit_code']],
        [code, status, 'req_1', exit],
      );
      assert.equal(
        json['retry_after_s'],
        headers['retry-after'] === undefined ? null : Number(headers['retry-after']),
      );
    });

  it('404: the name of an experiment, a target, an invoice is wrong → the list that has the right one', async () => {
    for (const [code, list] of [
      ['experiment_not_found', 'experiments'],
      ['target_not_found', 'targets'],
      ['invoice_not_found', 'invoices'],
    ] as const) {
      const { err } = await ask(refuse(404, { error: 'No such thing.', code }), 'whoami');
      assert.equal(err, `No such thing.\n  "assayer ${list} list" lists what there is.\n`);
    }
  });

  it('assayer pay: an invoice that people pay → where, and in a sandbox the command for a test payment', async () => {
    const invoice = {
      id: '01980000-0000-7000-8000-0000000000c1',
      invoice_number: 'INV-2026-00003',
      status: 'open',
      payment_method: 'async_invoice',
      total_cents: 90_600,
      hosted_invoice_url: 'https://lab.example/pay/x',
    };
    const { code, err } = await ask(refuse(200, invoice), 'pay', invoice.id);
    assert.match(
      err,
      /^A person pays INV-2026-00003 of \$906\.00, at https:\/\/lab\.example\/pay\/x \(in a sandbox, "assayer accept/,
    );
    assert.equal(code, 1);
  });

  it('exit code 1: 422 with several problems → each on a line of its own; with --json each with its path', async () => {
    const problems = [
      { path: 'name', message: 'is missing' },
      { path: 'sequences.a', message: 'has a "1"' },
    ];
    const listener = refuse(422, { error: 'The body is invalid.', code: 'invalid_request', problems });
    const answer = await ask(listener, 'whoami');
    assert.match(
      answer.err,
      /^The body is invalid\.\n {2}- name: is missing\n {2}- sequences\.a: has a "1"\n$/,
    );
    assert.deepEqual(readError(await ask(listener, 'whoami', '--json'))['problems'], problems);
  });

  it('HTML of a proxy: 502 → exit code 3 and try again; a page, a redirect → exit code 1 and the address', async () => {
    const write =
      (status: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
      (_, response) =>
        response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>no</h1>');
    const gateway = await ask(write(502), 'whoami');
    assert.match(
      gateway.err,
      /answered 502: a server in front of the service does not reach it\. Try again later/,
    );
    assert.equal(gateway.code, 3);
    const page = await ask(write(200), 'whoami');
    assert.match(page.err, /answered 200 with something that is not this API; check the address/);
    assert.equal(page.code, 1);
    const moved = await ask(write(308, { location: 'https://lab.example/api/v1/whoami' }), 'whoami');
    assert.match(
      moved.err,
      /sends every request on to https:\/\/lab\.example\. Use that address if you trust it/,
    );
    assert.equal(moved.code, 1);
  });
});

test('a mistake of this program: an error that no command expects → its stack and whom to tell; with --json one object', () => {
  const mistake = new TypeError('x is not iterable');
  assert.match(
    describeDefect(mistake, ['whoami']),
    /^TypeError: x is not iterable\n {4}at [^]*\n\nThis is a mistake of assayer or/,
  );
  const { error } = JSON.parse(describeDefect(mistake, ['pay', 'X', '--json']));
  assert.deepEqual([error.code, error.exit_code], ['internal_error', 1]);
});

test('idempotency key: a change is answered 500 → the key that was sent, also as JSON', async () => {
  const keys: unknown[] = [];
  const url = await serve((request, response) => {
    keys.push(request.headers['idempotency-key']);
    refuse(500, { error: 'A sentence.', code: 'internal_error' })(request, response);
  });
  const command = ['experiments', 'submit', 'DEMO-001-001'];
  const shown = await runAssayer(command, { server: { url, token: TOKEN } });
  assert.match(
    shown.err,
    new RegExp(`may have been done; repeat with --idempotency-key ${String(keys[0])}, so`),
  );
  const json = readError(await runAssayer([...command, '--json'], { server: { url, token: TOKEN } }));
  assert.deepEqual([json['idempotency_key'], json['status'], json['exit_code']], [keys[1], 500, 1]);
});

test('idempotency key: a signal while a change waits for its answer → exit code 130, and the key with which it is repeated; with --json one object', async () => {
  const keys: unknown[] = [];
  let stop = (): void => undefined;
  const url = await serve((request) => {
    keys.push(request.headers['idempotency-key']);
    stop();
  });
  const submit = (signal: NodeJS.Signals, ...more: readonly string[]): Promise<CliAnswer> =>
    runAssayerProcess(['experiments', 'submit', 'DEMO-001-001', ...more], {
      server: { url, token: TOKEN },
      onStart: (interrupt) => (stop = () => interrupt(signal)),
    });
  const answer = await submit('SIGINT');
  assert.equal(answer.code, 130);
  assert.match(
    answer.err,
    /^Interrupted\.\nThe experiment is DEMO-001-001\. It may have been done; repeat with --idempotency-key \S+, so that/,
  );
  assert.equal(answer.err.includes(String(keys[0])), true);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const json = await submit(signal, '--json');
    const error = readError(json);
    assert.deepEqual(
      [json.code, error['code'], error['exit_code'], error['idempotency_key']],
      [130, 'interrupted', 130, keys.at(-1)],
    );
  }
});

test('exit code 2: an empty --token, --url or key, a key with blanks or too long → a sentence, and nothing is sent', async () => {
  let requests = 0;
  for (const words of [
    ['experiments', 'submit', 'X'],
    ['submit', 'X'],
  ])
    for (const [option, value, sentence] of [
      ['--token', '', /^--token is empty: give it a value or leave it out\./],
      ['--url', '', /^--url is empty: /],
      ['--idempotency-key', '', /^--idempotency-key is empty: /],
      ['--idempotency-key', 'a b', /^--idempotency-key takes up to 200 characters of ASCII without blanks/],
      ['--idempotency-key', 'a'.repeat(201), /^--idempotency-key takes up to 200 characters/],
    ] as const) {
      const answer = await ask(() => (requests += 1), ...words, option, value);
      assert.match(answer.err, sentence);
      assert.deepEqual([answer.code, requests], [2, 0]);
    }
});

test('--json: notes before an error → one object on standard error; without an error the notes stay', async () => {
  const file = join(folder, 'dna.fasta');
  writeFileSync(file, '>a\nATGAAAACC\n');
  const args = ['estimate', file, '--type', 'expression', '--translate', '--json'];
  const refused = await ask(refuse(422, { error: 'A sentence.', code: 'body_invalid' }), ...args);
  assert.equal(readError(refused)['code'], 'body_invalid');
  const done = await ask(refuse(200, { items: [], total: 0 }), 'quotes', 'list', '--json');
  assert.deepEqual([done.code, done.err], [0, 'There are no quotes yet.\n']);
});

test('login --token -: an input without end → one sentence and exit code 2', async () => {
  const url = await serve(refuse(200, {}));
  const answer = await runAssayerProcess(['login', '--url', url, '--token', '-'], {
    script: 'yes | "$@"',
  });
  assert.deepEqual(
    [answer.code, answer.err],
    [2, 'Standard input cannot be read: it is larger than 8 KiB.\n'],
  );
});

test('exit code 2: standard input for two values → one sentence, and nothing is sent', async () => {
  let requests = 0;
  const answer = await ask(
    () => (requests += 1),
    'experiments',
    'edit',
    'DEMO-001-001',
    '--name',
    '@-',
    '--description',
    '@-',
  );
  assert.equal(
    answer.err,
    'Standard input cannot be read: it was read already; give it to one value alone.\n',
  );
  assert.deepEqual([answer.code, requests], [2, 0]);
});

describe('downloads', () => {
  const [start, end] = ['PK\u0003\u0004', 'PK\u0005\u0006'];
  const bytes = Buffer.from(start + 'x'.repeat(299_992) + end);
  const sendAll: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-length': String(bytes.length) }).end(bytes);
  };
  const breakOff: RequestListener = (request, response) => {
    response.writeHead(200, { 'content-length': String(bytes.length) });
    response.write(bytes.subarray(0, 100_000), () => request.socket.destroy());
  };
  const listOwn = (prefix: string): string[] => readdirSync(folder).filter((name) => name.startsWith(prefix));

  it('download: the connection breaks → exit code 3, no file, the older one stays', async () => {
    const file = join(folder, 'broken.zip');
    const answer = await ask(breakOff, 'download', 'X', '--output', file);
    assert.match(answer.err, /began to answer, but the connection broke after \d+ kB; try again\.\n$/);
    assert.equal(answer.code, 3);
    assert.deepEqual(listOwn('broken'), []);
    writeFileSync(file, 'older');
    assert.equal((await ask(breakOff, 'download', 'X', '--output', file, '--force')).code, 3);
    assert.equal(readFileSync(file, 'utf8'), 'older');
    assert.deepEqual(listOwn('broken'), ['broken.zip']);
  });

  it('download: the file exists → refused before anything is fetched; --force → replaced', async () => {
    const file = join(folder, 'there.zip');
    writeFileSync(file, 'older');
    let requests = 0;
    const count: RequestListener = (request, response) => {
      requests += 1;
      sendAll(request, response);
    };
    const answer = await ask(count, 'download', 'X', '--output', file);
    assert.match(answer.err, /there\.zip exists already; --force replaces it\.\n$/);
    assert.deepEqual([answer.code, requests], [1, 0]);
    const forced = await ask(count, 'download', 'X', '--output', file, '--force');
    assert.match(forced.err, /^Saved .*there\.zip \(300,000 bytes\)\.\n$/);
    assert.deepEqual(readFileSync(file), bytes);
    assert.deepEqual(listOwn('there'), ['there.zip']);
  });

  it('download: two at once under one name → the first to end has it whole, the other is refused; no draft is left', async () => {
    const file = join(folder, 'raced.zip');
    writeFileSync(`${file}.part`, 'mine');
    let finishFirst = (): void => undefined;
    const other = Buffer.from(start + 'y'.repeat(200_000) + end);
    const hold: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length) });
      response.write(bytes.subarray(0, 100_000));
      finishFirst = () => response.end(bytes.subarray(100_000));
    };
    const slow = ask(hold, 'download', 'X', '--output', file);
    while (listOwn('raced').length < 2) await wait(5);
    const quick = await ask((_, response) => response.end(other), 'download', 'X', '--output', file);
    assert.deepEqual([quick.code, readFileSync(file)], [0, other]);
    finishFirst();
    const answer = await slow;
    assert.match(answer.err, /raced\.zip exists already; --force replaces it\.\n$/);
    assert.deepEqual([answer.code, readFileSync(file)], [1, other]);
    assert.deepEqual(listOwn('raced').sort(), ['raced.zip', 'raced.zip.part']);
    assert.equal(readFileSync(`${file}.part`, 'utf8'), 'mine');
  });

  it('download: a web page in place of the document, a name that is empty → refused, and nothing is written', async () => {
    const file = join(folder, 'page.zip');
    const page: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Sign in</p>');
    };
    const answer = await ask(page, 'download', 'X', '--output', file);
    assert.match(answer.err, /sent a web page in place of the document\. Try again later; if it stays so/);
    assert.deepEqual([answer.code, listOwn('page')], [3, []]);
    const unnamed = await ask(sendAll, 'download', 'X', '--output', '');
    assert.deepEqual([unnamed.code, unnamed.err.split(':')[0]], [2, '--output is empty']);
  });

  it('download: a full disk, no such folder, a folder → one sentence and exit code 1', async () => {
    for (const [file, sentence] of [
      ['/dev/full', /^\/dev\/full cannot be written: the disk is full\. Nothing was kept; make room/],
      [join(folder, 'no', 'such.zip'), /cannot be written: there is no such folder\.\n$/],
      [folder, /cannot be written: it is a directory\.\n$/],
    ] as const) {
      const answer = await ask(sendAll, 'download', 'X', '--output', file, '--force');
      assert.match(answer.err, sentence);
      assert.equal(answer.code, 1);
    }
  });

  it('download: an empty, cut or foreign body with status 200 → exit code 3, the older file stays, and no draft', async () => {
    const file = join(folder, 'damaged.zip');
    writeFileSync(file, 'older');
    for (const [args, body, word] of [
      [[], '', 'empty'],
      [[], bytes.subarray(0, -4), 'damaged'],
      [[], '{"error":"busy"}', 'damaged'],
      [['--quote'], '%PDF-1.7 cut', 'damaged'],
      [['--invoice'], bytes, 'damaged'],
    ] as const) {
      const send: RequestListener = (request, response) => {
        const isRecord = request.url?.endsWith('/invoice') === true;
        response.writeHead(200, { 'content-type': isRecord ? 'application/json' : 'application/zip' });
        response.end(isRecord ? '{"invoice_id":"a"}' : body);
      };
      const answer = await ask(send, 'download', 'X', ...args, '--output', file, '--force');
      assert.equal(answer.err, `The document arrived ${word}, and was not kept; try again later.\n`);
      assert.deepEqual([answer.code, readFileSync(file, 'utf8')], [3, 'older']);
      assert.deepEqual(listOwn('damaged'), ['damaged.zip']);
    }
    const pdf: RequestListener = (_, response) => response.end('%PDF-1.7\n…\n%%EOF\n');
    const whole = await ask(pdf, 'download', 'X', '--quote', '--output', file, '--force');
    assert.equal(whole.code, 0, whole.err);
  });

  it('download: Ctrl+C, SIGTERM or SIGHUP in the middle → exit code 130, and nothing is left', async () => {
    const file = join(folder, 'stopped.zip');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      let begun = (): void => undefined;
      const url = await serve((_, response) => {
        response.writeHead(200, { 'content-length': String(bytes.length) });
        response.write(bytes.subarray(0, 100_000), () => begun());
      });
      const answer = await runAssayerProcess(['download', 'X', '--output', file], {
        server: { url, token: TOKEN },
        onStart: (interrupt) => {
          begun = () => {
            const look = setInterval(() => {
              if (listOwn('stopped').length === 0) return;
              clearInterval(look);
              interrupt(signal);
            }, 10);
          };
        },
      });
      assert.deepEqual([answer.code, answer.err], [130, ''], signal);
      assert.deepEqual(listOwn('stopped'), []);
    }
  });

  it('download to standard output: more than a pipe holds → every byte', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200).end(`${start}${'x'.repeat(1_000_000)}${end}`),
    );
    const answer = await runAssayerProcess(['download', 'X', '--output', '-'], {
      server: { url, token: TOKEN },
    });
    assert.deepEqual([answer.code, answer.out.length, answer.err], [0, 1_000_008, '']);
  });
});

describe('standard output', () => {
  const standing = {
    organizations: [{ name: '東京研究所 🧬\u001B[2J', role: 'admin', active: true }],
    permissions: [],
  };

  it('exit code 1: the disk behind standard output is full → one sentence', async () => {
    const url = await serve(refuse(200, standing));
    const script = '"$@" >/dev/full';
    const answer = await runAssayerProcess(['whoami'], { server: { url, token: TOKEN }, script });
    assert.match(
      answer.err,
      /^Standard output cannot be written: ENOSPC: no space left on device, write\.\n$/,
    );
    assert.equal(answer.code, 1);
  });

  it('exit code 0: the reader of a help, of a completion script ends early → no complaint', async () => {
    for (const args of [['--help'], ['completion', 'bash'], ['config']]) {
      const answer = await runAssayerProcess(args, { isReadOnce: true });
      assert.deepEqual([answer.code, answer.err], [0, ''], args.join(' '));
    }
  });

  it('whoami: wide characters and control characters in a name → the name without the latter', async () => {
    const { out } = await ask(refuse(200, standing), 'whoami');
    assert.match(out, /Organization {2}東京研究所 🧬 \[2J\n/);
  });
});
