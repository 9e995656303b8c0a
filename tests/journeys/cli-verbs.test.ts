/** The verbs of the command line that look at, change and fetch one experiment, against a service in this process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { listCommands } from '#cli/commands.ts';
import { writeHelp } from '#cli/options.ts';
import { operationsByWords } from '#cli/siblings.ts';
import { postMail } from '#features/notifications/mail/mail.ts';
import { createBuilders } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';
import manifest from '../../package.json' with { type: 'json' };
import { ROOT, runAssayer, type CliAnswer, type CliOptions } from './cli-process.ts';

const service = await testService();
const { app, database, work } = service.service;
const build = await createBuilders(service);
const folder = mkdtempSync(join(tmpdir(), 'assayer-verbs-'));
const url = await app.listen({ port: 0, host: '127.0.0.1' });
service.service.setBaseUrl(url);
after(() => rmSync(folder, { recursive: true, force: true }));

const server = { url, token: service.token };
let released = '';
before(async () => {
  released = (await build.createReleased()).code;
});

const run = (args: readonly string[], options: CliOptions = {}): Promise<CliAnswer> =>
  runAssayer(args, { server, ...options });

async function expectDone(args: readonly string[], options: CliOptions = {}): Promise<string> {
  const answer = await run(args, options);
  assert.equal(answer.code, 0, answer.err);
  return answer.out;
}

async function expectRefused(
  args: readonly string[],
  code: number,
  sentence: RegExp,
  options: CliOptions = {},
) {
  const answer = await run(args, options);
  assert.match(answer.err, sentence);
  assert.equal(answer.code, code, answer.err);
  assert.equal(answer.out, '');
}

const createDraft = async (): Promise<string> => (await build.create()).code;

describe('one experiment', () => {
  test('assayer experiments show: as rows, as JSON, and single fields → the experiment; a misspelled field → the nearest', async () => {
    const rows = await expectDone(['experiments', 'show', released]);
    assert.match(rows, new RegExp(`^code +${released}\\n[^]*^status +done$`, 'm'));
    const fields = ['--fields', 'code,status'];
    assert.equal(await expectDone(['experiments', 'show', released, ...fields]), `${released}\ndone\n`);
    const wrong = ['experiments', 'show', released, '--fields', 'stauts'];
    await expectRefused(wrong, 2, /did you mean "status"\?/);
  });

  test('assayer experiments edit: flags, JSON and FASTA of files and of standard input → the draft is changed', async () => {
    const code = await createDraft();
    const edit = ['experiments', 'edit', code];
    const fasta = join(folder, 'only.fasta');
    writeFileSync(fasta, '>only\nQVQLVESGGGLVQAGGSLRLSCAASG\n');
    await expectDone([...edit, '--name', 'round 2', '--n-replicates', '2', '--sequences', `@${fasta}`]);
    await expectDone([...edit, '--body', '-'], { input: '{"description": "for ada"}' });
    const shown = JSON.parse(await expectDone(['experiments', 'show', code, '--json']));
    assert.deepEqual(
      [shown.name, shown.description, shown.n_replicates, shown.sequences],
      ['round 2', 'for ada', 2, [{ name: 'only', fasta: '>only\nQVQLVESGGGLVQAGGSLRLSCAASG' }]],
    );
    await expectDone([...edit, '--sequences', '@-'], { input: 'name,sequence\nrow,QVQLVESGGGLVQAGG\n' });
    await expectDone([...edit, '--description', '@@ada reads this']);
    const again = JSON.parse(await expectDone(['experiments', 'show', code, '--json']));
    assert.deepEqual([again.sequences[0].name, again.description], ['row', '@ada reads this']);
    await expectRefused([...edit, '--sequences', '@-'], 2, /^\(standard input\):2: /, { input: '>a\nA1\n' });
    await expectRefused([...edit, '--body', '-'], 2, /must be one JSON object/, { input: '[1]' });
    const closed = ['experiments', 'edit', released, '--n-replicates', '2'];
    await expectRefused(closed, 1, /experiment_not_editable|experiment_closed/);
  });

  test('assayer experiments cancel, delete: without --yes where nobody can answer → refused; with it → canceled, or the draft deleted', async () => {
    const [canceled, deleted] = [await createDraft(), await createDraft()];
    const cancel = ['experiments', 'cancel', canceled, '--reason', 'ordered twice'];
    await expectRefused(cancel, 2, /Nothing was changed: nobody can answer here, so add --yes/);
    assert.match(await expectDone([...cancel, '--yes']), /^status +canceled$/m);
    await expectDone(['experiments', 'delete', deleted, '--yes']);
    await expectRefused(['experiments', 'show', deleted], 1, /experiment_not_found/);
    await expectRefused(['experiments', 'cancel', released, '--yes'], 1, /move_not_allowed/);
  });

  test('names in place of ids: a target, an experiment, the quote of an experiment → found; two of one name → both are named', async () => {
    const { code } = await build.createQuoted();
    const quote = await expectDone(['quotes', 'show', code, '--fields', 'id']);
    assert.match(quote, /^qt_/);
    await expectDone(['quotes', 'reject', code, '--reason', 'price', '--yes']);
    await workUntil(run(['submit', code]));
    const fields = ['--fields', 'id,status'];
    const open = await expectDone(['quotes', 'show', code, ...fields]);
    assert.match(open, /\nopen\n/);
    assert.ok(!open.startsWith(quote.trim()), open);
    const result = ['lab', 'experiments', 'result', released, 'design-1', '--fields', 'sequence_name'];
    assert.equal(await expectDone(result), 'design-1\n');
    await expectRefused(['targets', 'show', '@x'], 1, /^No target is called "@x"/);
    const text = ['experiments', 'edit', code, '--description', '@ada'];
    await expectRefused(text, 2, /that begins with "@" is written with two\.$/m);
    assert.match(await expectDone(['targets', 'show', 'HER2', '--fields', 'name']), /^HER2$/m);
    const draft = await createDraft();
    await expectDone(['experiments', 'edit', draft, '--target-id', 'ERBB2', '--name', 'twice']);
    const shown = JSON.parse(await expectDone(['experiments', 'show', draft, '--json']));
    assert.equal(shown.target_name, 'HER2');
    await expectDone(['experiments', 'edit', await createDraft(), '--name', 'twice']);
    const twice = ['experiments', 'cancel', 'twice', '--yes'];
    await expectRefused(twice, 1, new RegExp(`"twice" names 2 of them[^]*twice \\(DEMO-\\S+, draft\\)`));
    await expectRefused(
      ['targets', 'show', 'HER'],
      1,
      /^No target is called "HER"\. There are:\n[^]* {2}HER2/,
    );
    await expectRefused(['tokens', 'revoke', 'nobody'], 1, /"assayer tokens list" lists what there is/);
  });

  test('assayer open: no terminal, or --print → the address; without an invoice → a sentence; BROWSER → started', async () => {
    assert.match(await expectDone(['open', released]), new RegExp(`^${url}/experiments/[0-9a-f-]{36}\\n$`));
    assert.match(await expectDone(['open', released, '--invoice', '--print']), /\/pay\//);
    await expectRefused(['open', await createDraft(), '--invoice'], 1, /has no invoice with a page yet/);
    const opened = await run(['open', released], { columns: 80, env: { BROWSER: '/nonexistent/browser' } });
    assert.match(opened.err, /cannot be started\. Open this address yourself: http/);
    if (process.platform === 'linux') {
      const headless = await run(['open', released], {
        columns: 80,
        env: { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' },
      });
      assert.equal(headless.code, 1);
      assert.match(headless.err, /^No browser was found\. Open this address yourself: http/);
    }
  });

  test('assayer download: package, quote and invoice → saved; a file that exists → kept without --force', async () => {
    const file = join(folder, 'package.zip');
    await expectDone(['download', released, '--output', file]);
    assert.equal(readFileSync(file).subarray(0, 2).toString(), 'PK');
    const { mtimeMs } = statSync(file);
    await expectRefused(['download', released, '--output', file], 1, /exists already; --force replaces it/);
    assert.equal(statSync(file).mtimeMs, mtimeMs);
    for (const kind of ['--quote', '--invoice'])
      assert.match(await expectDone(['download', released, kind, '--output', '-']), /^%PDF/);
    await expectRefused(
      ['download', await createDraft(), '-o', join(folder, 'no.zip')],
      1,
      /results_not_released/,
    );
    assert.ok(!existsSync(join(folder, 'no.zip')));
    await expectRefused(['download', released, '-o', '-'], 2, /no text for a terminal/, { columns: 80 });
  });

  test('assayer plot: --output → SVG; an unknown sequence → the nearest; a sequence with a view → refused', async () => {
    assert.match(await expectDone(['plot', released, 'design-1', '--output', '-']), /^<svg|^<\?xml/);
    assert.match(await expectDone(['plot', released, '--view', 'ranking', '-o', '-']), /<svg/);
    await expectRefused(['plot', released, 'desing-1'], 1, /Did you mean "design-1"\?/);
    await expectRefused(['plot', released, '-o', 'figure.png'], 2, /must end in \.svg/);
    await expectRefused(['plot', released, 'design-1', '--view', 'ranking'], 2, /leave the sequence out/);
    await expectRefused(['plot', await createDraft()], 1, /results_not_released|no released results/);
  });

  test('assayer target-requests: a request with chains of a FASTA file, then the list → the request with its state; no product → exit code 2', async () => {
    const args = ['target-requests', 'create', '--name', 'My antigen', '--sequence', '@-'];
    const made = await expectDone([...args, '--product-id', 'T-CLI-1'], { input: '>a\nMKT\nAAA\n>b\nGGG\n' });
    assert.match(made, /^status +pending_review$/m);
    const listed = JSON.parse(await expectDone(['target-requests', 'list', '--json']));
    assert.deepEqual([listed.name, listed.product_id], ['My antigen', 'T-CLI-1']);
    const shown = await expectDone(['target-requests', 'show', 'My antigen', '--json']);
    assert.match(shown, /MKTAAA:GGG/);
    await expectRefused(args, 2, /--product-id/, { input: '>a\nMKT\n' });
  });

  test('assayer mail: mails of the sandbox → newest first, filtered and limited', async () => {
    for (const to of ['ada@example.org', 'bob@example.org'])
      await database.runTransaction((tx) =>
        postMail(work, tx, {
          to,
          subject: `Hello ${to}`,
          content: { paragraphs: ['One.'], action: { label: 'Open', url: `${url}/x` }, footer: 'f' },
        }),
      );
    const out = await expectDone(['mail', '--to', 'ADA@'], { env: { TZ: 'Asia/Kolkata' } });
    assert.match(
      out,
      /^To: {6}ada@example\.org\nDate: {4}\S+Z\nSubject: Hello ada@example\.org\n\nOne\.\n\nOpen: http/,
    );
    assert.ok(!out.includes('bob@'));
    assert.equal((await expectDone(['mail', '--limit', '1', '--json'])).trimEnd().split('\n').length, 1);
    await expectRefused(['mail', '--url', 'http://127.0.0.1:1'], 1, /No service answers/);
  });

  test('assayer accept --pay: by a page and by a card token, twice → accepted, and paid once', async () => {
    for (const method of ['async_invoice', 'mpp-spt']) {
      const { code } = await build.createQuoted(undefined, {
        headers: { 'x-service-payment-method': method },
      });
      const paying = run(['accept', code, '--pay', '--yes', '--json']);
      const answer = await workUntil(paying);
      assert.equal(answer.code, 0, answer.err);
      assert.equal(JSON.parse(answer.out).paid, true);
      const again = await workUntil(run(['accept', code, '--pay', '--yes', '--json']));
      assert.equal(again.code, 0, again.err);
      const { id, status, already_paid: isRepeated } = JSON.parse(again.out);
      assert.equal(isRepeated, true);
      const statement =
        "select id from ledger_transactions where invoice_id = $1 and kind = 'payment_settled'";
      assert.equal(status, 'paid');
      assert.equal((await database.read.query(statement, [id])).length, 1);
    }
  });
});

/** Lets the background work happen that a running service would do by itself. */
async function workUntil<T>(pending: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const done = pending.finally(() => (state.isOver = true));
  while (!state.isOver) {
    await service.service.worker.runDue();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

describe('output', () => {
  test('--json: a refusal, a wrong option and no service → one JSON object with a stable code on standard error', async () => {
    const read = async (args: readonly string[]) => {
      const answer = await run(args);
      assert.equal(answer.out, '');
      return { exit: answer.code, ...JSON.parse(answer.err).error };
    };
    const missing = await read(['experiments', 'show', 'DEMO-009-009', '--json']);
    assert.deepEqual(
      [missing.exit, missing.code, missing.status, missing.message, missing.exit_code],
      [1, 'experiment_not_found', 404, 'No such experiment.', 1],
    );
    assert.match(missing.request_id, /^req_/);
    const wrong = await read(['experiments', 'show', released, '--json', '--xml']);
    assert.deepEqual([wrong.exit, wrong.code, wrong.field, wrong.status], [2, 'usage_error', '--xml', null]);
    const away = await read([
      'experiments',
      'show',
      released,
      '--json',
      '--url',
      'http://127.0.0.1:1',
      '--token',
      'x',
    ]);
    assert.deepEqual([away.exit, away.code], [3, 'service_unreachable']);
    const invalid = await read(['quotes', 'reject', released, '--json', '--reason', 'why']);
    assert.deepEqual([invalid.code, invalid.field], ['usage_error', '--reason']);
  });

  test('assayer experiments list: no terminal → whole cells separated by tabs; --fields → these alone', async () => {
    const lines = (await expectDone(['experiments', 'list', '--filter', `eq(code,${released})`]))
      .trimEnd()
      .split('\n');
    assert.deepEqual(lines[0]?.split('\t').slice(0, 3), ['CODE', 'NAME', 'STATUS']);
    assert.equal(lines[1]?.split('\t')[0], released);
    assert.equal(
      await expectDone([
        'experiments',
        'list',
        '--filter',
        `eq(code,${released})`,
        '--fields',
        'code,status',
      ]),
      `code\tstatus\n${released}\tdone\n`,
    );
    const json = await expectDone(['experiments', 'list', '--limit', '1', '--fields', 'code', '--json']);
    assert.deepEqual(Object.keys(JSON.parse(json)), ['code']);
  });

  test('assayer experiments list: a terminal of 60 columns → every column is there, time and state in the row, in local time with its zone', async () => {
    const args = ['experiments', 'list', '--filter', `eq(code,${released})`];
    for (const [TZ, offset] of [
      ['Asia/Kolkata', '+05:30'],
      ['UTC', '+00:00'],
      ['America/St_Johns', '-03:30'],
    ] as const) {
      const out = await expectDone(args, { columns: 60, env: { TZ, NO_COLOR: '1' } });
      const [head = '', row = '', ...below] = out.split('\n');
      assert.match(head, new RegExp(`^CODE +NAME +STATUS +CREATED AT \\${offset}$`));
      assert.match(row, /binders +done +\d{4}-\d\d-\d\d \d\d:\d\d$/);
      assert.match(below.join('\n'), /experiment type: screening[^]*target name: CD47/);
      assert.ok(
        out
          .split('\n')
          .slice(1)
          .every((line) => line.length <= 60),
        out,
      );
    }
  });

  test('assayer --version, version, help lab preview: no service → the version; the help of a verb of a verb', async () => {
    for (const args of [['--version'], ['-v'], ['version']])
      assert.equal(await expectDone(args), `${manifest.name} ${manifest.version}\n`);
    assert.deepEqual(JSON.parse(await expectDone(['version', '--json'])), {
      name: manifest.name,
      version: manifest.version,
    });
    assert.match(await expectDone(['help', 'lab', 'preview']), /^Usage: assayer lab preview/);
  });
});

describe('completion', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/command-line.md'), 'utf8');
  /** The words that can stand in place of the last one. */
  const complete = async (...typed: readonly string[]): Promise<string[]> => {
    const out = await expectDone(['completion', 'words', '--', ...typed]);
    return out.split('\n').flatMap((line) => (line === '' ? [] : (line.split('\t')[0] ?? [])));
  };

  for (const command of listCommands()) {
    const { name } = command;
    test(`every command: ${name} → help, completion, and a line in the guide`, async () => {
      assert.match(writeHelp(await command.readGuide()), new RegExp(`^Usage: assayer ${name}\\b`));
      assert.ok((await complete(...name.split(' '), '--he')).includes('--help'));
      assert.match(
        guide,
        new RegExp(`\\bassayer ${name}\\b`),
        `docs/guide/command-line.md does not show ${name}`,
      );
    });
  }

  test('assayer completion words: a word begun → commands, verbs, options and codes that continue it', async () => {
    assert.deepEqual(await complete('resu'), ['results']);
    assert.deepEqual(await complete('audit', 'ver'), ['verify']);
    assert.deepEqual(await complete('plot', released, '--vi'), ['--view']);
    assert.ok((await complete('watch', released.slice(0, 4))).includes(released));
    assert.deepEqual(await complete('demo', released.slice(0, 4)), []);
    assert.deepEqual(await complete('partner-t'), ['partner-tokens']);
    assert.deepEqual((await complete('quotes', '')).sort(), ['confirm', 'list', 'reject', 'show']);
    assert.deepEqual(await complete('quotes', 'list', '--fil'), ['--filter']);
    assert.ok((await complete('experiments', 'show', released.slice(0, 4))).includes(released));
    assert.deepEqual(await complete('lab', 'quo'), ['quotes']);
    assert.deepEqual(await complete('lab', 'quotes', 'wi'), ['withdraw']);
    assert.deepEqual(await complete('lab', 'quotes', 'withdraw', 'ID', '--idem'), ['--idempotency-key']);
    assert.deepEqual(await complete('help', 'quotes', 'li'), ['list']);
    assert.deepEqual(await complete('help', 'exit'), ['exit-codes']);
    assert.deepEqual(await complete('no', 'such', 'command'), []);
  });

  test('assayer completion words: an option that takes a value → its choices, fields or names, and no code', async () => {
    assert.deepEqual(await complete('submit', '--type', 'aff'), ['affinity']);
    assert.ok(!(await complete('submit', '--type', '')).includes(released));
    assert.deepEqual(await complete('tokens', 'create', '--expires-in', ''), ['7d', '30d', '90d', '1y']);
    assert.deepEqual(await complete('lab', 'price-lists', 'create', '--prices.method', 'b'), ['bli']);
    const fields = ['code,status', 'code,status_since'];
    assert.deepEqual(await complete('experiments', 'list', '--fields', 'code,stat'), fields);
    assert.deepEqual(await complete('experiments', 'list', '--sort', 'crea'), ['created_at']);
    assert.deepEqual(await complete('results', 'list', '--experiment-id', released), [released]);
    assert.deepEqual(await complete('submit', 'a.fasta', '--target', 'EGF'), ['EGFR']);
    assert.deepEqual(await complete('submit', 'a.fasta', '--name', ''), []);
  });

  test('assayer completion bash: the script in a shell → the words of the program', async () => {
    const program = `${await expectDone(['completion', 'bash'])}
assayer() { printf 'call %s\n' "$*" >&2; printf 'results\tthe results\n'; }
COMP_WORDS=(assayer help 'res'); COMP_CWORD=2; _assayer; printf '%s\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8', cwd: folder });
    assert.equal(out, 'results\n');
  });

  test('assayer completion words: every operation → its words, with every flag of its help', async () => {
    for (const [typed] of operationsByWords) {
      const parts = typed.split(' ');
      assert.ok((await complete(...parts)).includes(parts.at(-1) ?? ''), typed);
    }
    const options = await complete('lab', 'quotes', 'create', '--');
    const help = await expectDone(['lab', 'quotes', 'create', '--help']);
    for (const [flag] of help.matchAll(/^ {2}--[a-z.-]+/gm)) assert.ok(options.includes(flag.trim()), flag);
  });

  test('assayer completion: no service, or one that hangs → no codes, and exit code 0; an unknown shell → exit code 2', async () => {
    const away = { server: { url: 'http://127.0.0.1:1', token: 'x' } };
    const args = ['completion', 'words', '--', 'watch', 'DEMO'];
    assert.deepEqual(await run(args, away), { code: 0, out: '', err: '' });
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const startMs = performance.now();
    const hung = { server: { url: `http://127.0.0.1:${Object(silent.address()).port}`, token: 'x' } };
    assert.deepEqual(await run(args, hung), { code: 0, out: '', err: '' });
    assert.ok(performance.now() - startMs < 10_000);
    silent.close();
    silent.closeAllConnections();
    await expectRefused(['completion', 'tcsh'], 2, /takes bash, zsh, or fish, not "tcsh"/);
  });
});
