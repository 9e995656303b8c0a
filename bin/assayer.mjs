#!/usr/bin/env node
// The command line, on the bundled Node whatever Node started us.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledNode, environment } from './runtime.mjs';

const entry = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const node = bundledNode();

if (node === process.execPath) {
  process.argv.splice(1, 1, entry);
  await import('../src/cli/main.ts');
} else {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', entry, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment(),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}
