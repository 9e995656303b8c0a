/** How the launcher finds and keeps modules, tried on copies of its files beside small programs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { copyLauncher, ROOT } from '#testing/launcher.ts';

const directory = mkdtempSync(join(tmpdir(), 'assayer-modules-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A folder laid out like this repository, with these sources and no bundler. */
function createProgram(name: string, sources: Readonly<Record<string, string>>): string {
  const root = join(directory, name);
  copyLauncher(root, sources);
  return root;
}

function runProgram(root: string, cache: string | undefined): string {
  const { NODE_COMPILE_CACHE: _ours, ...env } = process.env;
  return execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'bin', 'assayer.mjs')],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cache === undefined ? env : { ...env, NODE_COMPILE_CACHE: cache },
    },
  ).trim();
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

test('resolve: an alias, a neighbor, a file above, a package, a module of Node → each the one that Node finds', () => {
  const root = createProgram('resolve', {
    'src/cli/main.ts': `import { above } from './deep/inner.ts';
import { core } from '#core/core.ts';
import { packed } from 'packed/entry.ts.mjs';
import { sep } from 'node:path';
console.log([above, core, packed, sep.length].join());`,
    'src/cli/deep/inner.ts': `export { above } from '../above.ts';`,
    'src/cli/above.ts': `export const above: string = 'above';`,
    'src/core/core.ts': `export const core: string = 'core';`,
    'node_modules/packed/package.json': '{"type":"module"}',
    'node_modules/packed/entry.ts.mjs': `export const packed = 'packed';`,
  });
  assert.equal(runProgram(root, undefined), 'above,core,packed,1');
});

test('resolve: a file that is missing, an alias that no one declared → the error of Node names it', () => {
  for (const [index, [specifier, error]] of [
    ['./gone.ts', /ENOENT: no such file or directory, open '[^']*gone\.ts'/] as const,
    ['#other/gone.ts', /"#other\/gone\.ts" is not defined/] as const,
  ].entries()) {
    const root = createProgram(`missing-${index}`, { 'src/cli/main.ts': `import '${specifier}';` });
    assert.throws(() => runProgram(root, undefined), error);
  }
});

test('compile cache: without a variable → beside the packages; with one → there alone; where no folder can be → runs without', () => {
  const root = createProgram('kept', { 'src/cli/main.ts': `console.log('ran' as string);` });
  const beside = join(root, 'node_modules', '.cache', 'compile');
  const elsewhere = join(directory, 'elsewhere');
  assert.equal(runProgram(root, elsewhere), 'ran');
  assert.ok(listFiles(elsewhere).length > 0);
  assert.throws(() => readdirSync(beside), { code: 'ENOENT' });
  assert.equal(runProgram(root, undefined), 'ran');
  assert.ok(listFiles(beside).length > 0);
  const blocked = join(directory, 'blocked');
  writeFileSync(blocked, 'a file where the folder would be');
  assert.equal(runProgram(root, blocked), 'ran');
});

test('compile cache: two versions over one cache, in two folders and in one → each runs its own sources', () => {
  const cache = join(directory, 'shared');
  const write = (version: string): Record<string, string> => ({
    'src/cli/main.ts': `import { version } from '#core/version.ts';\nconsole.log(version as string);`,
    'src/core/version.ts': `export const version: string = '${version}';`,
  });
  const one = createProgram('one', write('1.0'));
  const two = createProgram('two', write('2.0'));
  for (let round = 0; round < 2; round += 1)
    assert.deepEqual([runProgram(one, cache), runProgram(two, cache)], ['1.0', '2.0']);
  // An update in place that keeps length and time of the file.
  const file = join(one, 'src', 'core', 'version.ts');
  const { atime, mtime, size } = statSync(file);
  createProgram('one', write('3.0'));
  utimesSync(file, atime, mtime);
  assert.equal(statSync(file).size, size);
  assert.equal(runProgram(one, cache), '3.0');
  createProgram('one', write('1.0'));
  assert.equal(runProgram(one, cache), '1.0');
});

const LOOP = `function addUp(n) { let sum = 0; for (let i = 0; i < n; i += 1) sum += Math.sqrt(i); return sum; } addUp(3e7);`;

/** The compilers whose code replaced the running loop of a program that this command starts. */
function listLoopCompilers(command: string, args: readonly string[]): string[] {
  const trace = execFileSync(command, ['--trace-opt', '--trace-osr', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const compiled = trace.matchAll(/compiling method \S+ <JSFunction addUp .*\(target (\w+)\) OSR/g);
  return [...new Set([...compiled].map(([, compiler = '']) => compiler))];
}

test('maglev: a running loop, in the process and in a worker thread → no code of the middle compiler replaces it', () => {
  const threaded = `import { Worker } from 'node:worker_threads';\nnew Worker(${JSON.stringify(LOOP)}, { eval: true });`;
  for (const [index, program] of [LOOP, threaded].entries()) {
    const options = ['--input-type=module', '--eval', program];
    assert.ok(listLoopCompilers(process.execPath, options).includes('MAGLEV'), 'without the flag it does');
    const root = createProgram(`loop-${index}`, { 'src/cli/main.ts': program });
    const launched = listLoopCompilers(process.execPath, [join(root, 'bin', 'assayer.mjs')]);
    assert.deepEqual(launched, ['TURBOFAN_JS']);
    assert.deepEqual(listLoopCompilers(join(ROOT, 'scripts', 'node'), options), ['TURBOFAN_JS']);
  }
});
