/** The launcher and what it started end together, whoever is killed first, and the next start works. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { isAlive, launch, startService, waitUntil, type Service } from '#testing/launcher.ts';
import { copyPreparedCluster } from '#testing/prepared-cluster.ts';

const GONE_WITHIN_MS = 60_000;
const LAUNCHER = 'bin/assayer.mjs';
const needsProc = process.platform === 'linux' ? false : 'needs /proc';
const needsAnvil =
  process.platform === 'linux' && process.arch === 'x64' ? false : 'needs the local chain of linux-x64';

const CHAIN = ['--with-chain'];
const CHAIN_IF_ANY = needsAnvil === false ? CHAIN : [];

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-launcher-'));
copyPreparedCluster(join(dataDir, 'postgres'));
const compiled = join(dataDir, 'compiled');
const started: Service[] = [];
/** The service that runs, with the flags that it was started with; each test takes what the one before has left. */
let running: { readonly service: Service; readonly flags: readonly string[] } | undefined;
after(async () => {
  for (const { child, pid } of started) {
    if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    await waitUntil(() => !isAlive(pid), 'the service to end', GONE_WITHIN_MS);
    child.kill('SIGKILL');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

async function readHealth({ url, token }: Service): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(60_000);
  return (await fetch(`${url}/api/v1/info/health-db`, { headers, signal })).status;
}

async function startOnce(program: string, args: readonly string[]): Promise<Service> {
  const service = await startService(program, args, dataDir, { NODE_COMPILE_CACHE: compiled });
  started.push(service);
  return service;
}

/** Hands over a service that runs with these flags, for the caller to end. */
async function takeService(flags: readonly string[] = []): Promise<Service> {
  const left = running;
  running = undefined;
  if (left !== undefined && left.flags.join() === flags.join()) return left.service;
  if (left !== undefined) await stopInOrder(left.service, 'SIGTERM');
  return startOnce(LAUNCHER, ['start', ...flags]);
}

async function stopInOrder(service: Service, signal: NodeJS.Signals): Promise<void> {
  service.child.kill(signal);
  assert.equal(await service.ended, 0, service.getErrors());
  assert.ok(!isAlive(service.pid));
}

/** Starts again on the data directory at once, and leaves that service to the next test. Returns what it has said. */
async function assertStartsAgain(flags: readonly string[] = []): Promise<string> {
  const begin = performance.now();
  const service = await startOnce(LAUNCHER, ['start', ...flags]);
  running = { service, flags };
  const seconds = (performance.now() - begin) / 1_000;
  assert.equal(await readHealth(service), 200);
  assert.ok(seconds < 60, `the next start took ${seconds.toFixed(1)} s`);
  return service.getErrors();
}

test('compile cache: a service that is ready → is written before its end, which a kill would leave out', async () => {
  const service = await takeService();
  running = { service, flags: [] };
  const countKept = (): number =>
    readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  await waitUntil(() => countKept() > 300, 'compiled modules', GONE_WITHIN_MS);
  assert.ok(isAlive(service.pid));
});

test('launcher: killed with -9 → its service stops in order, and a start meanwhile waits and works', async () => {
  const first = await takeService();
  assert.notEqual(first.child.pid, first.pid);
  first.child.kill('SIGKILL');
  assert.equal(await first.ended, 'SIGKILL');
  const said = await assertStartsAgain();
  // It had not to clean up behind the first service, and that one leaves for good.
  await waitUntil(() => !isAlive(first.pid), 'the first service to end', GONE_WITHIN_MS);
  assert.doesNotMatch(said, /that an earlier run had left/);
});

test('launcher: its service is killed with -9 → it says so and exits with 137, and the next start works', async () => {
  const first = await takeService();
  process.kill(first.pid, 'SIGKILL');
  assert.equal(await first.ended, 137);
  assert.match(first.getErrors(), /assayer: the process was ended by SIGKILL, .*start it again/);
  await assertStartsAgain(CHAIN_IF_ANY);
});

test(
  'launcher: its service is killed with -9 beside a chain → chain and facilitator end, and the next start has both',
  { skip: needsAnvil },
  async () => {
    const first = await takeService(CHAIN);
    const findHelpers = (service: Service) =>
      findProcesses(dataDir).filter((pid) => pid !== service.pid && pid !== service.child.pid);
    const helpers = findHelpers(first);
    assert.ok(helpers.length >= 2, `a chain and a facilitator run: ${helpers.length}`);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    await assertStartsAgain(CHAIN);
    await waitUntil(
      () => !helpers.some((pid) => isAlive(pid)),
      'chain and facilitator to end',
      GONE_WITHIN_MS,
    );
  },
);

test('launcher: SIGINT → passed on, and a service that stops in order exits with 0', async () => {
  await stopInOrder(await takeService(CHAIN_IF_ANY), 'SIGINT');
});

/** The processes that name the directory in their arguments. */
function findProcesses(directory: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => readArguments(pid).includes(directory));
}

function readArguments(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test(
  'launcher: npm start is killed with -9 → its service stops in order, and the next start works',
  { skip: needsProc },
  async () => {
    if (running !== undefined) await stopInOrder(running.service, 'SIGTERM');
    running = undefined;
    const first = await startOnce('npm', ['start', '--']);
    first.child.kill('SIGKILL');
    await waitUntil(() => !isAlive(first.pid), 'the service to end', GONE_WITHIN_MS);
    assert.doesNotMatch(await assertStartsAgain(), /that an earlier run had left/);
  },
);

test('launcher: SIGTERM → passed on, and a service that stops in order exits with 0', async () => {
  await stopInOrder(await takeService(), 'SIGTERM');
});

const WAITS = `process.stdout.write(process.pid + '\\n'); setInterval(() => undefined, 1000);`;

/** A script on the bundled Node that does nothing until it is ended, and its pid. */
async function startWaiting(t: TestContext, script: string) {
  const launched = launch('bin/node.mjs', ['--input-type=module', '--eval', script]);
  await waitUntil(
    () => launched.getOutput().includes('\n'),
    () => `the script to run: ${launched.getErrors()}`,
    GONE_WITHIN_MS,
  );
  const pid = Number(launched.getOutput().split('\n')[0]);
  t.after(() => {
    launched.child.kill('SIGKILL');
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { ...launched, pid };
}

test('launcher: SIGTERM, SIGINT or SIGHUP → passed on to a script that handles it', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const handler = `process.on('${signal}', () => { console.log('${signal}'); process.exit(3); });\n`;
    const waiting = await startWaiting(t, handler + WAITS);
    waiting.child.kill(signal);
    assert.equal(await waiting.ended, 3, waiting.getErrors());
    await waitUntil(() => waiting.getOutput().includes(signal), 'the name of the signal', GONE_WITHIN_MS);
  }
});

test('launcher: a signal ends the script → exit code 128 plus the signal, without output', async (t) => {
  const waiting = await startWaiting(t, WAITS);
  waiting.child.kill('SIGTERM');
  assert.equal(await waiting.ended, 143);
  assert.equal(waiting.getErrors(), '');
});

test('launcher: bin/node.mjs is killed with -9 → its script is asked to end and may clean up', async (t) => {
  const mark = join(mkdtempSync(join(tmpdir(), 'assayer-tied-')), 'ended');
  t.after(() => rmSync(join(mark, '..'), { recursive: true, force: true }));
  const waiting = await startWaiting(
    t,
    `import { writeFileSync } from 'node:fs';
     process.on('SIGTERM', () => { writeFileSync(${JSON.stringify(mark)}, 'in order'); process.exit(0); });
     ${WAITS}`,
  );
  waiting.child.kill('SIGKILL');
  await waitUntil(() => !isAlive(waiting.pid), 'the script to end', GONE_WITHIN_MS);
  assert.equal(readFileSync(mark, 'utf8'), 'in order');
});

test('launcher: arguments, both outputs and the exit code → passed through unchanged', async () => {
  const script = `console.log(process.argv[1]); console.error('to the other'); process.exitCode = 7;`;
  const answer = launch('bin/node.mjs', ['--input-type=module', '--eval', script, '--', 'a b']);
  assert.equal(await answer.ended, 7);
  await waitUntil(
    () => answer.getErrors().endsWith('\n') && answer.getOutput().endsWith('\n'),
    'both outputs',
    GONE_WITHIN_MS,
  );
  assert.equal(answer.getOutput(), 'a b\n');
  assert.equal(answer.getErrors(), 'to the other\n');
  const wrong = launch(LAUNCHER, ['nothing-like-it']);
  assert.equal(await wrong.ended, 2);
  await waitUntil(() => wrong.getErrors().endsWith('\n'), 'the sentence', GONE_WITHIN_MS);
  assert.match(wrong.getErrors(), /^There is no command "nothing-like-it"\./);
});
