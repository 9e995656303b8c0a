/** The lab's day from the shell: what waits, what files hold, the plates, the catalog, the staff, the control charts. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, getText, parseJson, testService } from '#testing/service.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const service = await testService();
const { ask, issueToken, token } = service;
const build = await createBuilders(service);
const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-verbs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const runLabCommand = (args: readonly string[], input = '', as = token): Promise<CliAnswer> =>
  runAssayer(['lab', ...args], { server: { url, token: as }, input });
const runForOutput = async (args: readonly string[], input = ''): Promise<string> => {
  const answer = await runLabCommand(args, input);
  assert.equal(answer.code, 0, answer.err);
  return answer.out;
};

function createFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const decode = ({ content_base64: content }: { readonly content_base64: string }) =>
  Buffer.from(content, 'base64').toString();
const named = createSequences(1);
const plateFile = createFile('plate 1.csv', decode(createRawFile(named)));
const strangerFile = createFile('stranger.csv', decode(createRawFile({ stranger: named['design-1'] ?? '' })));

const VERBS = ['preview', 'map', 'plan', 'example-files', 'targets', 'charts'] as const;

test('assayer lab: --help of each verb → its own usage; an unknown option → exit code 2', async () => {
  for (const verb of VERBS) {
    assert.match(await runForOutput([verb, '--help']), new RegExp(`^Usage: assayer lab ${verb}`));
    const answer = await runLabCommand([verb, 'X', '--nothing']);
    assert.equal(answer.code, 2);
    assert.match(answer.err, new RegExp(`"assayer lab ${verb}" has no option --nothing`));
  }
});

test('assayer lab: a client calls any of them → refused with exit code 1', async () => {
  const client = await issueToken({ role: 'admin', ownOrganization: true });
  const entries = createFile('entries.json', '[]');
  for (const args of [
    ['preview', 'X-1', plateFile],
    ['map', 'X-1', '--entries', entries],
    ['plan', 'X-1'],
    ['example-files', 'X-1'],
    ['experiments', 'list'],
    ['targets'],
    ['staff', 'list'],
    ['charts'],
  ]) {
    const answer = await runLabCommand(args, '', client);
    assert.equal(answer.code, 1, args.join(' '));
    assert.match(answer.err, /permission_denied/);
  }
});

test('assayer lab example-files: an order and a planned run → files that are named as simulated and fit; never over another', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  const out = join(folder, 'examples');
  const written = (await runForOutput(['example-files', code, '--out', out])).trim().split('\n');
  const [file = ''] = written;
  assert.match(basename(file), /^simulated-/);
  assert.match(readFileSync(file, 'utf8'), /^# instrument: Simulated BLI$/m);
  assert.doesNotMatch(await runForOutput(['preview', code, ...written]), /Nobody ordered|error:/);
  const again = await runLabCommand(['example-files', code, '--out', out]);
  assert.equal(again.code, 1);
  assert.match(again.err, /exists already; --force replaces it/);
  await runForOutput(['example-files', code, '--out', out, '--force']);
  const { id } = await build.createStartedRun();
  const [plate = ''] = (await runForOutput(['example-files', '--run', id, '--out', join(out, 'run')]))
    .trim()
    .split('\n');
  assert.equal(basename(plate), 'simulated-P1-traces.csv');
  assert.match(await runForOutput(['upload', '--run', id, plate]), /curves? of its own/);
});

test('assayer lab example-files: a run that repeats a replicate → only that one, in a file of another name, which counts with the earlier', async () => {
  const sequences = createSequences(2);
  const spec = { sequences, experiment_type: 'affinity', n_replicates: 2 };
  const { id, code } = await build.createRunning(build.createBody(spec));
  const out = join(folder, 'repeat');
  const write = async (): Promise<readonly string[]> =>
    (await runForOutput(['example-files', code, '--out', out])).trim().split('\n');
  const listMeasured = (file: string): string[] => {
    const dips = readFileSync(file, 'utf8').matchAll(/,sample,(design-\d),(\d),/g);
    return [...new Set([...dips].map(([, name, replicate]) => `${name} ${replicate}`))].toSorted();
  };
  const measure = async (files: readonly string[]): Promise<void> => {
    await runForOutput(['upload', code, ...files]);
    await runForOutput(['complete', code]);
    while ((await service.service.worker.runDue()) > 0);
  };
  const listReplicates = async (name: string) => {
    const { body } = await ask('GET', `/lab/experiments/${id}/results?limit=100`);
    const result = getItems(body.items).find((item) => getText(item.sequence_name) === name);
    return getItems(getItems(result?.rows)[0]?.replicates);
  };
  const whole = await write();
  assert.deepEqual(whole.flatMap(listMeasured), ['design-1 1', 'design-1 2', 'design-2 1', 'design-2 2']);
  await measure(whole);
  const [measured] = await listReplicates('design-2');
  const decision = { sequence: 'design-2', decision: 'repeat', reason: 'An air bubble.' };
  const key = { plate: measured?.plate, replicate: measured?.replicate };
  const body = { decisions: [{ ...decision, ...key }] };
  expectStatus(await ask('POST', `/lab/experiments/${id}/decisions`, { body }), 200);
  const repeated = await write();
  assert.deepEqual(
    repeated.map((file) => basename(file)),
    [`simulated-${code}-run2-P1.csv`],
  );
  assert.deepEqual(repeated.flatMap(listMeasured), ['design-2 1']);
  await measure(repeated);
  const plates = (await listReplicates('design-2')).map(({ plate }) => plate);
  assert.ok(plates.some((plate) => getText(plate) === 'P1 (run 2)'));
});

test('assayer lab example-files: a planned run of another assay, an unknown run → exit code 1 with what to do', async () => {
  const stored = await build.createStoredRun();
  const { database } = service.service;
  await database.read.query(`update lab_runs set experiment_type = 'thermostability' where id = $1`, [
    stored,
  ]);
  const other = await runLabCommand(['example-files', '--run', stored]);
  assert.equal(other.code, 1);
  assert.match(other.err, /is a run of thermostability; .* Name one of its orders instead/);
  assert.equal((await runLabCommand(['example-files', '--run', 'RUN-999999'])).code, 1);
});

test('assayer lab example-files: the plan names a sequence that its orders lack → exit code 1 with what to do', async () => {
  const stored = await build.createStoredRun();
  const { database } = service.service;
  await database.read.query(
    `update lab_runs set plan = replace(plan::text, '"sequence_id": "', '"sequence_id": "0')::jsonb where id = $1`,
    [stored],
  );
  const refused = await runLabCommand(['example-files', '--run', stored]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /^RUN-\d+ has no example files\. Its plan names .+, which is no sequence of its orders: .* name one of its orders instead\.\n$/,
  );
});

test('assayer lab preview: one file, several files, those of the run → wells and problems; a bad file → exit code 1', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  const one = await runForOutput(['preview', code, plateFile]);
  assert.match(one, /^plate 1\.csv, version 1: /);
  assert.match(one, /WELL +ROLE +SAMPLE/);
  assert.match(one, /design-1/);
  const several = await runForOutput(['preview', code, plateFile, strangerFile]);
  assert.match(several, /stranger\.csv, version 1/);
  assert.match(several, /warning: Nobody ordered stranger/);
  const bad = await runLabCommand(['preview', code, createFile('notes.txt', 'hello')]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /error: notes\.txt, line 1, column 1: expected a trace file/);
  assert.match((await runLabCommand(['preview', code])).err, /run_without_files/);
});

test('assayer lab map: a sample of another name → the preview matches it; a file that is not JSON → exit code 2', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  await runForOutput(['upload', code, strangerFile]);
  assert.match(await runForOutput(['preview', code]), /Nobody ordered stranger/);
  const entries = JSON.stringify([{ sample: 'stranger', role: 'sample', sequence: 'design-1' }]);
  const mapped = await runForOutput(['map', code, '--entries', '-', '--reason', 'old name'], entries);
  assert.match(mapped, /: mapping version 1, 1 line/);
  const shown = await runForOutput(['preview', code, '--json']);
  assert.deepEqual(parseJson(shown).samples_not_ordered, []);
  const wrong = await runLabCommand(['map', code, '--entries', '-'], 'no JSON');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /is not JSON; write \[\{"well"/);
});

test('assayer lab review: a concentration is excluded, then accepted → the list has the reason, and the analysis goes on; wrong use → exit code 2', async () => {
  const spec = { sequences: named, experiment_type: 'affinity', n_replicates: 3 };
  const { id, code } = await build.createRunning(build.createBody(spec));
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/files`, { body: createRawFile(named, 'affinity') }),
    201,
  );
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/complete`, {
      body: { reason: 'Less than ordered is enough.' },
    }),
    200,
  );
  while ((await service.service.worker.runDue()) > 0);
  const first = await runForOutput(['review', code]);
  assert.match(first, /version 1 waits for its release, \d sequence/);
  assert.match(first, /\nLess than ordered: 2 of 3 ordered replicates.*\. A release needs --reason\./);
  const [name = ''] = Object.keys(named);
  const where = [name, '--plate', 'P1', '--replicate', '1', '--concentration-nm', '1000'];
  const decided = await runForOutput(['review', code, '--exclude', ...where, '--reason', 'An air bubble.']);
  assert.match(decided, /the files are analyzed again/);
  const shown = await runForOutput(['review', code]);
  assert.match(shown, /1000\s+exclude\s+An air bubble/);
  const back = parseJson(await runForOutput(['review', code, '--accept', ...where, '--json']));
  assert.equal(back.status, 'in_review');
  for (const wrong of [
    ['--exclude', ...where],
    ['--exclude', name, '--plate', 'P1', '--replicate', 'x', '--reason', 'r'],
    ['--accept', name, '--repeat', name],
    ['--accept', name],
  ])
    assert.equal((await runLabCommand(['review', code, ...wrong])).code, 2, wrong.join(' '));
});

test('assayer lab plan: an experiment of the queue → its plates and their maps; the same seed → the same plan', async () => {
  const { code } = await build.createQueued(
    build.createBody({ experiment_type: 'affinity', sequences: createSequences(2) }),
  );
  const args = ['plan', code, '--positive', 'lysozyme', '--negative', 'buffer-protein', '--seed', '7'];
  const withDoses = [...args, '--concentrations-nm', '100,33,11'];
  const out = join(folder, 'plates');
  const shown = await runLabCommand([...withDoses, '--out', out]);
  assert.match(shown.out, /1 plate of 96 wells, \w+, seed 7/, shown.err);
  assert.match(
    readFileSync(join(out, 'P1.csv'), 'utf8'),
    /^plate,well,role,sample,replicate,concentration_m/,
  );
  const plans = [
    await runLabCommand([...withDoses, '--json']),
    await runLabCommand([...withDoses, '--json']),
  ];
  assert.equal(plans[0]?.out, plans[1]?.out);
  assert.equal((await runLabCommand(['plan', code, '--size', 'many'])).code, 2);
});

test('assayer lab experiments list: an experiment in the lab → its line; a filter that excludes it → none', async () => {
  const { code } = await build.createQueued();
  const fields = 'code,status,waiting_actor';
  const queue = await runForOutput([
    'experiments',
    'list',
    '--filter',
    `eq(code,${code})`,
    '--fields',
    fields,
  ]);
  assert.match(queue, new RegExp(`^code\tstatus\twaiting_actor\n${code}\tin_queue\t`));
  const other = await runLabCommand(['experiments', 'list', '--filter', 'eq(code,NOBODY-1)']);
  assert.deepEqual([other.code, other.out], [0, '']);
  assert.match(other.err, /Nothing matches/);
});

test('assayer lab targets: list, export, check and import → the catalog and its changes; a wrong file → exit code 1', async () => {
  assert.match(await runForOutput(['targets']), /^CATALOG +NAME/);
  const csv = await runForOutput(['targets', '--export']);
  assert.match(csv, /catalog_number/);
  const [number = ''] = /^[^,\r\n]+(?=,)/m.exec(csv.slice(csv.indexOf('\n') + 1)) ?? [];
  const change = createFile('change.csv', `catalog_number,stock_ug\n${number},123\n`);
  assert.match(await runForOutput(['targets', '--check', change]), /0 added, 1 changed/);
  assert.match(await runForOutput(['targets', '--import', change]), /0 added, 1 changed/);
  const wrong = await runLabCommand([
    'targets',
    '--check',
    createFile('wrong.csv', 'catalog_number,color\nX,red\n'),
  ]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /line 1: /);
  assert.equal((await runLabCommand(['targets', '--export', '--check', change])).code, 2);
});

test('assayer lab prices: list, show, export, check, import and publish → a new version; a wrong file or list → exit code 1', async () => {
  assert.match(await runForOutput(['prices', 'list']), /^VERSION +STATE/);
  assert.match(await runForOutput(['prices', 'show', 'current']), /in effect, effective from 2026-01-20/);
  const csv = await runForOutput(['prices', 'export', 'v1_2026-01-20']);
  assert.match(await runForOutput(['prices', 'import', '-', '--check'], csv), /^Nothing changes/);
  const dearer = csv.replace(/^(price,expression,,)\d+/m, '$19900');
  assert.match(
    await runForOutput(['prices', 'import', '-', '--check'], dearer),
    /^expression: 79\.00 \+ 15\.00 → 99\.00 \+ 15\.00 USD/,
  );
  const args = ['prices', 'import', createFile('prices.csv', dearer), '--effective-from', '2031-07-01'];
  const [, id = ''] = /^Draft ([0-9a-f-]{36}): 5 prices/.exec(await runForOutput(args)) ?? [];
  assert.match(await runForOutput(['prices', 'show', id]), /^draft: draft, effective from 2031-07-01/);
  assert.match(await runForOutput(['prices', 'publish', id]), /^v2_2031-07-01: published/);
  const wrong = await runLabCommand(['prices', 'import', '-', '--check'], 'kind\ngift\n');
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /^line 2: kind "gift"/);
  assert.equal((await runLabCommand(['prices', 'show', 'v9_2031-01-01'])).code, 1);
  assert.equal((await runLabCommand(['prices', 'sell'])).code, 2);
});

test('assayer lab staff: a person is appointed → listed with the roles; a role without a person → exit code 2', async () => {
  const email = await build.createAccount();
  assert.match(
    await runForOutput(['staff', 'appoint', '--email', email, '--roles', 'operator', '--roles', 'finance']),
    /^roles +operator, finance$/m,
  );
  assert.match(await runForOutput(['staff', 'list']), new RegExp(email));
  assert.equal((await runLabCommand(['staff', 'appoint', '--roles', 'operator'])).code, 2);
});

test('assayer lab charts: an analyzed run → a line for each control; a filter that excludes them → none', async () => {
  const { id } = await build.createReviewed();
  expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200);
  const charts = await runForOutput(['charts']);
  assert.match(charts, /^CONTROL +SHOWS/);
  assert.match(charts, /provisional/);
  const none = await runLabCommand(['charts', '--control', 'nobody']);
  assert.deepEqual([none.code, none.out], [0, '']);
});

test('assayer lab --run: a planned run → previewed, mapped, uploaded and completed; both a run and an experiment → exit code 2', async () => {
  const { id, file } = await build.createStartedRun();
  const { code } = expectStatus(await ask('GET', `/lab/runs/${id}`), 200).body;
  const run = ['--run', getText(code)];
  const path = createFile('P1.csv', decode(file));
  assert.match(await runForOutput(['preview', ...run, path]), /P1\.csv, version 1: our own traces/);
  const entries = createFile('run-entries.json', '[{"well": "H12", "role": "left_out"}]');
  assert.match(
    await runForOutput(['map', ...run, '--entries', entries]),
    /^RUN-\d{6}: mapping version 1, 1 line/,
  );
  assert.match(await runForOutput(['upload', ...run, path]), /DEMO-\d+-\d+: \d+ curves of its own/);
  const both = await runLabCommand(['complete', 'DEMO-001-001', ...run]);
  assert.equal(both.code, 2);
  assert.match(await runForOutput(['complete', ...run]), /^RUN-\d{6}, DEMO-\d+-\d+: data analysis/i);
  const again = await runLabCommand(['complete', ...run]);
  assert.equal(again.code, 1);
  assert.match(again.err, /run_not_running/);
  const foreign = await runLabCommand(['release', 'DEMO-001-001', ...run]);
  assert.match(foreign.err, /"assayer lab release" takes no --run/);
});
