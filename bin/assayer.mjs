#!/bin/sh
':' //; exec "${npm_node_execpath:-node}" "$0" "$@"

// The command line, on the bundled Node whatever Node started us. The line above is for the shell: npm puts the
// bundled Node before the machine's in PATH, and where it cannot start, nothing could say why.
import { pathToFileURL } from 'node:url';
import { findEntry } from './bundle.mjs';
import { launch } from './launch.mjs';
import { followNpm } from './npm.mjs';
import { chooseNode, keepCompiled } from './runtime.mjs';

const node = chooseNode();
const entry = findEntry();

if (node === process.execPath) {
  followNpm(() => process.kill(process.pid, 'SIGTERM'));
  process.argv.splice(1, 1, entry);
  keepCompiled();
  await import('./resolve.mjs');
  await import(pathToFileURL(entry).href);
} else {
  launch(node, ['--disable-warning=ExperimentalWarning', entry, ...process.argv.slice(2)]);
}
