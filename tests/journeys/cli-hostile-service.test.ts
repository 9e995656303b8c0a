/** The command line against a service whose answers try to steer the terminal, the shell and the browser. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runAssayer, runAssayerProcess, type CliAnswer } from './cli-process.ts';

const STEERING = '\u001B]0;title\u0007\u001B[2J\u009B2J\r\u202Egpj\u2066\u2028$(touch pwned)`touch pwned`';

/** Answers by the end of the path; everything else is the experiment. */
const answers: Readonly<Record<string, object>> = {
  experiments: {
    items: [{ code: `A${STEERING}` }, { code: '$(touch pwned)' }, { code: 'DEMO-001-001' }],
    total: 3,
  },
  files: {
    experiment_code: STEERING,
    status: STEERING,
    sequences_without_data: [STEERING],
    run: { ordinal: 1, instrument: STEERING, status: STEERING, problem: STEERING },
    files: [
      {
        name: STEERING,
        size_bytes: 1,
        sha256: '0'.repeat(64),
        understood: {
          sets: [
            { format: STEERING, instrument: STEERING, plate: STEERING, n_traces: 1, notices: [STEERING] },
          ],
          matched_sequences: [],
          unmatched_samples: [STEERING],
          n_unnamed_wells: 0,
        },
      },
    ],
  },
  results: { items: [{ id: '../..', sequence_name: `../design${STEERING}` }], total: 1 },
};
const experiment = {
  code: `C${STEERING}`,
  name: STEERING,
  experiment_url: `https://lab.example/${STEERING}`,
  provider_quote_url: `file:///etc/passwd${STEERING}`,
};

const door = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const isRefused = path.endsWith('/REFUSED');
  response.writeHead(isRefused ? 422 : 200, { 'content-type': 'application/json' });
  const refusal = { error: STEERING, code: STEERING, request_id: STEERING };
  response.end(JSON.stringify(isRefused ? refusal : (answers[path.split('/').at(-1) ?? ''] ?? experiment)));
}).listen(0, '127.0.0.1');
await once(door, 'listening');
after(() => door.close());
const address = door.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const server = { url: `http://127.0.0.1:${port}`, token: 'asy_test_none' };

const run = (...args: readonly string[]): Promise<CliAnswer> => runAssayer(args, { server });

test('completion words: texts that a shell would evaluate among the codes → the codes alone', async () => {
  assert.equal((await run('completion', 'words', '--', 'watch', '')).out, 'DEMO-001-001\n');
});

test('assayer open: an address with control characters → encoded; no web address → refused', async () => {
  const opened = await run('open', 'X', '--print');
  assert.match(opened.out, /^https:\/\/lab\.example\/%1B[!-~]*\n$/);
  const refused = await run('open', 'X', '--quote', '--print');
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /gave no web address/);
});

test('commands: control characters in codes, units, names and refusals → none reaches the terminal', async () => {
  const calls = [
    ['open', 'X', '--quote'],
    ['open', 'REFUSED'],
    ['experiments', 'cancel', 'DEMO-001-001', '--yes'],
    ['lab', 'experiments', 'files', 'DEMO-001-001'],
    ['plot', 'X', 'desing'],
  ];
  for (const call of calls) {
    const { out, err } = await run(...call);
    // oxlint-disable-next-line no-control-regex -- the characters a terminal would obey
    const plain = /^[^\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+$/;
    assert.match(out + err, plain, call.join(' '));
  }
});

test('assayer plot: no --output → a file in this folder named by code and sequence, or by code and view; no folder chosen by the service', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'assayer-plot-'));
  after(() => rmSync(parent, { recursive: true, force: true }));
  const cwd = mkdtempSync(join(parent, 'here-'));
  const plotted = await runAssayerProcess(['plot', 'X'], { server, cwd });
  assert.match(plotted.err, /^Saved X-\.\._design[\w.-]+\.svg \(\d+ bytes\)\.\n$/);
  const viewed = await runAssayerProcess(['plot', 'X', '--view', 'ranking'], { server, cwd });
  assert.match(viewed.err, /^Saved X-ranking\.svg /);
  assert.equal(readdirSync(cwd).length, 2);
  assert.equal(readdirSync(parent).length, 1);
});
