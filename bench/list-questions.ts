/** The questions of docs/guide/filtering.md, asked of the whole service. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import type { BenchOptions } from './run.ts';
import type { Seeded } from './seed-lists.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import { measureMs } from './support/load.ts';
import type { Finding } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { measureInterleaved, takeQuantile } from './support/statistics.ts';

const GUIDE = join(import.meta.dirname, '..', 'docs', 'guide', 'filtering.md');
const ASKED = 120;
const WARM_UP = 8;

/** The rows of the guide's table of examples: a question in words and the value of `filter`. */
function readQuestions(): { words: string; filter: string }[] {
  const guide = readFileSync(GUIDE, 'utf8');
  const [, table = ''] = /## Examples\n([^]*?)\n```/.exec(guide) ?? [];
  return [...table.matchAll(/^\| (.+?) +\| `(.+?\(.+?)` +\|$/gm)].map(([, words = '', filter = '']) => {
    return { words, filter };
  });
}

/** The list that has the fields of a question. */
function listFor(filter: string): string {
  if (/summary|binding_score|result_type/.test(filter)) return 'results';
  if (filter.includes('amount_cents')) return 'quotes';
  return filter.includes('eq(type,') ? 'updates' : 'experiments';
}

export async function measureQuestions(
  connection: ServerConnection,
  seeded: Seeded,
  options: BenchOptions,
): Promise<Finding[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-blobs-'));
  const argument: ServiceArgument = {
    connection,
    dataDir,
    holder: { organizationId: seeded.wide, userId: seeded.userId },
  };
  const service = await startServer<ServiceReady>('service', argument, { profileInto: options.profileInto });
  const client = await Connection.open(service.ready.port);
  try {
    const ways: Record<string, () => Promise<number>> = {};
    for (const { words, filter } of readQuestions()) {
      const path = `/api/v1/${listFor(filter)}?filter=${encodeURIComponent(filter)}`;
      const request = encodeRequest('GET', path, service.ready);
      ways[`${words} (${listFor(filter)})`] = () =>
        measureMs(async () => requireAnswer(await client.send(request), 200));
    }
    if (Object.keys(ways).length < 10) throw new Error('the guide has fewer than ten examples');
    await measureInterleaved(WARM_UP, ways);
    const figures = await measureInterleaved(ASKED, ways);
    return Object.entries(figures).map(([words, times]) => {
      const usual = takeQuantile(times, 0.5).toFixed(1);
      const what = `${words}: p99 (median ${usual})`;
      return { what, value: takeQuantile(times, 0.99), unit: 'ms', limit: { atMost: 25 } };
    });
  } finally {
    client.close();
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
