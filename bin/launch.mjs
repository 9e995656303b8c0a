// Runs a program on another Node as if it ran in this process: same terminal, same signals, same exit code, and it ends
// when this process ends, however that happens.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { followNpm } from './npm.mjs';
import { createEnvironment, isOwnNodeNewEnough } from './runtime.mjs';

const TIED = new URL('./tied.mjs', import.meta.url).href;
// An option, so that worker threads have it too.
const RESOLVE = new URL('./resolve.mjs', import.meta.url).href;
// The default of Node 24 lets the young heap grow further: reading a large workbook then takes half as much memory again.
// The young heap begins with 1 MB and would be collected ten times while the modules load.
const HEAP = ['--max-semi-space-size=16', '--min-semi-space-size=4'];
// Of the dynamic loader, and of whatever program likes it.
const NOT_LOADED = 127;

export function launch(node, args) {
  // The channel carries nothing. The kernel closes it when this process dies, and tied.mjs waits for that.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(node, [...HEAP, '--import', TIED, '--import', RESOLVE, ...args], {
    stdio,
    env: createEnvironment(),
  });
  const passedOn = new Set();
  const passOn = (signal) => {
    passedOn.add(signal);
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, passOn);
  const unfollow = followNpm(() => passOn('SIGTERM'));

  child.on('error', (error) => {
    // Also emitted when a signal could not be sent; only a failed start leaves no process.
    if (child.pid === undefined) void startFailed(error.message);
  });
  child.on('exit', (code, signal) => {
    if (code === NOT_LOADED) void startFailed(undefined);
    else process.exit(exitCode(code, signal, passedOn));
  });

  async function startFailed(reason) {
    const { explainFailedStart } = await import('./failed-start.mjs');
    const sentence = explainFailedStart(node, reason);
    if (sentence === undefined) process.exit(NOT_LOADED);
    if (node === process.execPath || !isOwnNodeNewEnough()) {
      console.error(`assayer: ${sentence}`);
      process.exit(1);
    }
    unfollow();
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, passOn);
    launch(process.execPath, args);
  }
}

// As a shell reports it: 128 and the number of the signal.
function exitCode(code, signal, passedOn) {
  if (signal === null) return code ?? 1;
  if (!passedOn.has(signal)) {
    console.error(
      `assayer: the process was ended by ${signal}, which the launcher did not send. ` +
        'What it had confirmed is kept; start it again. If nobody sent the signal, look whether the machine ran out of memory.',
    );
  }
  return 128 + constants.signals[signal];
}
