/** A service that is started by the launcher, by npm or by a Node that is too old ends with them, and the next start works. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import {
  copyLauncher,
  findMachineNode,
  isAlive,
  isMachineNodeOld,
  launch,
  locateBundledNode,
  startService,
  waitUntil,
  type Service,
} from '#testing/launcher.ts';
import { copyPreparedCluster } from '#testing/prepared-cluster.ts';

const GONE_WITHIN_MS = 60_000;
const LAUNCHER = 'bin/assayer.mjs';
const needsProc = process.platform === 'linux' ? false : 'needs /proc';
const needsOldNode = isMachineNodeOld() ? false : 'the Node of this machine could run the sources itself';
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

test('launcher: killed with -9 → it was the service itself, and the next start works', async () => {
  const first = await takeService();
  assert.equal(first.child.pid, first.pid);
  first.child.kill('SIGKILL');
  assert.equal(await first.ended, 'SIGKILL');
  await assertStartsAgain();
});

test(
  'launcher: a Node that is too old is told to run it, and is killed with -9 → its service stops in order, and a start meanwhile waits and works',
  { skip: needsOldNode },
  async () => {
    if (running !== undefined) await stopInOrder(running.service, 'SIGTERM');
    running = undefined;
    const first = await startOnce(findMachineNode(), [LAUNCHER, 'start']);
    assert.notEqual(first.child.pid, first.pid);
    first.child.kill('SIGKILL');
    assert.equal(await first.ended, 'SIGKILL');
    const said = await assertStartsAgain(CHAIN_IF_ANY);
    // It had not to clean up behind the first service, and that one leaves for good.
    await waitUntil(() => !isAlive(first.pid), 'the first service to end', GONE_WITHIN_MS);
    assert.doesNotMatch(said, /that an earlier run had left/);
  },
);

test(
  'launcher: its service is killed with -9 beside a chain → chain and facilitator end, and the next start has both',
  { skip: needsAnvil },
  async () => {
    const first = await takeService(CHAIN);
    const findHelpers = (service: Service) => findProcesses(dataDir).filter((pid) => pid !== service.pid);
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

test('launcher: SIGINT → a service that stops in order exits with 0', async () => {
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

test('launcher: SIGTERM → a service that stops in order exits with 0', async () => {
  await stopInOrder(await takeService(), 'SIGTERM');
});

const WAITS = `console.log('waits'); setInterval(() => undefined, 1000);`;

/** A program under the launcher, started by these words, which does nothing until it is ended. */
async function startWaiting(t: TestContext, [program, ...args]: Words, script: string) {
  const root = mkdtempSync(join(tmpdir(), 'assayer-waiting-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  copyLauncher(root, { 'src/cli/main.ts': script });
  const node = locateBundledNode(root);
  mkdirSync(dirname(node), { recursive: true });
  symlinkSync(process.execPath, node);
  const launched = launch(program, args, { cwd: root });
  await waitUntil(
    () => launched.getOutput().includes('\n'),
    () => `the script to run: ${launched.getErrors()}`,
    GONE_WITHIN_MS,
  );
  t.after(() => launched.child.kill('SIGKILL'));
  return launched;
}

type Words = readonly [string, ...string[]];
const OLD_NODE: Words = [findMachineNode(), LAUNCHER];
/** The ways to start a program that leave another process only where the second is a Node that is too old. */
const WAYS: readonly Words[] = [[LAUNCHER], OLD_NODE];

test('launcher: SIGTERM, SIGINT or SIGHUP → comes to a program that handles it', async (t) => {
  for (const way of WAYS)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const handler = `process.on('${signal}', () => { console.log('${signal}'); process.exit(3); });\n`;
      const waiting = await startWaiting(t, way, handler + WAITS);
      waiting.child.kill(signal);
      assert.equal(await waiting.ended, 3, waiting.getErrors());
      await waitUntil(() => waiting.getOutput().includes(signal), 'the name of the signal', GONE_WITHIN_MS);
    }
});

test('launcher: a signal ends the program → so it ended, or a Node that is too old exits with 128 plus the signal, without output', async (t) => {
  const outcomes = [];
  for (const way of WAYS) {
    const waiting = await startWaiting(t, way, WAITS);
    waiting.child.kill('SIGTERM');
    outcomes.push(await waiting.ended);
    assert.equal(waiting.getErrors(), '');
  }
  assert.deepEqual(outcomes, ['SIGTERM', needsOldNode === false ? 143 : 'SIGTERM']);
});

test('launcher: arguments, both outputs and the exit code → those of the program', async () => {
  const script = `console.log(process.argv[1]); console.error('to the other'); process.exitCode = 7;`;
  const answer = launch('scripts/node', ['--input-type=module', '--eval', script, '--', 'a b']);
  assert.equal(await answer.ended, 7);
  await waitUntil(
    () => answer.getErrors().endsWith('\n') && answer.getOutput().endsWith('\n'),
    'both outputs',
    GONE_WITHIN_MS,
  );
  assert.equal(answer.getOutput(), 'a b\n');
  assert.equal(answer.getErrors(), 'to the other\n');
  for (const [program, ...args] of WAYS) {
    const wrong = launch(program, [...args, 'nothing-like-it']);
    assert.equal(await wrong.ended, 2);
    await waitUntil(() => wrong.getErrors().endsWith('\n'), 'the sentence', GONE_WITHIN_MS);
    assert.equal(wrong.getOutput(), '');
    assert.match(wrong.getErrors(), /^There is no command "nothing-like-it"\./);
  }
});
