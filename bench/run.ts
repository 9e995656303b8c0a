/**
 * `npm run bench [-- TOPIC…] [--only NAME] [--scale N] [--keep DIR] [--profile DIR] [--against DIR]`
 *
 * Measures the service against its limits, prints each figure beside its limit, and ends with 1 when one is missed and
 * with 2 when an answer was wrong or a measurement could not be made.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { print, type Report } from './support/report.ts';

export interface BenchOptions {
  /** One measurement of a topic. */
  readonly only?: string | undefined;
  /** Share of the full number of rows. */
  readonly scale: number;
  /** Where seeded data stay for the next run. */
  readonly keep?: string | undefined;
  /** Where CPU profiles of the servers go. */
  readonly profileInto?: string | undefined;
  /** A checkout of another commit to compare with. */
  readonly against?: string | undefined;
}

type Run = (options: BenchOptions) => Promise<Report[]>;

const topics: Readonly<Record<string, () => Promise<{ run: Run }>>> = {
  http: () => import('./http.ts'),
  lists: () => import('./lists.ts'),
  fits: () => import('./fits.ts'),
  plate: () => import('./plate.ts'),
  analysis: () => import('./analysis.ts'),
  start: () => import('./start.ts'),
  commands: () => import('./commands.ts'),
  tokens: () => import('./tokens.ts'),
  pay: () => import('./pay.ts'),
  documents: () => import('./documents.ts'),
  bodies: () => import('./bodies.ts'),
  agent: () => import('./agent.ts'),
  feed: () => import('./feed.ts'),
  stream: () => import('./stream.ts'),
  webhooks: () => import('./webhooks.ts'),
  lab: () => import('./lab.ts'),
  pages: () => import('./pages.ts'),
};

async function runMain(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      scale: { type: 'string', default: '1' },
      keep: { type: 'string' },
      profile: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const names = positionals.length === 0 ? Object.keys(topics) : positionals;
  const unknown = names.find((name) => topics[name] === undefined);
  if (unknown !== undefined)
    throw new Error(`there is no bench "${unknown}"; there are ${Object.keys(topics).join(', ')}`);
  const options = {
    only: values.only,
    scale: Number(values.scale),
    keep: values.keep,
    profileInto: values.profile,
    against: values.against,
  };
  console.log(
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`,
  );
  for (const name of names) {
    const topic = await topics[name]?.();
    for (const report of (await topic?.run(options)) ?? []) {
      if (!print(report)) process.exitCode = 1;
    }
  }
}

try {
  await runMain();
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
