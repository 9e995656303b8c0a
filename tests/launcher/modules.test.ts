/** How the launcher finds and keeps modules, tried on copies of its files beside small programs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '#testing/launcher.ts';

const directory = mkdtempSync(join(tmpdir(), 'assayer-modules-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const START = `import { keepCompiled } from './runtime.mjs';
keepCompiled();
await import('./resolve.mjs');
await import('../src/main.ts');
`;

/** A folder laid out like this repository, with these sources. */
function createProgram(name: string, sources: Readonly<Record<string, string>>): string {
  const root = join(directory, name);
  for (const file of ['resolve.mjs', 'runtime.mjs', 'v8.mjs'])
    cpSync(join(ROOT, 'bin', file), join(root, 'bin', file));
  const manifest = { type: 'module', imports: { '#core/*': './src/core/*' } };
  const files = { ...sources, 'bin/start.mjs': START, 'package.json': JSON.stringify(manifest) };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

function runProgram(root: string, cache: string | undefined): string {
  const { NODE_COMPILE_CACHE: _ours, ...env } = process.env;
  return execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'bin', 'start.mjs')],
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
    'src/main.ts': `import { above } from './deep/inner.ts';
import { core } from '#core/core.ts';
import { packed } from 'packed/entry.ts.mjs';
import { sep } from 'node:path';
console.log([above, core, packed, sep.length].join());`,
    'src/deep/inner.ts': `export { above } from '../above.ts';`,
    'src/above.ts': `export const above: string = 'above';`,
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
    const root = createProgram(`missing-${index}`, { 'src/main.ts': `import '${specifier}';` });
    assert.throws(() => runProgram(root, undefined), error);
  }
});

test('keepCompiled: without a variable → beside the packages; with one → there alone; where no folder can be → runs without', () => {
  const root = createProgram('kept', { 'src/main.ts': `console.log('ran' as string);` });
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

test('keepCompiled: two versions over one cache, in two folders and in one → each runs its own sources', () => {
  const cache = join(directory, 'shared');
  const write = (version: string): Record<string, string> => ({
    'src/main.ts': `import { version } from '#core/version.ts';\nconsole.log(version as string);`,
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

/** The compilers whose code replaced the running loop of a program that Node starts with these options. */
function listLoopCompilers(program: string, options: readonly string[] = []): string[] {
  const trace = execFileSync(
    process.execPath,
    ['--trace-opt', '--trace-osr', ...options, '--eval', program],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  );
  const compiled = trace.matchAll(/compiling method \S+ <JSFunction addUp .*\(target (\w+)\) OSR/g);
  return [...new Set([...compiled].map(([, compiler = '']) => compiler))];
}

test('v8.mjs: a running loop, in the process and in a worker thread → no code of the middle compiler replaces it', () => {
  const threaded = `new (require('node:worker_threads').Worker)(${JSON.stringify(LOOP)}, { eval: true });`;
  const options = ['--import', new URL('../../bin/resolve.mjs', import.meta.url).href];
  for (const program of [LOOP, threaded]) {
    assert.ok(listLoopCompilers(program).includes('MAGLEV'), 'without the flag it does');
    assert.deepEqual(listLoopCompilers(program, options), ['TURBOFAN_JS']);
  }
});
