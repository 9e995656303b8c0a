/** Which quote a client sees: every door says the same after any history of quotes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import fc from '#testing/properties.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask } = service;
const { database } = service.service;
const { create } = await createBuilders(service);

const ALIVE = ['draft', 'open', 'accepted'] as const;
const OVER = ['canceled', 'stale'] as const;

interface Past {
  readonly origin: 'price_list' | 'custom';
  readonly status: (typeof ALIVE)[number] | (typeof OVER)[number];
  readonly wasOpened: boolean;
}

/** A quote that was never open can only be a draft, or a draft that was canceled. */
const pasts = fc
  .record({
    origin: fc.constantFrom('price_list', 'custom'),
    status: fc.constantFrom(...ALIVE, ...OVER),
    wasOpened: fc.boolean(),
  })
  .map((past): Past => ({
    ...past,
    wasOpened: past.status === 'draft' ? false : past.status !== 'canceled' || past.wasOpened,
  }));
/** Only the last quote of an experiment may be alive. */
const histories = fc
  .array(pasts, { maxLength: 4 })
  .filter((history) => history.slice(0, -1).every(({ status }) => OVER.some((over) => over === status)));
const experimentStatuses = fc.constantFrom('draft', 'waiting_for_confirmation', 'quote_sent', 'canceled');

const { id: experimentId } = await create();
const [pattern] = await database.read.query<{ row: string }>(
  'delete from quotes where experiment_id = $1 returning to_jsonb(quotes)::text as row',
  [experimentId],
);

/** Writes the quotes of the experiment anew, the oldest first, and returns their ids. */
async function write(history: readonly Past[], experimentStatus: string): Promise<string[]> {
  const { read } = database;
  await read.query('delete from quotes where experiment_id = $1', [experimentId]);
  await read.query('update experiments set status = $2 where id = $1', [experimentId, experimentStatus]);
  const ids = history.map((_, index) => `qt_${String(index).padStart(32, '0')}`);
  for (const [index, { origin, status, wasOpened }] of history.entries()) {
    const at = `2026-01-0${index + 1}T00:00:00Z`;
    const changes = { id: ids[index], quote_number: `Q-${index}`, status, origin, created_at: at };
    const row = { ...JSON.parse(pattern?.row ?? '{}'), ...changes, opened_at: wasOpened ? at : null };
    await read.query('insert into quotes select (jsonb_populate_record(null::quotes, $1::jsonb)).*', [
      JSON.stringify(row),
    ]);
  }
  return ids;
}

const isVisible = ({ origin, wasOpened }: Past): boolean => origin === 'price_list' || wasOpened;
const isDiscarded = ({ status, wasOpened }: Past): boolean => status === 'canceled' && !wasOpened;

/** The place of the quote that the words of the contract promise; undefined where there is none. */
function findPromised(history: readonly Past[], experimentStatus: string): number | undefined {
  const shown = [...history.keys()].filter((index) => {
    const past = history[index];
    return past !== undefined && isVisible(past) && (!isDiscarded(past) || experimentStatus === 'canceled');
  });
  const rank = (index: number): number => {
    const past = history[index];
    if (past === undefined || isDiscarded(past)) return index;
    return index + (ALIVE.some((alive) => alive === past.status) ? 200 : 100);
  };
  return shown.toSorted((a, b) => rank(b) - rank(a))[0];
}

test('shown quote: any history of quotes → detail, list, quote and GET /quotes show the same one', async () => {
  await fc.assert(
    fc.asyncProperty(histories, experimentStatuses, async (history, experimentStatus) => {
      const ids = await write(history, experimentStatus);
      const promised = findPromised(history, experimentStatus);
      const expected = promised === undefined ? null : (ids[promised] ?? null);
      const { body } = expectStatus(await ask('GET', `/experiments/${experimentId}`), 200);
      assert.equal(body.provider_quote_id, expected);
      const [item] = getItems((await ask('GET', `/experiments?filter=eq(id,${experimentId})`)).body.items);
      assert.equal(item?.provider_quote_url, body.provider_quote_url);
      const quote = await ask('GET', `/experiments/${experimentId}/quote`);
      if (expected === null) expectFailure(quote, 404, 'quote_not_ready');
      else assert.equal(expectStatus(quote, 200).body.quote_id, expected);
      const listed = getItems(
        (await ask('GET', `/quotes?filter=eq(experiment_id,${experimentId})`)).body.items,
      );
      const visible = ids.filter((_, index) => isVisible(history[index] ?? assert.fail()));
      assert.deepEqual(
        listed.map(({ id }) => getText(id)),
        visible.toReversed(),
      );
      for (const id of ids) {
        const { status } = await ask('GET', `/quotes/${id}`);
        assert.equal(status, visible.includes(id) ? 200 : 404, id);
      }
    }),
    { numRuns: 60 },
  );
});
