/**
 * A bundled Node that cannot start: one sentence says why and what to do. Copies of the real one are damaged the way a
 * machine without a library, or with another C library, sees it.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { launch, findMachineNode, ROOT } from '#testing/launcher.ts';

const isGlibc = process.platform === 'linux' && readFileSync(process.execPath).includes('ld-linux');
const needsGlibc = isGlibc ? false : 'needs Linux with glibc';
const isMachineOld = Number(await readVersion(findMachineNode())) < 24;
const needsOldNode = isMachineOld ? false : 'the Node of this machine could run the sources itself';

const root = mkdtempSync(join(tmpdir(), 'assayer-failed-start-'));
after(() => rmSync(root, { recursive: true, force: true }));
cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));

async function readVersion(node: string): Promise<string> {
  const launched = launch(node, ['--print', 'process.versions.node.split(".")[0]']);
  await launched.ended;
  return launched.getOutput();
}

/** The launcher beside a bundled Node in which one name was replaced by another of the same length. */
function replaceInBundledNode(from: string, to: string): void {
  const directory = join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
  mkdirSync(join(directory, 'bin'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{}');
  const binary = readFileSync(process.execPath);
  let at = binary.indexOf(`${from}\0`);
  assert.ok(at > 0 && from.length === to.length, `${from} is in the binary`);
  while (at > 0) {
    binary.write(to, at);
    at = binary.indexOf(`${from}\0`, at);
  }
  writeFileSync(join(directory, 'bin', 'node'), binary, { mode: 0o755 });
}

async function run(program: string, args: readonly string[]) {
  const launched = launch(join(root, program), args, { cwd: root });
  const ended = await launched.ended;
  const sentences = launched
    .getErrors()
    .split('\n')
    .filter((line) => line.startsWith('assayer:'));
  return { ended, sentences, out: launched.getOutput() };
}

test(
  'install: a missing library → one sentence names its package for Debian, Fedora and Alpine',
  { skip: needsGlibc || needsOldNode },
  async () => {
    replaceInBundledNode('libstdc++.so.6', 'libatomic.so.7');
    const sentence =
      'assayer: the bundled Node needs libatomic.so.7, which this machine does not have; install it with ' +
      '"apt-get install libatomic1" on Debian or Ubuntu, "dnf install libatomic" on Fedora, ' +
      '"apk add libatomic" on Alpine, or use Node 24 or newer of your own.';
    assert.deepEqual(await run('bin/assayer.mjs', ['config']), { ended: 1, sentences: [sentence], out: '' });
    assert.deepEqual(await run('bin/node.mjs', ['x.ts']), { ended: 1, sentences: [sentence], out: '' });
  },
);

test(
  'install: another C library, as on Alpine → a sentence says that the builds need glibc, and what works',
  { skip: needsGlibc || needsOldNode },
  async () => {
    replaceInBundledNode('/lib64/ld-linux-x86-64.so.2', '/lib64/ld-linux-x86-64.so.7');
    const { ended, sentences } = await run('bin/assayer.mjs', ['config']);
    assert.equal(ended, 1);
    assert.equal(sentences.length, 1);
    assert.match(sentences[0], /built for glibc.*musl.*"apk add nodejs npm".*DATABASE_URL/);
  },
);

test(
  'install: an unknown library, or a Node that is not executable → a sentence',
  { skip: needsGlibc || needsOldNode },
  async () => {
    replaceInBundledNode('libstdc++.so.6', 'libunheard.so7');
    assert.match(
      (await run('bin/assayer.mjs', ['config'])).sentences.join(),
      /needs libunheard\.so7, .*package of your distribution that holds it/,
    );
    const node = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
    chmodSync(node, 0o644);
    assert.match(
      (await run('bin/assayer.mjs', ['config'])).sentences.join(),
      /does not start \(.*run "npm ci"/,
    );
    rmSync(node);
    assert.match((await run('bin/assayer.mjs', ['config'])).sentences.join(), /is missing at .*run "npm ci"/);
  },
);

test('install: the bundled Node cannot start → a recent Node of the machine runs the service', async () => {
  const directory = join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
  mkdirSync(join(directory, 'bin'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{}');
  writeFileSync(join(directory, 'bin', 'node'), '#!/nowhere/at/all\n', { mode: 0o755 });
  const answer = launch(process.execPath, [join(root, 'bin', 'node.mjs'), '--print', '6 * 7'], { cwd: root });
  assert.equal(await answer.ended, 0, answer.getErrors());
  assert.equal(answer.getOutput(), '42\n');
});

test('engines: the launcher and the sources → run on the Node of the machine and on the bundled Node', async () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(engines, { node: '>=18' });
  const help = launch(findMachineNode(), ['bin/assayer.mjs', '--help']);
  assert.equal(await help.ended, 0, help.getErrors());
  assert.match(help.getOutput(), /^Usage: assayer <command>/);
  const bundled = launch(findMachineNode(), ['bin/node.mjs', '--print', 'process.execPath']);
  assert.equal(await bundled.ended, 0, bundled.getErrors());
  assert.equal(bundled.getOutput(), `${process.execPath}\n`);
});
