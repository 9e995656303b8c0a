/** Runs test files one after another in this process, which saves each of them a start and the loading of its modules. */
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readProcessorSeconds, writeProcessorSeconds } from './processor-time.ts';

/** A file as the tests of one test that bears its path; what the file leaves to be done `after` ends with that test. */
export async function runGroup(
  files: readonly { readonly name: string; readonly path: string }[],
): Promise<void> {
  // The start of the process counts for its first file.
  let usedBefore = 0;
  for (const { name, path } of files) {
    const before = { ...process.env };
    // What was loaded for the file before belongs to nobody.
    writeReach();
    process.env['ASSAYER_TEST_FILE'] = name;
    await test(name, async () => {
      await import(pathToFileURL(path).href);
    });
    writeReach();
    const used = readProcessorSeconds();
    writeProcessorSeconds(name, used - usedBefore);
    usedBefore = used;
    delete process.env['ASSAYER_TEST_FILE'];
    expectUnchanged(name, before);
  }
  stopDespiteLeftovers();
}

/** How long what a test forgot to end may keep the process, and with it the whole run. */
const LEFT_MS = 30_000;

function stopDespiteLeftovers(): void {
  setTimeout(() => {
    console.error(
      `Something that a test left keeps this process: ${process.getActiveResourcesInfo().join(', ')}.`,
    );
    // The runner of Node concludes the tests of a process by this event.
    process.emit('beforeExit', 0);
    setTimeout(() => process.exit(), 1_000);
  }, LEFT_MS).unref();
}

/** What one file leaves behind in the process the next one would meet. */
function expectUnchanged(name: string, before: Readonly<Record<string, string | undefined>>): void {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((variable) => before[variable] !== process.env[variable]);
  if (changed.length > 0) throw new Error(`${name} left these variables changed: ${changed.join(', ')}`);
}

/** In a recording run, `record.ts` stands ready to write what was executed. */
function writeReach(): void {
  const write: unknown = Reflect.get(globalThis, Symbol.for('assayer.takeReach'));
  if (typeof write === 'function') write();
}
