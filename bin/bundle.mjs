// Joins the sources into a few files, which load faster. A bundle is named by the content of all that it is made of, so
// changed sources get another one. Where none can be made, the sources run as they are.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

// The file that runs the command line.
export function findEntry() {
  try {
    const bundle = join(BUNDLES, computeKey());
    if (!existsSync(bundle)) makeBundle(bundle);
    return join(bundle, 'main.mjs');
  } catch {
    return join(ROOT, 'src', 'cli', 'main.ts');
  }
}

function computeKey() {
  const hash = createHash('sha256');
  for (const path of ['bin/bundle.mjs', 'package.json', ...listSources('src').sort()])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  return hash.digest('hex');
}

function listSources(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listSources(path);
    return /(?<!\.test)\.(?:ts|json)$/.test(path) ? [path] : [];
  });
}

function makeBundle(bundle) {
  const { buildSync, stop } = createRequire(import.meta.url)('esbuild');
  const unfinished = `${bundle}.${process.pid}`;
  try {
    buildSync({
      absWorkingDir: ROOT,
      entryPoints: ENTRIES.map((name) => `src/${name}.ts`),
      outdir: unfinished,
      entryNames: '[name]',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: `node${REQUIRED_MAJOR}`,
      packages: 'external',
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'silent',
    });
    renameSync(unfinished, bundle);
    removeOldest();
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have made it meanwhile.
    if (!existsSync(bundle)) throw error;
  } finally {
    // The bundler would wait for more work, in a thread and a process.
    stop();
  }
}

function removeOldest() {
  const made = readdirSync(BUNDLES).map((name) => ({ name, at: statSync(join(BUNDLES, name)).mtimeMs }));
  for (const { name } of made.sort((a, b) => b.at - a.at).slice(KEPT))
    rmSync(join(BUNDLES, name), { recursive: true, force: true });
}
