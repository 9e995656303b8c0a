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
import { operationsByWords } from './siblings.ts';
import { measureWidth, runInTerminal } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-kit-'));
const asked: string[] = [];
const UUID = '00000000-0000-4000-8000-000000000000';
const sent: string[] = [];
const keys = new Set<unknown>();
let noted = '';
let answer = '{}';
/** Answered before `answer`; undefined ends the connection in place of an answer. */
let queue: ({ readonly status: number; readonly text: string } | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  request.setEncoding('utf8').on('data', (text: string) => sent.push(text));
  keys.add(request.headers['idempotency-key']);
  const { status, text } = queue.length === 0 ? { status: 200, text: answer } : (queue.shift() ?? {});
  if (text === undefined) request.socket.destroy();
  else response.writeHead(status ?? 200, { 'content-type': 'application/json' }).end(text);
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
  const stderr = new PassThrough({ encoding: 'utf8' });
  stderr.on('data', (text: string) => (noted += text));
  noted = '';
  const terminal = {
    stdin: Readable.from([]),
    stdout: Object.assign(stdout, columns === undefined ? {} : { isTTY: true, columns }),
    stderr,
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

  it('lists of records: a flag of an entry given again → the next entry, whose mistake is named', async () => {
    answer = '{}';
    sent.length = 0;
    const group = (type: string, cents: string): string[] => {
      const entry = { 'experiment-type': type, method: 'null', 'unit-price-cents': cents };
      const flags = Object.entries({ ...entry, 'replicate-price-cents': '100' });
      return flags.flatMap(([name, text]) => [`--prices.${name}`, text]);
    };
    const two = [...group('affinity', '21900'), ...group('screening', '9900')];
    const create = ['--effective-from', '2030-01-01T00:00:00Z', ...two];
    await run('lab price-lists create', create);
    const { prices } = JSON.parse(sent.join(''));
    assert.deepEqual(
      prices.map((price: object) => Object.values(price)),
      [
        ['affinity', null, 21_900, 100],
        ['screening', null, 9_900, 100],
      ],
    );
    await assert.rejects(run('lab price-lists create', [...create, ...group('afinity', '1')]), {
      message: '--prices.experiment-type of entry 3 must not be "afinity" (did you mean "affinity"?)',
      exitCode: 2,
    });
    await assert.rejects(run('lab price-lists create', [...create, '--prices', '[]']), {
      message: '--prices and --prices.experiment-type exclude each other.',
      exitCode: 2,
    });
    const file = join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify({ prices }));
    asked.length = 0;
    await assert.rejects(run('lab price-lists create', [...create, '--body', file]), {
      message: '--prices.experiment-type and "prices" of --body exclude each other: give it in one of them.',
      exitCode: 2,
    });
    await assert.rejects(
      run('webhooks create --webhook-url https://hooks.example.org/a --event-types [] --event-types a'),
      { message: '--event-types [] is an empty list, and goes with no other --event-types.', exitCode: 2 },
    );
    assert.deepEqual(asked, []);
  });

  it('repeated options: an option of one value given twice → exit code 2, nothing sent; lists and repeated switches are taken', async () => {
    asked.length = 0;
    for (const [words, name] of [
      ['experiments edit DEMO-001-001 --name a --name b', 'name'],
      ['experiments list --limit 1 --limit 2', 'limit'],
      ['tokens attenuate --attenuation.read-only --no-attenuation.read-only', 'attenuation.read-only'],
    ] as const)
      await assert.rejects(run(words), {
        message: `--${name} is given twice; it takes one value.`,
        exitCode: 2,
      });
    assert.deepEqual(asked, []);
    sent.length = 0;
    const events = '--event-types results.released --event-types invoice.paid --json --json';
    await run(`webhooks create --webhook-url https://hooks.example.org/a ${events}`);
    assert.deepEqual(JSON.parse(sent.join('')).event_types, ['results.released', 'invoice.paid']);
  });

  it('options: another one in place of a value → exit code 2, nothing sent; behind = it is the value', async () => {
    asked.length = 0;
    await assert.rejects(run('experiments edit DEMO-001-001 --name --json'), {
      message:
        '--name needs a value; one that begins with "-" is written --name=VALUE; see "assayer experiments edit --help".',
      exitCode: 2,
    });
    assert.deepEqual(asked, []);
    sent.length = 0;
    await run('experiments edit DEMO-001-001 --name=--json');
    assert.equal(JSON.parse(sent.join('')).name, '--json');
  });

  it('--url: the address of a webhook → the flag for it, nothing sent', async () => {
    asked.length = 0;
    for (const words of ['webhooks create', `webhooks edit ${UUID}`])
      await assert.rejects(run(`${words} --url http://127.0.0.1:4772/hook`), {
        message: '--url is the address of the service; --webhook-url is the one to call.',
        exitCode: 2,
      });
    assert.deepEqual(asked, []);
  });

  it('--yes: an operation that asks nothing → the same as without', async () => {
    answer = '{"code":"X-1"}';
    assert.equal(await run('experiments show DEMO-001-001 --yes --fields code'), 'X-1\n');
  });

  it('choices: a value that is none of them → the value and the nearest', async () => {
    await assert.rejects(
      run('webhooks create --webhook-url https://hooks.example.org/a --event-types results.relased'),
      { message: '--event-types must not be "results.relased" (did you mean "results.released"?)' },
    );
    await assert.rejects(run('tokens create --name x --expires-in 7d --role boss'), {
      message: '--role must not be "boss", but one of viewer, member, billing, admin',
    });
  });

  it('filters: a field given as an option, the code of an experiment as an operand → the words that do it', async () => {
    asked.length = 0;
    const message = (text: string) => ({ message: text, exitCode: 2 });
    await assert.rejects(
      run('experiments list --status done'),
      message(`"assayer experiments list" has no option --status; write --filter 'eq(status,done)'.`),
    );
    await assert.rejects(
      run('results list DEMO-001-001'),
      message('There is one argument too many; fields are flags; write --experiment-id DEMO-001-001.'),
    );
    assert.deepEqual(asked, []);
    assert.match(await run('targets list', ['--help']), /Fields for --filter .*: id, name, /);
  });

  it('filters: one that the service refuses → an example that the list takes, and its search', async () => {
    const problems = [{ path: 'filter', message: 'unknown field "gene_names"' }];
    queue = [{ status: 400, text: JSON.stringify({ error: 'No.', code: 'filter_unknown_field', problems }) }];
    await assert.rejects(
      run('targets list --filter contains(gene_names,EGFR)'),
      /Write it like --filter '\w+\(.*\)' \("assayer help filter"\), or --search TEXT for a part of a name/,
    );
  });

  it('names: a sequence, where the command names its experiment → looked up in that experiment', async () => {
    asked.length = 0;
    const materials = ['--materials.sequence-id', 'd1', '--materials.status', 'received', '--yes'];
    queue = [
      { status: 200, text: JSON.stringify({ sequences: [{ id: UUID, name: 'd1' }] }) },
      { status: 200, text: '{}' },
    ];
    sent.length = 0;
    await run('lab experiments edit-materials DEMO-001-001', materials);
    assert.equal(asked[0], 'GET /api/v1/lab/experiments/DEMO-001-001/sequences');
    assert.equal(JSON.parse(sent.join('')).materials[0].sequence_id, UUID);
  });

  it('audit entries: on a terminal → the words of the command; elsewhere the operation of the API', async () => {
    answer = JSON.stringify({ items: [{ position: 1, operation: 'confirm_experiment_quote' }], total: 1 });
    assert.match(await run('audit list', [], 120), /experiments quote-confirm/);
    assert.match(await run('audit list'), /confirm_experiment_quote/);
  });

  it('names in JSON of a flag and in --body: a name in place of an id → the id, as in flags', async () => {
    const file = join(folder, 'materials.json');
    const materials = [{ sequence_id: 'd1', status: 'received' }];
    writeFileSync(file, JSON.stringify({ materials }));
    const found = JSON.stringify({ sequences: [{ id: UUID, name: 'd1' }] });
    for (const given of [
      ['--materials', JSON.stringify(materials)],
      ['--body', file],
    ]) {
      answer = found;
      sent.length = 0;
      await run('lab experiments edit-materials DEMO-001-001 --yes', given);
      assert.equal(JSON.parse(sent.join('')).materials[0].sequence_id, UUID);
    }
    answer = JSON.stringify({ sequences: [] });
    await assert.rejects(run('lab experiments edit-materials DEMO-001-001 --yes --body', [file]), {
      message: /^No sequence is called "d1"\./,
    });
  });

  it('mistakes: a member that is missing, unknown or no text → the flag or the member in a sentence', async () => {
    asked.length = 0;
    const file = join(folder, 'bogus.json');
    writeFileSync(file, '{"bogus":1}');
    for (const [words, message] of [
      ['tokens attenuate', /^"attenuation" of the body is required: give flags such as --attenuation\.\S+$/m],
      [`webhooks edit ${UUID} --body ${file}`, /^"bogus" of the body is not a known field$/m],
      [
        `webhooks edit ${UUID} --secret é${'a'.repeat(40)}`,
        /^--secret must be plain ASCII text without blanks$/,
      ],
    ] as const)
      await assert.rejects(run(words), { message, exitCode: 2 });
    assert.deepEqual(asked, []);
  });

  it('refusals: the same sentence about one member and a longer one → each flag once', async () => {
    const problems = ['name', 'first_name'].map((path) => ({ path, message: 'is required' }));
    queue.push({
      status: 422,
      text: JSON.stringify({ error: 'Invalid.', code: 'invalid_request', problems }),
    });
    await assert.rejects(run(`webhooks edit ${UUID} --enabled true`), (error: Error) => {
      assert.match(error.message, /- name: is required\n {2}- "first_name" is required/);
      return true;
    });
    queue.push({
      status: 422,
      text: JSON.stringify({ error: 'Invalid.', code: 'invalid_request', problems }),
    });
    await assert.rejects(run('experiments edit DEMO-001-001 --name a'), (error: Error) => {
      assert.match(error.message, /- --name is required\n {2}- "first_name" is required/);
      return true;
    });
  });

  it('refusals: one without the form of the API → a code that the guide names', async () => {
    queue.push({ status: 418, text: '{"detail":"teapot"}' });
    const error = await run('quotes list').catch((reason: unknown) => reason);
    assert.ok(error instanceof CommandError);
    assert.match(describeError(error, ['--json']), /"code":"command_failed"/);
  });

  it('refusals: one that names members → their flags; what no flag gives is only said', async () => {
    const refuse = (path: string, message: string) =>
      queue.push({
        status: 422,
        text: JSON.stringify({
          error: `The request is invalid: ${path} ${message}.`,
          code: 'invalid_request',
          problems: [{ path, message }],
        }),
      });
    refuse('sequence', 'is required, unless pdb_id or pdb_file is given');
    await assert.rejects(run('target-requests create --name x --product-id y'), {
      message: /^The request is invalid: --sequence is required, unless --pdb-id or --pdb-file is given\./,
      exitCode: 1,
    });
    refuse('start_problems.0', 'Its material is missing');
    await assert.rejects(run(`lab runs start ${UUID} --yes`), {
      message: /^The request is invalid: Its material is missing\./,
    });
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
        message: '--idempotency-key takes up to 200 characters of ASCII without blanks, such as a UUID.',
        exitCode: 2,
      },
    );
  });

  it('--fields: control characters in an answer → spaces, one value on each line', async () => {
    answer = JSON.stringify({ name: 'a\u001B[31mb\nc\u202Ed', code: 'X-1' });
    assert.equal(await run('experiments show DEMO-001-001 --fields name,code'), 'a [31mb c d\nX-1\n');
  });

  it('--fields: the only one is a text of several lines → the text as it is, without other control characters', async () => {
    answer = JSON.stringify({ fasta: '>a\nMK\u001BT\n>b\nMK\n' });
    assert.equal(await run('lab experiments sequences DEMO-001-001 --fields fasta'), '>a\nMK T\n>b\nMK\n');
  });

  it('--fields: a name that no record has, also in a part → exit code 2 with the nearest, nothing sent', async () => {
    asked.length = 0;
    for (const form of [[], ['--csv'], ['--json']])
      for (const [field, meant] of [
        ['sequence_nam', 'sequence_name'],
        ['quantities.kd.valu', 'quantities.kd.value'],
        ['qc.flag', 'qc.flags'],
      ])
        await assert.rejects(run(`results list --fields id,${field}`, form), {
          message: `There is no field "${field}" (did you mean "${meant}"?).`,
          exitCode: 2,
        });
    await assert.rejects(run('experiments show DEMO-001-001 --fields code.x'), {
      message: 'There is no field "code.x".',
      exitCode: 2,
    });
    assert.deepEqual(asked, []);
  });

  it('--csv: control characters in an answer → spaces; line breaks in quotes stay', async () => {
    answer = JSON.stringify({ items: [{ code: 'a\u001B[31m', name: 'b\nc\u202Ed' }], total: 1 });
    assert.equal(await run('experiments list --csv --fields code,name'), 'code,name\r\na [31m,"b\nc d"\r\n');
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
    assert.equal(noted, 'Waiting for updates; Ctrl+C ends.\n');
    assert.deepEqual(JSON.parse(await run('updates stream')), update);
    assert.deepEqual(JSON.parse(await run('updates stream', ['--json'], 80)), update);
    assert.equal(await run('updates stream --fields name', [], 80), '{"name":"Results available"}\n');
  });

  it('answer: another form than the contract says → a sentence with the address, no stack', async () => {
    const forms = ['{"items":5}', '{"items":[5],"total":1}', '{"items":[]}', '[]', 'null', '5', '"text"'];
    for (const form of forms) {
      answer = form;
      await assert.rejects(run('quotes list'), /^CommandError: http:\/\/127[^]*; check the address[^\n]*\.$/);
    }
    for (const form of ['[]', 'null', '5'])
      await assert.rejects(
        ((answer = form), run('experiments show DEMO-001-001')),
        /^CommandError: http:\/\/127[^]*; check the address/,
      );
  });

  it('--all: a cursor that comes again → a sentence, and no end without end', async () => {
    answer = JSON.stringify({ items: [{ id: 'a' }], total: 9, next: 'same' });
    asked.length = 0;
    await assert.rejects(run('quotes list --all'), /a page came twice/);
    assert.equal(asked.length, 2);
  });

  it('list: nothing in it → there are none yet; with a filter → nothing matches', async () => {
    answer = JSON.stringify({ items: [], total: 0 });
    for (const [words, sentence] of [
      ['quotes list', 'There are no quotes yet.\n'],
      ['target-requests list', 'There are no target requests yet.\n'],
      ['experiments updates X-1', 'There are no updates yet.\n'],
      ['lab feedback list', 'There is no feedback yet.\n'],
      ['quotes list --search x', 'Nothing matches.\n'],
    ] as const) {
      assert.equal(await run(words), '');
      assert.equal(noted, sentence);
    }
    answer = '[]';
    assert.equal(await run('webhooks list'), '');
    assert.equal(noted, 'There are no webhooks yet.\n');
  });

  it('an answer that is an array: --json, --csv, --limit → as of a list; its address names an item', async () => {
    const address = 'https://example.org/hook';
    answer = JSON.stringify([
      { id: UUID, url: address, enabled: true, event_types: ['a', 'b'] },
      { id: 'y', url: 'https://example.org/other', enabled: true, event_types: [] },
    ]);
    const lines = (await run('webhooks list --json --fields url')).trimEnd().split('\n');
    assert.deepEqual(lines, [`{"url":"${address}"}`, '{"url":"https://example.org/other"}']);
    const [head = '', first = ''] = (await run('webhooks list --csv --limit 1')).split('\r\n');
    assert.deepEqual(
      [head.split(',').slice(0, 2), first.split(',').slice(0, 2), first.includes('a; b')],
      [['id', 'url'], [UUID, address], true],
    );
    assert.equal(noted, '1 of 2; --all lists every one.\n');
    asked.length = 0;
    queue = [answer, '{}'].map((text) => ({ status: 200, text }));
    await run('webhooks test', [address]);
    assert.deepEqual(asked, ['GET /api/v1/webhooks', `POST /api/v1/webhooks/${UUID}/test`]);
  });

  it('--csv: values by open names on later pages → their columns in the only head', async () => {
    const create = (name: string, quantities: object) => ({ id: name, sequence_name: name, quantities });
    const value = {
      value: 1,
      unit: 'M',
      relation: '=',
      ci95_low: null,
      ci95_high: null,
      log10_sd: null,
      n: 1,
    };
    queue = [
      { items: [create('a', { kd: value })], total: 2, next: 'more' },
      { items: [create('b', { tm: value })], total: 2 },
    ].map((page) => ({ status: 200, text: JSON.stringify(page) }));
    const [head = '', ...rows] = (await run('results list --csv')).trimEnd().split('\r\n');
    const titles = head.split(',');
    const cells = rows.map((row) => row.split(',')[titles.indexOf('quantities.tm.value')]);
    assert.ok(titles.includes('quantities.kd.value'));
    assert.deepEqual(cells, ['', '1']);
  });

  it('a record: a section without text → left out; a change → what was given', async () => {
    answer = JSON.stringify({ id: 'x', qc: { details: [] }, analysis: { plates: [{ a: {} }, { b: {} }] } });
    const shown = await run('results show', [UUID], 80);
    assert.doesNotMatch(shown, /plates|\n\n/);
    answer = JSON.stringify({ id: UUID, updated: true });
    assert.match(
      await run('experiments edit DEMO-001-001 --name b --description c'),
      /^changed +name, description$/m,
    );
  });

  it('--body, @FILE, a file of text: input without an end → its name and the limit, nothing sent', async () => {
    asked.length = 0;
    for (const words of [
      'feedback submit --body /dev/zero',
      'feedback submit --title @/dev/urandom',
      'experiments import /dev/full',
    ])
      await assert.rejects(run(words), {
        message: /^\/dev\/\w+ cannot be read: it is larger than 64 MiB\.$/,
        exitCode: 2,
      });
    assert.deepEqual(asked, []);
  });

  it('idempotency key: the connection breaks at each attempt → one key, which the sentence names', async () => {
    queue = [undefined, undefined, undefined];
    keys.clear();
    const error = await run(
      `feedback submit --feedback-type bug_report --request-uuid ${UUID} --title x`,
    ).catch((reason: unknown) => reason);
    assert.ok(error instanceof CommandError);
    const [, key] = /repeat with --idempotency-key (\S+), so/.exec(error.message) ?? [];
    assert.deepEqual([...keys], [key]);
    assert.equal(error.exitCode, 3);
    queue = [undefined, undefined, undefined];
    const read = await run('quotes list').catch((reason: unknown) => reason);
    assert.doesNotMatch(String(read), /idempotency/);
  });

  it('--json: an operation without an answer → an empty object; without --json → a note', async () => {
    queue = [
      { status: 204, text: '' },
      { status: 204, text: '' },
    ];
    assert.equal(await run(`webhooks delete ${UUID} --yes --json`), '{}\n');
    assert.equal(await run(`webhooks delete ${UUID} --yes`), '');
    assert.equal(noted, 'Done.\n');
  });

  it('--watch: a list of things with a state → a line for each change, until it is refused', async () => {
    const list = (status: string) => JSON.stringify({ items: [{ id: 'a', code: 'X-1', status }], total: 1 });
    queue = [
      { status: 200, text: list('draft') },
      { status: 403, text: '{"error":"No.","code":"no"}' },
    ];
    await assert.rejects(run('experiments list --watch --fields code,status --json'), /^RefusedError|No\./);
    await assert.rejects(run('experiments list --watch --all'), { exitCode: 2 });
    await assert.rejects(run('tokens list --watch'), /has no option --watch/);
  });

  it('help: operations and headers that the contract names → commands, in every help', async () => {
    const ids = [...operationsByWords.values()].map(({ id }) => `\`${id}\``);
    for (const words of operationsByWords.keys()) {
      const help = await run(words, ['--help']);
      assert.deepEqual(
        ids.filter((id) => help.includes(id)),
        [],
        words,
      );
      assert.doesNotMatch(help, /header `?[A-Z]|` *[A-Z]+ …?\//, words);
    }
    assert.match(await run('updates stream', ['--help']), /an item of "assayer updates list" as its data/);
    assert.match(
      await run('lab runs add-raw-file', ['--help']),
      /; "assayer lab runs upload" takes the bytes/,
    );
    // An action of a token that is called as an operation.
    assert.match(await run('tokens attenuate', ['--help']), / mint_token,/);
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
