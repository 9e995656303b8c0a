/**
 * A bundled Node that cannot start: one sentence says why and what to do. Copies of the real one are damaged the way a
 * machine without a library, or with another C library, sees it.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import {
  copyLauncher,
  findMachineNode,
  isMachineNodeOld,
  launch,
  locateBundledNode,
  ROOT,
} from '#testing/launcher.ts';

const isGlibc = process.platform === 'linux' && readFileSync(process.execPath).includes('ld-linux');
const needsGlibc = isGlibc ? false : 'needs Linux with glibc';
const needsOldNode = isMachineNodeOld() ? false : 'the Node of this machine could run the sources itself';

const root = mkdtempSync(join(tmpdir(), 'assayer-failed-start-'));
after(() => rmSync(root, { recursive: true, force: true }));
copyLauncher(root, { 'src/cli/main.ts': 'console.log(6 * 7 as number);' });
const bundledNode = locateBundledNode(root);
mkdirSync(dirname(bundledNode), { recursive: true });

/** The launcher beside a bundled Node in which one name was replaced by another of the same length. */
function replaceInBundledNode(from: string, to: string): void {
  const binary = readFileSync(process.execPath);
  let at = binary.indexOf(`${from}\0`);
  assert.ok(at > 0 && from.length === to.length, `${from} is in the binary`);
  while (at > 0) {
    binary.write(to, at);
    at = binary.indexOf(`${from}\0`, at);
  }
  writeFileSync(bundledNode, binary, { mode: 0o755 });
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
    assert.deepEqual(await run('scripts/node', ['x.ts']), { ended: 1, sentences: [sentence], out: '' });
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
    chmodSync(bundledNode, 0o644);
    assert.match(
      (await run('bin/assayer.mjs', ['config'])).sentences.join(),
      /does not start \(.*run "npm ci"/,
    );
    rmSync(bundledNode);
    for (const program of ['bin/assayer.mjs', 'scripts/node'])
      assert.match((await run(program, ['config'])).sentences.join(), /is not installed; run "npm ci"/);
  },
);

test('install: the bundled Node cannot start, or is not there → a recent Node of the machine runs the service', async () => {
  const env = { npm_node_execpath: process.execPath };
  const assertAnswers = async (): Promise<void> => {
    for (const [program, args] of [
      ['bin/assayer.mjs', []],
      ['scripts/node', ['--print', '6 * 7']],
    ] as const) {
      const answer = launch(join(root, program), args, { cwd: root, env });
      assert.equal(await answer.ended, 0, answer.getErrors());
      assert.equal(answer.getOutput(), '42\n');
      assert.equal(answer.getErrors(), '');
    }
  };
  writeFileSync(bundledNode, '#!/nowhere/at/all\n', { mode: 0o755 });
  await assertAnswers();
  rmSync(bundledNode);
  await assertAnswers();
});

test('engines: the launcher, and a Node of the machine that is told to run it → run on the bundled Node', async () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(engines, { node: '>=18' });
  for (const [program, ...args] of [['bin/assayer.mjs'], [findMachineNode(), 'bin/assayer.mjs']] as const) {
    const help = launch(program, [...args, '--help']);
    assert.equal(await help.ended, 0, help.getErrors());
    assert.match(help.getOutput(), /^Usage: assayer <command>/);
  }
  const bundled = launch('scripts/node', ['--print', 'process.execPath']);
  assert.equal(await bundled.ended, 0, bundled.getErrors());
  assert.equal(bundled.getOutput(), `${process.execPath}\n`);
});

/** Prints on which Node it runs, with which arguments, and the young heap's limit. */
const SAY = `console.log(JSON.stringify([process.execPath, process.argv.slice(2), process.execArgv.join(' ')]));`;

test('launcher: a path with spaces, links to it, its bare name given to a shell, packages in a folder above → the bundled Node, with the arguments as they are', async () => {
  const project = join(root, 'a project #1 %20');
  const installed = join(project, 'node_modules', 'assayer');
  // Node runs no sources in a folder of packages; those stand elsewhere, as for a package that is linked.
  const clone = join(project, 'packages', 'assayer');
  copyLauncher(clone, { 'src/cli/main.ts': SAY });
  const node = locateBundledNode(project);
  mkdirSync(dirname(node), { recursive: true });
  symlinkSync(process.execPath, node);
  mkdirSync(join(project, 'node_modules', '.bin'));
  symlinkSync('../packages/assayer', installed);
  symlinkSync('../assayer/bin/assayer.mjs', join(project, 'node_modules', '.bin', 'assayer'));
  symlinkSync(join(project, 'node_modules', '.bin', 'assayer'), join(root, 'linked'));
  for (const [cwd, program, ...first] of [
    [root, join(clone, 'bin', 'assayer.mjs')],
    [clone, 'bin/assayer.mjs'],
    [root, join(installed, 'bin', 'assayer.mjs')],
    [join(project, 'node_modules', '.bin'), './assayer'],
    [join(project, 'node_modules', '.bin'), '/bin/sh', 'assayer'],
    ['/', join(root, 'linked')],
  ] as const) {
    const answer = launch(program, [...first, 'a b', '', '*', '--', '$HOME'], { cwd });
    assert.equal(await answer.ended, 0, answer.getErrors());
    const [path, args, options]: readonly unknown[] = JSON.parse(answer.getOutput());
    assert.equal(path, process.execPath, program);
    assert.deepEqual(args, ['a b', '', '*', '--', '$HOME']);
    assert.match(String(options), /--max-semi-space-size=16 --min-semi-space-size=4/);
  }
});
