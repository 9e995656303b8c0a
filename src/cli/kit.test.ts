/** The commands of operations against a service that answers what a test says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { describeError, CommandError } from './command-error.ts';
import { runNoun } from './nouns.ts';
import { measureWidth, runInTerminal } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-kit-'));
const asked: string[] = [];
let answer = '{}';
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.setHeader('content-type', 'application/json').end(answer);
});
before(async () => once(server.listen(0, '127.0.0.1'), 'listening'));
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command in a terminal of that many columns, or without one. */
async function run(words: string, more: readonly string[] = [], columns?: number): Promise<string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const stdout = new PassThrough({ encoding: 'utf8' });
  const terminal = {
    stdin: Readable.from([]),
    stdout: Object.assign(stdout, columns === undefined ? {} : { isTTY: true, columns }),
    stderr: new PassThrough(),
    environment: { ASSAYER_URL: `http://127.0.0.1:${port}`, ASSAYER_TOKEN: 'asy_test_x' },
  };
  await runInTerminal(terminal, () => runNoun([...words.split(' '), ...more]));
  return String(stdout.read() ?? '');
}

const estimate = (replicates: string): Promise<string> =>
  run(
    'experiments cost-estimate --experiment-spec.experiment-type expression --experiment-spec.sequences {"a":"MKT"}',
    ['--experiment-spec.n-replicates', replicates],
  );

describe('commands of operations', () => {
  it('numbers: what is no finite decimal number → the flag, nothing sent', async () => {
    asked.length = 0;
    for (const text of ['1e999', '0x2', '1,5', '0b1', 'Infinity'])
      await assert.rejects(estimate(text), {
        message: '--experiment-spec.n-replicates must be a whole number or null',
        exitCode: 2,
      });
    assert.deepEqual(asked, []);
    await estimate('2');
    assert.equal(asked.length, 1);
  });

  it('--json: a mistake in a nested member → the whole name of its flag as the field', async () => {
    const error = await estimate('x').catch((reason: unknown) => reason);
    assert.ok(error instanceof CommandError);
    assert.match(describeError(error, ['--json']), /"field":"--experiment-spec\.n-replicates"/);
  });

  it('--body: a file that is no JSON object → its name, nothing sent', async () => {
    const file = join(folder, 'list.json');
    writeFileSync(file, '[1]');
    asked.length = 0;
    await assert.rejects(run('experiments cost-estimate', ['--body', file]), {
      message: `${file} must be one JSON object.`,
      exitCode: 2,
    });
    assert.deepEqual(asked, []);
  });

  it('upload: a missing file, a folder or a device → its name and the reason, nothing sent', async () => {
    asked.length = 0;
    for (const [file, reason] of [
      [join(folder, 'none.csv'), 'there is no such file'],
      [folder, `it is a folder; send it as one zip archive: zip -r ${folder}.zip ${folder}`],
      ['/dev/null', 'it is no regular file; save what it holds in one'],
    ] as const)
      await assert.rejects(run('lab experiments upload DEMO-001-001', [file]), {
        message: `${file} cannot be read: ${reason}.`,
        exitCode: 2,
      });
    assert.deepEqual(asked, []);
  });

  it('--idempotency-key: a line break in it → the option, and no word about the token', async () => {
    await assert.rejects(
      run('tokens create --name x --role member --expires-in 7d', ['--idempotency-key', 'a\nb']),
      {
        message: '--idempotency-key must be a text of one line, without control characters.',
        exitCode: 2,
      },
    );
  });

  it('--fields: control characters in an answer → spaces, one value on each line', async () => {
    answer = JSON.stringify({ name: 'a\u001B[31mb\nc\u202Ed', code: 'X-1' });
    assert.equal(await run('experiments show DEMO-001-001 --fields name,code'), 'a [31mb c d\nX-1\n');
  });

  it('--fields: names behind dots → what stands in the parts, empty where a part lacks it', async () => {
    const items = [
      { sequence_name: 'a', quantities: { kd: { value: 1e-8 } } },
      { sequence_name: 'b', quantities: {} },
    ];
    answer = JSON.stringify({ items, count: 2, offset: 0, total: 2 });
    const printed = await run('results list --csv --fields sequence_name,quantities.kd.value');
    assert.equal(printed, 'sequence_name,quantities.kd.value\r\na,1e-8\r\nb,\r\n');
  });

  it('--fields: a name that the answer does not have → the names that it has, nothing sent', async () => {
    asked.length = 0;
    await assert.rejects(run('target-requests create --name x --product-id y --fields nam'), {
      message: 'There is no field "nam"; there are id, status, created_at.',
      exitCode: 2,
    });
    assert.deepEqual(asked, []);
  });

  it('a stream: on a terminal → a line for people of each update; a pipe or --json → the data', async () => {
    const update = {
      timestamp: '2026-01-02T03:04:05.000Z',
      experiment_code: 'X-1',
      name: 'Results available',
      description: '52 results\u001B[31m released.',
    };
    answer = `id: 1\ndata: ${JSON.stringify(update)}\n\nid: 2\n\n`;
    const line =
      /^2026-01-0\d \d\d:\d\d [+-]\d\d:\d\d {2}X-1 {2}Results available {2}52 results \[31m released\.\n$/;
    assert.match(await run('updates stream', [], 80), line);
    assert.deepEqual(JSON.parse(await run('updates stream')), update);
    assert.deepEqual(JSON.parse(await run('updates stream', ['--json'], 80)), update);
    assert.equal(await run('updates stream --fields name', [], 80), '{"name":"Results available"}\n');
  });

  it('help: long flags in a terminal of 80 columns → no line is longer, the example aside', async () => {
    for (const words of ['experiments create', 'tokens attenuate', 'lab target-requests approve']) {
      const [help = ''] = (await run(words, ['--help'], 80)).split('\nExample:');
      assert.match(help, /--json/);
      assert.deepEqual(
        help.split('\n').filter((line) => measureWidth(line) > 80),
        [],
      );
    }
  });
});
