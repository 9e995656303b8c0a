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

const CODE = 'DEMO-009-009';
const VERBS = ['preview', 'example-files'] as const;

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
  for (const args of [
    ['preview', CODE, plateFile],
    ['experiments', 'map', CODE, '--entries', '[]'],
    ['example-files', CODE],
    ['experiments', 'list'],
    ['targets', 'list'],
    ['staff', 'list'],
    ['control-charts', 'list'],
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
  assert.match(await runForOutput(['runs', 'upload', id, plate]), /\nEXPERIMENT CODE\tSTATUS\tCURVES/);
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
    await runForOutput(['experiments', 'upload', code, ...files]);
    await runForOutput(['experiments', 'complete', code]);
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

test('assayer lab experiments map: a sample of another name → the preview matches it; what is not JSON → exit code 2', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  const map = ['experiments', 'map', code];
  await runForOutput(['experiments', 'upload', code, strangerFile]);
  assert.match(await runForOutput(['preview', code]), /Nobody ordered stranger/);
  const entry = ['sample', 'stranger', 'role', 'sample', 'sequence', 'design-1'];
  const flags = entry.map((word, index) => (index % 2 === 0 ? `--entries.${word}` : word));
  const mapped = await runForOutput([...map, ...flags, '--reason', 'old name']);
  assert.match(mapped, /^mapping: version +1$/m);
  assert.match(mapped, /\nmapping: entries\n.*SAMPLE.*\n.*stranger\t/);
  const shown = await runForOutput(['preview', code, '--json']);
  assert.deepEqual(parseJson(shown).samples_not_ordered, []);
  const two = JSON.stringify(['A1', 'A2'].map((well) => ({ well, role: 'left_out' })));
  assert.match(await runForOutput([...map, '--entries', '@-'], two), /^mapping: version +2$/m);
  const wrong = await runLabCommand([...map, '--entries', '@-'], 'no JSON');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /^\(standard input\) is not JSON, which --entries takes\./);
  const role = await runLabCommand([...map, '--entries.well', 'A1', '--entries.role', 'salt']);
  assert.match(role.err, /^--entries\.role /);
});

test('assayer lab experiments decide: a concentration is excluded, then accepted → the review has the reason, and the analysis goes on; wrong use → exit code 2', async () => {
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
  const first = await runForOutput(['experiments', 'review', code]);
  assert.match(first, /^version +1\nawaits +release$/m);
  assert.match(first, /^shortfall: missing +.*2 of 3 ordered replicates/m);
  const [name = ''] = Object.keys(named);
  const decide = (decision: string, ...more: readonly string[]) => {
    const entry = { decision, sequence: name, plate: 'P1', replicate: '1', 'concentration-m': '1e-6' };
    const flags = Object.entries(entry).flatMap(([member, value]) => [`--decisions.${member}`, value]);
    return runLabCommand(['experiments', 'decide', code, '--yes', ...flags, ...more]);
  };
  const decided = await decide('exclude', '--decisions.reason', 'An air bubble.');
  assert.match(decided.out, /^analysis id +[0-9a-f-]{36}$/m, decided.err);
  const shown = await runForOutput(['experiments', 'review', code]);
  assert.match(shown, /1\.0 µM\texclude\tAn air bubble/);
  assert.match((await decide('accept')).out, /^status +in_review$/m);
  for (const wrong of [
    ['--decisions.replicate', 'x'],
    ['--decisions.decision', 'fly'],
    ['--decisions', '[{}]'],
  ])
    assert.equal((await decide('accept', ...wrong)).code, 2, wrong.join(' '));
});

test('assayer lab run-plans create: an experiment of the queue → its plates; the same seed → the same plan; a run cannot start → exit code 1', async () => {
  const { code } = await build.createQueued(
    build.createBody({ experiment_type: 'affinity', sequences: createSequences(2) }),
  );
  const controls = ['--controls.positive', 'lysozyme', '--controls.negatives', 'buffer-protein'];
  const rest = ['--controls.standard', 'null', '--size', '96', '--seed', '7'];
  const plan = ['run-plans', 'create', '--experiment-ids', code, ...controls, ...rest];
  const shown = await runForOutput(plan);
  assert.match(shown, /^is startable +true$/m);
  assert.match(shown, /\nplan: plates\nNAME\nP1\n/);
  const plans = [await runForOutput([...plan, '--json']), await runForOutput([...plan, '--json'])];
  assert.equal(plans[0], plans[1]);
  const { plan: made } = parseJson(plans[0] ?? '');
  const file = ['run-plans', 'write-file', '--body', '-', '--plate', 'P1', '--kind', 'plate_list'];
  const map = await runForOutput([...file, '--fields', 'content'], JSON.stringify({ plan: made }));
  assert.match(map, /^plate,well,role,sample,replicate,concentration_m/);
  const early = await build.create();
  const refused = await runLabCommand(plan.map((word) => (word === code ? early.code : word)));
  assert.deepEqual([refused.code, refused.err], [1, '2 problems found.\n']);
  assert.equal((await runLabCommand([...plan, '--size', 'many'])).code, 2);
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
  assert.match(await runForOutput(['targets', 'list']), /^NAME\t/);
  const csv = await runForOutput(['targets', 'export']);
  assert.match(csv, /catalog_number/);
  const [number = ''] = /^[^,\r\n]+(?=,)/m.exec(csv.slice(csv.indexOf('\n') + 1)) ?? [];
  const change = createFile('change.csv', `catalog_number,stock_ug\n${number},123\n`);
  const counts = ['--fields', 'added,changed'];
  assert.equal(await runForOutput(['targets', 'import-validate', change, ...counts]), '0\n1\n');
  assert.equal(await runForOutput(['targets', 'import', change, ...counts]), '0\n1\n');
  const wrong = createFile('wrong.csv', 'catalog_number,color\nX,red\n');
  const checked = await runLabCommand(['targets', 'import-validate', wrong]);
  assert.deepEqual([checked.code, checked.err], [1, '1 problem found.\n']);
  assert.match(checked.out, /\nLINE\tMESSAGE\n1\t"color" is not a known column/);
  assert.match(await runForOutput(['targets', 'show', number, '--fields', 'stock_ug']), /^123$/m);
});

test('assayer lab price-lists: list, show, export, check, import and publish by version → a new version; a wrong file or list → exit code 1', async () => {
  const lists = (...args: readonly string[]) => runForOutput(['price-lists', ...args]);
  assert.match(await lists('list'), /^VERSION\tSTATUS/);
  assert.match(await lists('show', 'v1_2026-01-20'), /^in effect +true\neffective from +2026-01-20/m);
  const csv = await lists('export', 'v1_2026-01-20');
  const dearer = createFile('prices.csv', csv.replace(/^(price,expression,,)\d+/m, '$19900'));
  const compared: unknown = parseJson(await lists('import-validate', dearer, '--json')).comparison;
  assert.match(JSON.stringify(compared), /"unit_price_cents":7900,[^]*"unit_price_cents":9900,/);
  const day = ['--effective-from', '2031-07-01T00:00:00Z'];
  const id = (await lists('import', dearer, ...day, '--fields', 'id')).trim();
  assert.match(await lists('show', id), /^status +draft$/m);
  const published = ['publish', id, '--yes', '--fields', 'version,status'];
  assert.equal(await lists(...published), 'v2_2031-07-01\npublished\n');
  const wrong = await runLabCommand(['price-lists', 'import-validate', '-'], 'kind\ngift\n');
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /\n2\tkind "gift"/);
  const unknown = await runLabCommand(['price-lists', 'show', 'v9_2031-01-01']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /^No price list is called "v9_2031-01-01"\./);
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

test('assayer lab control-charts list: an analyzed run → a line for each control; a filter that excludes them → none', async () => {
  const { id } = await build.createReviewed();
  expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200);
  const charts = await runForOutput(['control-charts', 'list']);
  assert.match(charts, /\ncharts\nCONTROL\tROLE/);
  assert.equal(await runForOutput(['control-charts', 'list', '--control', 'nobody']), 'n charts  0\n');
});

test('assayer lab runs: a planned run → previewed, mapped, uploaded and completed', async () => {
  const { id, file } = await build.createStartedRun();
  const code = getText(expectStatus(await ask('GET', `/lab/runs/${id}`), 200).body.code);
  const path = createFile('P1.csv', decode(file));
  assert.match(await runForOutput(['preview', '--run', code, path]), /P1\.csv, version 1: our own traces/);
  const entry = ['--entries.well', 'H12', '--entries.role', 'left_out'];
  assert.match(await runForOutput(['runs', 'map', code, ...entry]), /^mapping: version +1$/m);
  assert.match(await runForOutput(['runs', 'upload', code, path]), /\nDEMO-\d+-\d+\tin_production\t\d+\t\n/);
  assert.match(await runForOutput(['runs', 'complete', code]), /DEMO-\d+-\d+\t.*data_analysis/);
  const again = await runLabCommand(['runs', 'complete', code]);
  assert.equal(again.code, 1);
  assert.match(again.err, /run_not_running/);
});
