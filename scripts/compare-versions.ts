/**
 * Whether a data directory that an earlier version wrote opens under this one and answers alike:
 *
 *   scripts/node scripts/compare-versions.ts --before <git ref>
 *   scripts/node scripts/compare-versions.ts --before-directory <checkout with its packages>
 *
 * Starts the earlier version from a checkout of its own, fills a sandbox through its API, asks every GET operation for
 * every id with tokens of four kinds, then asks this version the same over the same directory. Ends with 1 where an
 * answer differs; a field that only this version has is listed as new.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareAnswers, type Differences } from './compare-versions/differences.ts';
import { fillSandbox, type Tokens } from './compare-versions/fill.ts';
import { checkOut, findFreePort, ROOT, startService } from './compare-versions/process.ts';
import { listQuestions, takeSnapshot, type Snapshot } from './compare-versions/snapshot.ts';

const SHOWN_MAX = 60;

interface Earlier {
  readonly tokens: Tokens;
  readonly questions: readonly string[];
  readonly snapshot: Snapshot;
}

async function askEarlier(checkout: string, dataDir: string, port: number): Promise<Earlier> {
  const receiver = createServer((_request, response) => void response.writeHead(204).end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  const service = await startService(checkout, dataDir, port);
  try {
    const tokens = await fillSandbox(service, `http://127.0.0.1:${address.port}/in`);
    const questions = await listQuestions(service);
    return { tokens, questions, snapshot: await takeSnapshot(service.url, tokens, questions) };
  } finally {
    await service.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function askThis(earlier: Earlier, dataDir: string, port: number): Promise<Snapshot> {
  const service = await startService(ROOT, dataDir, port);
  try {
    return await takeSnapshot(service.url, earlier.tokens, earlier.questions);
  } finally {
    await service.stop();
  }
}

function reportDifferences({ snapshot: before, tokens, questions }: Earlier, after: Snapshot): boolean {
  const found: Differences = { changed: [], added: new Set() };
  for (const [question, answer] of before) compareAnswers(question, answer, after.get(question), found);
  const statuses = Map.groupBy(before.values(), ({ status }) => status);
  const counted = [...statuses].map(([status, all]) => `${all.length} of ${status}`).join(', ');
  console.log(`${questions.length} questions with ${tokens.size} tokens: ${counted}.`);
  for (const name of [...found.added].slice(0, SHOWN_MAX)) console.log(`new: ${name}`);
  for (const line of found.changed.slice(0, SHOWN_MAX)) console.log(`DIFFERENT: ${line}`);
  console.log(`${found.changed.length} differences, ${found.added.size} new fields.`);
  return found.changed.length === 0;
}

const { values } = parseArgs({
  options: { before: { type: 'string' }, 'before-directory': { type: 'string' } },
});
const beforeDirectory = values['before-directory'];
if ((values.before === undefined) === (beforeDirectory === undefined))
  throw new Error('Name the earlier version by --before <git ref> or by --before-directory <checkout>.');
const directory = mkdtempSync(join(tmpdir(), 'assayer-versions-'));
const dataDir = join(directory, 'data');
const checkout = beforeDirectory === undefined ? join(directory, 'before') : resolve(beforeDirectory);
const removeCheckout = values.before === undefined ? () => {} : checkOut(values.before, checkout);
try {
  const port = await findFreePort();
  const earlier = await askEarlier(checkout, dataDir, port);
  if (!reportDifferences(earlier, await askThis(earlier, dataDir, port))) process.exitCode = 1;
} finally {
  removeCheckout();
  rmSync(directory, { recursive: true, force: true });
}
