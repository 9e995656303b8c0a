/** What commands do with answers, files and options of a form that they cannot use: one sentence, and no stack. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-answers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let given: unknown = {};
let requests = 0;
const door = createServer((request, response) => {
  requests += 1;
  request.resume();
  if (given === undefined) response.writeHead(204).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
}).listen(0, '127.0.0.1');
await once(door, 'listening');
after(() => door.close());
const address = door.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
const server = { url, token: 'asy_test_none' };

const COMMANDS = [
  ['whoami'],
  ['quote', 'X'],
  ['watch', 'X'],
  ['results', 'X'],
  ['mail'],
  ['open', 'X', '--print'],
  ['lab', 'example-files', 'X'],
  ['lab', 'example-files', '--run', 'X'],
  ['plot', 'X'],
  ['accept', 'X', '--yes'],
  ['accept', 'X', '--pay', '--yes'],
  ['pay', 'X', '--yes'],
  ['submit', 'DEMO-001-001'],
  ['submit', 'examples/designs.fasta', '--type', 'thermostability'],
];

describe('an answer of another form', () => {
  for (const [form, answer] of [
    ['an empty record', {}],
    ['a list of empty records', { items: [{}], total: 1 }],
    ['a list', [1]],
    ['none', undefined],
    ['an item and a large total', { items: [{ code: 'A' }], total: 1_000_000 }],
  ] as const)
    it(`exit code 1: ${form} → one sentence, without a stack and "undefined"`, async () => {
      given = answer;
      for (const command of COMMANDS) {
        const { code, out, err } = await runAssayer(command, { server });
        assert.deepEqual([code, out], [1, ''], `${command.join(' ')}: ${err}`);
        assert.match(err, /answered with something that is not a/, command.join(' '));
        assert.doesNotMatch(err, /undefined|^ +at /m);
      }
      const codes = await runAssayer(['completion', 'words', '--', 'open', ''], { server });
      assert.doesNotMatch(codes.out, /undefined/);
    });

  it('a list without an end: one item with a large total → ended at the page that comes twice', async () => {
    const names = { id: 'a', sequence_name: 'b' };
    given = { items: [names], total: 1_000_000 };
    requests = 0;
    const { code, err } = await runAssayer(['plot', 'X', 'b'], { server });
    assert.deepEqual([code, requests], [1, 2]);
    assert.match(err, /not a list with an end: a page came twice/);
  });
});

test('files of sequences: not UTF-8 → refused with the line; UTF-16 → named, and nothing is sent', async () => {
  const file = join(folder, 'designs.fasta');
  const estimate = (): Promise<CliAnswer> =>
    runAssayer(['estimate', file, '--type', 'thermostability'], { server });
  requests = 0;
  for (const [bytes, sentence] of [
    [Buffer.from('>a\nMKT\n>caf\u00E9\nMKT\n', 'latin1'), 'line 3 is not UTF-8: save as UTF-8'],
    [Buffer.from('\uFEFF>a\nMKT\n', 'utf16le'), 'it is UTF-16: save as UTF-8'],
    [Buffer.from('>a\nMKT\n', 'utf16le'), 'it is UTF-16: save as UTF-8'],
  ] as const) {
    writeFileSync(file, bytes);
    const { code, err } = await estimate();
    assert.deepEqual([code, err], [2, `${file} cannot be read: ${sentence}.\n`]);
  }
  assert.equal(requests, 0);
});

test('credentials: a damaged file → commands say so; the next login keeps it under another name', async () => {
  const home = join(folder, 'config');
  const kept = join(home, 'assayer', 'credentials.json');
  mkdirSync(join(home, 'assayer'), { recursive: true });
  writeFileSync(kept, '{"current":');
  const env = { XDG_CONFIG_HOME: home };
  const asked = await runAssayer(['whoami', '--url', url], { env });
  assert.equal(asked.code, 1);
  assert.match(asked.err, /credentials\.json is damaged, .*"assayer login" moves it/);
  given = { organizations: [], permissions: [] };
  const login = await runAssayer(['login', '--url', url, '--token', '-'], { env, input: 'asy_test_new\n' });
  assert.equal(login.code, 0, login.err);
  assert.match(login.err, /was damaged; it is now .*credentials\.json\.damaged\.\n/);
  assert.equal(readFileSync(`${kept}.damaged`, 'utf8'), '{"current":');
  assert.deepEqual(readdirSync(join(home, 'assayer')).length, 2);
});

test('numbers: negative or too large ones → the sentence of the option, exit code 2', async () => {
  for (const [args, sentence] of [
    [['watch', 'X', '--timeout', '-1'], /^--timeout must be a positive number of seconds/],
    [['pay', 'X', '--max-usd', '-5'], /^--max-usd must be an amount such as 500 or 49\.90/],
    [['mail', '--limit', '99999999999999999999'], /^--limit must be a whole number from 1 to 9999/],
    [
      ['experiments', 'list', '--limit', '99999999999999999999'],
      /^--limit must be a whole number from 1 to 999,999,999/,
    ],
  ] as const) {
    const { code, err } = await runAssayer(args, { server });
    assert.equal(code, 2, err);
    assert.match(err, sentence);
  }
});

test('--url: a name and a password in it → refused, and neither is printed', async () => {
  for (const named of ['http://user:secret@127.0.0.1:1', 'user:secret@lab.example']) {
    const { code, out, err } = await runAssayer(['whoami', '--url', named, '--token', 'x']);
    assert.deepEqual([code, out], [2, '']);
    assert.doesNotMatch(err, /secret/);
  }
});

test('assayer login: an interval below zero → the usual one, and no request after another', async () => {
  const started = { device_code: 'a', user_code: 'ABCD-EFGH', verification_uri_complete: url };
  given = { ...started, expires_in: 1, interval: -1, error: 'authorization_pending' };
  requests = 0;
  const env = { XDG_CONFIG_HOME: join(folder, 'nobody') };
  const { code, err } = await runAssayer(['login', '--url', url], { env });
  assert.deepEqual([code, requests], [1, 2]);
  assert.match(err, /Nobody approved the code in time/);
});
