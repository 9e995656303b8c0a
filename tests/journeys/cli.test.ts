/** The client commands against a real service: a whole order from the shell, and every way to be refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { ROOT, runAssayer, runAssayerProcess, type CliAnswer } from './cli-process.ts';

const WORK_EVERY_MS = 50;
const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-'));
const dataDir = join(folder, 'data');
const { service: opened, token, runLab } = await testService();
const server = { url: await opened.app.listen({ host: '127.0.0.1', port: 0 }), token };
opened.setBaseUrl(server.url);

function createFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const designs = createFile(
  'designs.fasta',
  `>first some words\r\n${VHH.toLowerCase()}\r\n\r\n>second\r\n${VHH}\r\nWW\r\n`,
);

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command against the service of this file, whose worker works beside it but moves no clock. */
async function ask(...args: readonly string[]): Promise<CliAnswer> {
  const ended = new AbortController();
  const work = (async () => {
    while (!ended.signal.aborted) {
      await opened.worker.runDue();
      await pause(WORK_EVERY_MS);
    }
  })();
  const answer = await runAssayer(args, { server }).finally(() => ended.abort());
  await work;
  return answer;
}

function parseJson(answer: CliAnswer): Json {
  assert.equal(answer.code, 0, answer.err);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- walked by names, read by getItems and its kin
  return JSON.parse(answer.out) as Json;
}

function expectRefused(answer: CliAnswer, code: number, sentence: RegExp): void {
  assert.match(answer.err, sentence);
  assert.equal(answer.code, code, answer.err);
  assert.equal(answer.out, '', 'nothing but data on standard output');
  assert.doesNotMatch(answer.err, /^\s+at /m, 'no stack');
}

describe('orders from targets to results', () => {
  it('assayer targets list: with and without --json → a table, or records of the same targets', async () => {
    const table = await ask('targets', 'list', '--search', 'EGFR');
    assert.equal(table.code, 0, table.err);
    assert.match(table.out, /^NAME\t.*\nEGFR\t.*Homo sapiens/);
    const listed = await ask('targets', 'list', '--selfservice-only', '--json');
    const lines = listed.out.trimEnd().split('\n');
    assert.ok(lines.length > 20);
    assert.ok(lines.every((line) => JSON.parse(line).selfservice === true));
  });

  it('assayer targets list: a terminal of 40 columns → colors and rows cut to it; with NO_COLOR → no colors', async () => {
    const terminal = { server, columns: 40 };
    const colored = await runAssayer(['targets', 'list', '--search', 'EGFR'], terminal);
    assert.ok(colored.out.startsWith('\u001B[1m'), colored.out);
    const plain = await runAssayer(['targets', 'list', '--search', 'EGFR'], {
      ...terminal,
      env: { NO_COLOR: '1' },
    });
    assert.ok(!plain.out.includes('\u001B'));
    assert.ok(plain.out.split('\n').every((line) => line.length <= 40));
  });

  it('assayer estimate: sequences on standard input → the lines of the price and the warnings', async () => {
    const args = ['estimate', '-', '--target', 'P00533', '--replicates', '2'];
    const answer = await runAssayer(args, { server, input: `>a\n${VHH}C\n` });
    assert.equal(answer.code, 0, answer.err);
    assert.match(answer.out, /^1 sequence, affinity against EGFR\n/);
    assert.match(answer.out, /Total +\$\d+\.\d\d/);
    assert.match(answer.out, /Worth knowing\n(?: {2}- .*\n)*? {2}- a: The number of cysteines is odd \(3\)/);
  });

  it('assayer submit, accept, watch, results: one after the other → the order goes from quote to results', async () => {
    const submitted = await ask('submit', designs, '--target', 'egfr', '--library', 'enriched', '--json');
    const order = parseJson(submitted);
    const code = getText(order.experiment_code);
    assert.equal(order.status, 'quote_sent');
    const early = await ask('results', code);
    assert.equal(early.code, 1);
    assert.match(early.err, new RegExp(`No results of ${code} yet: it is quote sent \\(your turn`));
    const accepted = await ask('accept', code, '--purchase-order', 'PO-7', '--pay', '--yes');
    assert.equal(accepted.code, 0, accepted.err);
    assert.match(accepted.out, /^INV-\S+ is paid/);
    const again = await ask('accept', code);
    assert.equal(again.code, 0, again.err);
    assert.match(again.err, /was accepted before; nothing is ordered again/);
    const [watched] = await Promise.all([ask('watch', code, '--timeout', '100'), runLab()]);
    assert.equal(watched.code, 0, watched.err);
    assert.match(watched.out, /^\S+Z {2}Experiment created[^]*Z {2}Results released {2}done\n$/);
    const events = (await ask('watch', code, '--json')).out.trimEnd().split('\n');
    assert.deepEqual(events, [...new Set(events)], 'each update once');
    assert.equal(events.length, watched.out.trimEnd().split('\n').length);
    const csv = await ask('results', code, '--csv');
    assert.match(csv.out, /^grade,experiment_code,place,sequence_name[^]*\r\n[a-z_]+,DEMO-[^]*\r\n$/);
    const listed = parseJson(await ask('results', code, '--json'));
    assert.deepEqual(
      getItems(listed.items)
        .map(({ sequence_name: name }) => getText(name))
        .sort(),
      ['first', 'second'],
    );
  });

  it('assayer submit --accept --pay: an order → accepted and paid by one command', async () => {
    const answer = await ask('submit', designs, '-t', 'HER2', '--type', 'screening', '--accept', '--pay');
    assert.equal(answer.code, 0, answer.err);
    assert.match(
      answer.out,
      /^Experiment {2}DEMO-\S+\nQuote {7}\$.*, accepted\nInvoice {5}INV-\S+, paid\nNext/,
    );
  });

  it('assayer submit --accept --json: accepted → the quote as it is afterwards', async () => {
    const order = parseJson(await ask('submit', designs, '-t', 'EGFR', '--accept', '--json'));
    assert.equal(order.status, 'waiting_for_materials');
    assert.equal(order.quote?.status, 'accepted');
  });

  it('looks_like_dna: a file of DNA → refused with the way out; with --translate → the protein is ordered', async () => {
    const genes = createFile(
      'genes.fasta',
      `>gene\nATGAGCAAAGGCGAAGAACTG\nTTTACCGGCGTGGTGCCGtaa\n>shifted\nT${'AACATGACG'.repeat(4)}\n>protein\n${VHH}\n`,
    );
    expectRefused(await ask('submit', genes, '-t', 'EGFR'), 1, /gene, chain 1 looks like DNA[^]*--translate/);
    const submitted = await ask('submit', genes, '-t', 'EGFR', '--translate', '--json');
    assert.match(submitted.err, /Translated 2 sequences of DNA\.[^]*shifted: translated in reading frame 2/);
    const code = getText(parseJson(submitted).experiment_code);
    const listed = await ask('sequences', 'list', '--filter', `eq(experiment_code,'${code}')`, '--json');
    for (const preview of ['MSKGEELFTGVVP', VHH.slice(0, 20), 'NMTNMTNMTNMT'])
      assert.match(listed.out, new RegExp(`"aa_preview": ?"${preview}"`));
    const bad = createFile('bad-gene.fasta', '>gene\nATGGANACCATGGANACCATGGANACCATGGANACC\n');
    expectRefused(
      await ask('estimate', bad, '-t', 'EGFR', '--translate'),
      2,
      /bad-gene\.fasta:1: "gene" cannot be translated: the codon GAN at position 4/,
    );
  });

  it('assayer submit --draft: --translate on FASTA and on CSV of DNA → drafts of the protein, controls kept; without → refused', async () => {
    const gene = 'ATGAGCAAAGGCGAAGAACTGTTTACCGGCGTGGTGCCGTAA';
    const fasta = createFile('draft-genes.fasta', `>gene\n${gene}\n>protein\n${VHH}\n`);
    const table = createFile('draft-genes.csv', `name,sequence,control\ngene,${gene},yes\nprotein,${VHH},\n`);
    expectRefused(await ask('submit', fasta, '--type', 'expression', '--draft'), 1, /looks like DNA/);
    for (const file of [fasta, table]) {
      const made = await ask('submit', file, '--type', 'expression', '--translate', '--draft', '--json');
      assert.match(made.err, /Translated 1 sequence of DNA\./);
      const { status, experiment_code: code } = parseJson(made);
      assert.equal(status, 'draft');
      const filter = `eq(experiment_code,'${getText(code)}')`;
      const listed = await ask('sequences', 'list', '--filter', filter, '--json');
      assert.match(listed.out, /"aa_preview": ?"MSKGEELFTGVVP"/);
      assert.equal(/"is_control": ?true/.test(listed.out), file === table);
    }
    const bad = createFile('draft-bad.fasta', '>gene\nATGGANACCATGGANACCATGGANACCATGGANACC\n');
    const refused = await ask('submit', bad, '--type', 'expression', '--translate', '--draft');
    expectRefused(refused, 2, /draft-bad\.fasta:1: "gene" cannot be translated/);
  });

  it('assayer submit: an assay without a target → estimated, ordered and paid with neither target nor method', async () => {
    for (const type of ['thermostability', 'expression', 'fluorescence']) {
      const estimated = await ask('estimate', designs, '--type', type, '--replicates', '2');
      assert.equal(estimated.code, 0, estimated.err);
      assert.match(estimated.out, new RegExp(`^2 sequences, ${type}\\n[^]*Total +\\$\\d`));
      assert.doesNotMatch(estimated.out, /Target|against/);
      const order = parseJson(await ask('submit', designs, '--type', type, '--accept', '--pay', '--json'));
      assert.equal(order.paid, true);
      const listed = await ask('experiments', 'list', '--filter', `eq(experiment_type,${type})`, '--json');
      assert.match(listed.out, new RegExp(`"name": ?"designs, ${type}"`));
    }
  });

  it('assayer experiments import, clone: a CSV file, then a copy of its draft, submitted → a quote; a bad row → exit code 1 names its line', async () => {
    const table = createFile('plate.csv', `name,sequence,control\n10,${VHH},\n9,${VHH}W,yes\n`);
    const importFile = (file: string, ...more: string[]) =>
      ask('experiments', 'import', file, '--name', 'plate', '--experiment-type', 'expression', ...more);
    const made = parseJson(await importFile(table, '--n-replicates', '2', '--json'));
    assert.equal(made.status, 'draft');
    const code = getText(made.experiment_code);
    const clone = ['experiments', 'clone', code, '--name', 'round 2', '--n-replicates'];
    const copy = getText(parseJson(await ask(...clone, '4', '--json')).experiment_code);
    assert.notEqual(copy, code);
    const shown = parseJson(await ask('experiments', 'show', 'round 2', '--json'));
    assert.deepEqual([shown.code, shown.n_replicates], [copy, 4]);
    const bad = createFile('bad.csv', `name,sequence\na,${VHH}\na,${VHH}\n`);
    expectRefused(await importFile(bad), 1, /line 3: the name "a" is already used in line 2/);
    expectRefused(await ask('experiments', 'clone', 'DEMO-009-009'), 1, /No such experiment/);
    const ordered = parseJson(await ask('submit', copy, '--accept', '--json'));
    assert.equal(ordered.experiment_code, copy);
    assert.equal(ordered.quote?.status, 'accepted');
    expectRefused(await ask('submit', copy), 1, /submitted|status|draft/i);
    expectRefused(await ask('submit', code, '--replicates', '2'), 2, /--replicates goes with a file/);
    expectRefused(await ask('submit', 'DEMO-009-009'), 1, /No such experiment/);
    expectRefused(await ask(...clone, '9'), 1, /--n-replicates must be between 1 and 5/);
  });

  it('assayer submit --accept: the lab prices the target by hand → exit code 1, and the experiment is kept', async () => {
    const answer = await ask('submit', designs, '-t', 'CD19', '--accept');
    assert.equal(answer.code, 1);
    assert.match(answer.err, /prices DEMO-\S+ by hand/);
    assert.match(answer.out, /^Experiment {2}DEMO-/);
  });

  it('assayer --data-dir: a local service → found by its data directory', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'sandbox.json'), JSON.stringify(server));
    const answer = await runAssayer(['targets', 'list', '--search', 'GFP', '--data-dir', dataDir]);
    assert.equal(answer.code, 0, answer.err);
  });
});

describe('the binary', () => {
  it('assayer as a process: a refusal, wrong arguments → exit codes 1 and 2, and nothing on standard output', async () => {
    const [refused, wrong] = await Promise.all([
      runAssayerProcess(['results', 'NONE-1'], { server }),
      runAssayerProcess(['results', 'X', '--xml']),
    ]);
    expectRefused(refused, 1, /^No such experiment\.\n/);
    expectRefused(wrong, 2, /has no option --xml/);
  });

  it('assayer as a process: the reader closes its end early → exit code 0 and no complaint', async () => {
    const args = ['targets', 'list', '--all', '--json'];
    const answer = await runAssayerProcess(args, { server, isReadOnce: true });
    assert.deepEqual([answer.code, answer.err], [0, '']);
    const unheard = await runAssayerProcess(['results', 'NONE-1'], { server, isErrorUnread: true });
    assert.deepEqual([unheard.code, unheard.out], [1, '']);
  });

  it('assayer as a process: every command of a client is loaded → without the schema library, which takes longer than all else', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const load = (url, context, next) => (console.log(url), next(url, context));
      registerHooks({ load });
      const { findCommand, listCommands } = await import('./src/cli/commands.ts');
      for (const { name, readGuide } of listCommands()) if (findCommand([name])?.isClient) await readGuide();
    `;
    const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: ROOT });
    const loaded = out.toString('utf8').trimEnd().split('\n');
    assert.ok(loaded.some((url) => url.endsWith('/src/cli/submit.ts')));
    assert.deepEqual(
      loaded.filter((line) => line.startsWith('file:') && line.includes('/node_modules/')),
      [],
    );
  });

  it('assayer watch: interrupted → exit code 130 at once, without a stack', async () => {
    const { experiment_code: code } = parseJson(await ask('submit', designs, '-t', 'EGFR', '--json'));
    const answer = await runAssayerProcess(['watch', getText(code)], {
      server,
      onOutput: (err, interrupt) => err.includes('your turn') && interrupt(),
    });
    assert.equal(answer.code, 130);
    assert.doesNotMatch(answer.err, /^\s+at /m);
  });
});

describe('wrong arguments', () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a missing target', ['estimate', designs], /^--target is missing/],
    ['an unknown assay', ['submit', designs, '--type', 'yeast'], /must be affinity, .*fluorescence/],
    [
      'a target for an assay without one',
      ['submit', designs, '--type', 'thermostability', '-t', 'EGFR'],
      /^--target does not apply to thermostability, which has no target/,
    ],
    [
      'a method for an assay without one',
      ['estimate', designs, '--type', 'expression', '--method', 'bli'],
      /^--method does not apply to expression/,
    ],
    [
      'concentrations for an assay without them',
      ['estimate', designs, '-t', 'EGFR', '--type', 'screening', '--concentrations', '100'],
      /^--concentrations does not apply to screening/,
    ],
    ['an unknown method', ['estimate', designs, '-t', 'EGFR', '--method', 'itc'], /bli or spr/],
    ['an impossible number', ['submit', designs, '-t', 'EGFR', '--replicates', '9'], /from 1 to 5/],
    ['payment without acceptance', ['submit', designs, '-t', 'EGFR', '--pay'], /--pay needs --accept/],
    ...['http://x/?token=secret', 'http://ada:secret@x', 'ftp://ada:secret@x', 'http://x#secret'].map(
      (address) =>
        [
          `an address that holds more: ${address}`,
          ['whoami', '--url', address, '--token', 'x'],
          /^The address of the service may hold no name, password or query;(?!.*secret)/,
        ] as const,
    ),
    ['an invalid address', ['targets', 'list', '--url', 'lab', '--token', 'x'], /must begin with http/],
    ['a missing file', ['estimate', join(folder, 'none.fasta'), '-t', 'EGFR'], /no such file/],
  ];
  for (const [what, args, sentence] of cases)
    it(`exit code 2: ${what} → a sentence`, async () => expectRefused(await ask(...args), 2, sentence));

  it('exit code 2: a bad FASTA file → the sentence names file, line and letter', async () => {
    const bad = createFile('bad.fasta', `ACD\n>a\nAC1D\n>a\n${VHH}\n`);
    const answer = await ask('submit', bad, '-t', 'EGFR');
    expectRefused(
      answer,
      2,
      /bad\.fasta:1: a sequence stands before[^]*bad\.fasta:3: "1"[^]*bad\.fasta:4: the name "a"/,
    );
  });
});

describe('refusals and failures', () => {
  it('exit code 1: a bad token → the sentence and the request id', async () => {
    const { url } = server;
    expectRefused(
      await runAssayer(['targets', 'list', '--url', url, '--token', 'asy_test_x']),
      1,
      /token[^]*request req_/,
    );
  });

  it('exit code 1: the service refuses sequences → each problem and the request id', async () => {
    const odd = createFile('odd.fasta', '>a\nACDX\n>b\nACDB\n');
    const answer = await ask('submit', odd, '-t', 'EGFR');
    expectRefused(answer, 1, / {2}- \S+\.a: .*X[^]* {2}- \S+\.b: .*B[^]*\(\w+, request req_/);
  });

  it('experiment_not_found: watch, results or accept of an unknown experiment → exit code 1 and a sentence', async () => {
    for (const command of ['watch', 'results', 'accept'])
      expectRefused(
        await ask(command, 'NONE-1'),
        1,
        /^No such experiment\.\n.*list" lists what there is\.\n {2}\(experiment_not_found, request req_/,
      );
  });

  it('exit code 1: an unknown target → the sentence names similar targets', async () => {
    expectRefused(
      await ask('estimate', designs, '-t', 'EGF'),
      1,
      /No target is called "EGF"[^]*EGFR \(P00533/,
    );
  });

  it('assayer watch --timeout: the experiment is not finished in time → exit code 1 and a sentence', async () => {
    const { experiment_code: code } = parseJson(await ask('submit', designs, '-t', 'EGFR', '--json'));
    const answer = await ask('watch', getText(code), '--timeout', '1');
    assert.equal(answer.code, 1);
    assert.match(answer.err, /is not finished after 1 second: it is [a-z ]+ \(.+\)\./);
  });

  it('exit code 1: no service is known on this machine → the sentence says how to start one', async () => {
    expectRefused(
      await runAssayer(['targets', 'list']),
      1,
      /^No service is known on this machine: start one with "npm start"/,
    );
  });

  it('exit codes 1 and 3: another program or no service at the address → a sentence that says so', async () => {
    const other = createServer((_request, response) => response.end('<html>hello</html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has a numbered port
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      const wrong = await runAssayer(['targets', 'list', '--url', url, '--token', 'x']);
      expectRefused(wrong, 1, /answered 200 with something that is not this API/);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    expectRefused(
      await runAssayer(['targets', 'list', '--url', url, '--token', 'x']),
      3,
      /^No service answers at http/,
    );
  });
});
