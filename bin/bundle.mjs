// Joins the sources into a few files, which load faster. A bundle is named by the content of all that it is made of, so
// changed sources get another one. Where none can be made, the sources run as they are.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
export const REQUIRED_MAJOR = 24;
export const ROOT = fileURLToPath(new URL('..', import.meta.url));
// Below the packages, so that a bundle finds them; src/core/package-root.ts counts the folders.
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'bundles');
// The command line, and each file that starts a thread.
export const ENTRIES = [
  'cli/main',
  'assays/worker',
  'adapters/pdf/draw-thread',
  'composition/package-thread',
  'sandbox/simulate-worker',
];
// A service that runs still needs its bundle, whatever was edited and started since.
const KEPT = 20;
// Sizes and names of its files: a machine that loses its power may leave some of them empty.
const LIST = 'files.txt';
const FORM = { bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external' };
const FILES = { entryNames: '[name]', outExtension: { '.js': '.mjs' }, sourcemap: true, logLevel: 'silent' };

// The file that runs the command line.
export function findEntry() {
  try {
    const bundle = join(BUNDLES, computeKey());
    if (!isWhole(bundle)) makeBundle(bundle);
    return join(bundle, 'main.mjs');
  } catch (error) {
    // Node runs no TypeScript below a folder of packages.
    if (ROOT.includes('/node_modules/')) throw error;
    return join(ROOT, 'src', 'cli', 'main.ts');
  }
}

function computeKey() {
  const hash = require('node:crypto').createHash('sha256');
  const names = fs.readdirSync(join(ROOT, 'src'), { recursive: true });
  const sources = names.filter((name) => /(?<!\.test)\.(?:[cm]?[jt]s|json)$/.test(name)).sort();
  for (const name of ['../bin/bundle.mjs', '../package.json', ...sources])
    hash.update(`\0${name}\0`).update(fs.readFileSync(join(ROOT, 'src', name)));
  return hash.digest('hex');
}

function isWhole(bundle) {
  const list = join(bundle, LIST);
  return fs.existsSync(list) && fs.readFileSync(list, 'utf8') === listFiles(bundle);
}

function listFiles(bundle) {
  const names = fs.readdirSync(bundle).filter((name) => name !== LIST);
  return names.map((name) => `${fs.statSync(join(bundle, name)).size} ${name}\n`).join('');
}

function makeBundle(bundle) {
  // Its thread would leave a process that nobody waits for.
  process.env.ESBUILD_WORKER_THREADS = '0';
  const unfinished = `${bundle}.${process.pid}`;
  const entryPoints = ENTRIES.map((name) => `src/${name}.ts`);
  const options = { ...FORM, ...FILES, target: `node${REQUIRED_MAJOR}`, sourcesContent: false };
  try {
    fs.mkdirSync(unfinished, { recursive: true });
    const { buildSync } = require('esbuild');
    buildSync({ ...options, absWorkingDir: ROOT, entryPoints, outdir: unfinished });
    fs.writeFileSync(join(unfinished, LIST), listFiles(unfinished));
    if (!isWhole(bundle)) fs.rmSync(bundle, { recursive: true, force: true });
    fs.renameSync(unfinished, bundle);
    removeOldest(bundle);
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    // Another process may have made it meanwhile.
    if (!isWhole(bundle)) throw error;
  }
}

function removeOldest(newest) {
  const made = fs
    .readdirSync(BUNDLES)
    .map((name) => ({ name, at: fs.statSync(join(BUNDLES, name)).mtimeMs }));
  for (const { name } of made.sort((a, b) => b.at - a.at).slice(KEPT))
    if (!newest.endsWith(name)) fs.rmSync(join(BUNDLES, name), { recursive: true, force: true });
}
