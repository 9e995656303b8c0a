/** A client walks thousands of rows by cursor over HTTP while two others write. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createOrganizationScope } from '#core/scope.ts';
import { recountExperiments } from '#features/experiments/store.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, testService, getText } from '#testing/service.ts';

const STANDING = Number(process.env['ASSAYER_WALK_ROWS'] ?? '1500');
const world = await testService();
const { ask, service } = world;
const { read } = service.database;
const { organizationId } = service.founder;

before(async () => {
  await read.query(
    `insert into experiments (id, organization_id, code, name, status, experiment_type, method, n_replicates,
       sequence_count, payment_method, created_at, updated_at)
     select uuidv7(), $1, 'WLK-001-' || n, 'standing ' || n * 7919 % 997, 'draft', 'screening', 'bli', 1, 0,
       'async_invoice', timestamptz '2026-01-01Z' + n / 3 * interval '1 minute', timestamptz '2026-01-01Z'
     from generate_series(1, $2::int) n`,
    [organizationId, STANDING],
  );
  await recountExperiments(createOrganizationScope(organizationId), read);
  await read.query(
    `insert into updates (id, organization_id, experiment_id, experiment_code, type, name, created_at)
     select uuidv7(), $1, e.id, e.code, 'progress', 'standing', e.created_at
     from experiments e where e.organization_id = $1`,
    [organizationId],
  );
  await read.query('analyze experiments, updates');
});

interface Walk {
  readonly ids: readonly string[];
  /** Those of the rows that were there from the beginning. */
  readonly standing: readonly string[];
}

/** Called between two pages; it returns when both writers have written since. */
type BetweenPages = () => Promise<void>;

async function walk(
  path: string,
  isStanding: (name: string) => boolean,
  betweenPages: BetweenPages,
): Promise<Walk> {
  const ids: string[] = [];
  const standing: string[] = [];
  for (let cursor = ''; ;) {
    const query = new URLSearchParams(cursor === '' ? { limit: '100' } : { limit: '100', cursor });
    const { body } = expectStatus(await ask('GET', `${path}&${query.toString()}`), 200);
    for (const item of getItems(body.items)) {
      ids.push(getText(item.id));
      if (isStanding(getText(item.name))) standing.push(getText(item.id));
    }
    // The last page of a feed has a cursor too.
    if (body.next === undefined || getItems(body.items).length < 100) return { ids, standing };
    cursor = getText(body.next);
    await betweenPages();
  }
}

function assertWhole({ ids, standing }: Walk): void {
  assert.equal(new Set(ids).size, ids.length, 'no row twice');
  assert.equal(standing.length, STANDING, 'no standing row missed');
}

/** A page holds 100 rows, so the walk always overtakes what two writers add meanwhile. */
const MAX_ROUNDS_BETWEEN_PAGES = 20;

interface Writer {
  rounds: number;
  /** The writer waits for the next page when it has written as many. */
  maxRounds: number;
}

/** Writes until the walk ends. */
async function keepWriting(
  writer: Writer,
  signal: AbortSignal,
  write: (round: number) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    if (writer.rounds < writer.maxRounds) {
      await write(writer.rounds);
      writer.rounds += 1;
    } else await setImmediate();
  }
}

async function readWhileWriting(
  write: (writer: number, round: number) => Promise<void>,
  read: (betweenPages: BetweenPages) => Promise<Walk>,
): Promise<Walk> {
  const stop = new AbortController();
  const createWriter = (): Writer => ({ rounds: 0, maxRounds: MAX_ROUNDS_BETWEEN_PAGES });
  const writers = [createWriter(), createWriter()];
  const writing = Promise.all(
    writers.map((writer, index) => keepWriting(writer, stop.signal, (round) => write(index + 1, round))),
  );
  const bothWrote = async (): Promise<void> => {
    const before = writers.map(({ rounds }) => rounds);
    for (const writer of writers) writer.maxRounds = writer.rounds + MAX_ROUNDS_BETWEEN_PAGES;
    while (!stop.signal.aborted && writers.some(({ rounds }, index) => rounds <= (before[index] ?? 0)))
      await setImmediate();
  };
  // A writer that fails ends the wait for it.
  const walked = await Promise.race([
    read(bothWrote),
    writing.then((): never => {
      throw new Error('the writers stopped before the walk did');
    }),
  ]).finally(() => stop.abort());
  await writing;
  return walked;
}

describe('cursor beside two writers', () => {
  for (const sort of ['name', '-name', '-created_at', 'desc(status),asc(name)']) {
    test(`cursor: experiments sorted by ${sort} while others create, change and delete → no standing row is missed or repeated`, async () => {
      const { create, createBody } = await createBuilders(world);
      const write = async (writer: number, round: number): Promise<void> => {
        const name = `standing ${(writer * 389 + round * 53) % 997} other`;
        const { id } = await create({ ...createBody(), name });
        if (round % 3 === 0)
          expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { description: name } }), 200);
        if (round % 3 === 1) expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
      };
      const isStanding = (name: string): boolean => /^standing \d+$/.test(name);
      assertWhole(
        await readWhileWriting(write, (betweenPages) =>
          walk(`/experiments?sort=${sort}`, isStanding, betweenPages),
        ),
      );
    });
  }

  test('cursor: updates in their default order while others write → no standing row is missed or repeated', async () => {
    const write = async (writer: number, round: number): Promise<void> => {
      const [made] = await read.query<{ arrival: number }>(
        `insert into updates (id, organization_id, experiment_id, experiment_code, type, name, created_at)
         select uuidv7(), $1, e.id, e.code, 'progress', 'other', e.created_at from experiments e where e.code = $2
         returning arrival`,
        [organizationId, `WLK-001-${1 + ((writer * 1_601 + round * 613) % STANDING)}`],
      );
      if (round % 2 === 0) await read.query('delete from updates where arrival = $1', [made?.arrival]);
    };
    const walked = await readWhileWriting(write, (betweenPages) =>
      walk('/updates?type=progress', (name) => name === 'standing', betweenPages),
    );
    assertWhole(walked);
  });
});
