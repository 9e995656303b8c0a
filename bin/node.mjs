#!/usr/bin/env node
// Runs a script of this package on the bundled Node, whatever Node started us.
import { spawn } from 'node:child_process';
import { bundledNode, environment } from './runtime.mjs';

const child = spawn(bundledNode(), process.argv.slice(2), { stdio: 'inherit', env: environment() });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
