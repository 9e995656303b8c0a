/**
 * Loaded first into every process of a recording run: notes which modules of `src/` a test file executes functions of,
 * in its own process and in those that it starts. What runs while modules load says nothing about the test.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = new URL('../../src/', import.meta.url).href;

const session = new Session();
session.connect();
session.post('Profiler.enable');
start();

let written = 0;

/** Whether a function was called, not how often: counting keeps V8 from optimizing. A new start forgets. */
function start(): void {
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
}

/** The modules that were executed since it was last asked. */
function takeExecuted(): string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error === null) scripts = answer.result;
  });
  session.post('Profiler.stopPreciseCoverage');
  start();
  return scripts
    .filter(({ url, functions }) => url.startsWith(SOURCES) && functions.some(isExecuted))
    .map(({ url }) => relative(ROOT, fileURLToPath(url)));
}

/** A function with a name of its own or inside the module: the module itself is the first one, without a name. */
function isExecuted({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  const [range] = ranges;
  return range !== undefined && range.count > 0 && (functionName !== '' || range.startOffset > 0);
}

function write(): void {
  const file = process.env['ASSAYER_TEST_FILE'];
  const directory = process.env['ASSAYER_REACH_DIRECTORY'];
  const modules = takeExecuted();
  if (file === undefined || directory === undefined || modules.length === 0) return;
  mkdirSync(directory, { recursive: true });
  const name = `${process.pid}-${threadId}-${(written += 1)}.json`;
  writeFileSync(join(directory, name), JSON.stringify({ file, modules }));
}

const [, own = ''] = process.argv;
if (own.endsWith('.test.ts')) process.env['ASSAYER_TEST_FILE'] ??= relative(ROOT, own);
process.on('exit', write);
// The runner of several files asks for what each of them executed.
Object.assign(globalThis, { [Symbol.for('assayer.takeReach')]: write });
