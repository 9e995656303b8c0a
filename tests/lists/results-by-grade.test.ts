/** Results by their grade: as a filter, and in the order of the grades. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRADES } from '#features/results/assessment.ts';
import { createBuilders, createSequences, expectFailure, expectStatus } from '#testing/builders.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const server = await testService();
const { ask } = server;
const { createBody, createReleased } = await createBuilders(server);
const { code } = await createReleased(
  createBody({
    n_replicates: 1,
    sequences: createSequences(4),
    parameters: { sandbox: { force: 'binder' } },
  }),
);
// The last one is as stored before there were grades.
for (const [index, grade] of [...GRADES, null].entries())
  await server.service.database.read.query(
    `update results set record = jsonb_set(record, '{assessment}', $2::jsonb) where record ->> 'sequence_name' = $1`,
    [`design-${index + 1}`, JSON.stringify(grade === null ? null : { grade, reasons: [] })],
  );

const LISTS = ['/results', `/experiments/${code}/results`, `/lab/experiments/${code}/results`];

async function list(path: string, query: string): Promise<readonly Json[]> {
  return getItems(expectStatus(await ask('GET', `${path}?${query}`), 200).body.items);
}
const getNames = (items: readonly Json[]): string[] =>
  items.map(({ sequence_name: name }) => getText(name)).toSorted();

test('grade: a list of results is filtered by it → exactly those of the grade, in every list of results', async () => {
  for (const path of LISTS) {
    assert.deepEqual(getNames(await list(path, 'filter=eq(grade,solid)')), ['design-1'], path);
    assert.deepEqual(getNames(await list(path, 'filter=in(grade,WithReservations,indicative)')), [
      'design-2',
      'design-3',
    ]);
    const refused = expectFailure(await ask('GET', `${path}?filter=eq(grade,good)`), 400, 'invalid_query');
    assert.match(refused.text, /with_reservations/);
  }
});

test('grade: a list of results is sorted by it → solid first, those without one last, also page by page', async () => {
  for (const path of LISTS) {
    const names = async (query: string): Promise<string[]> =>
      (await list(path, query)).map(({ sequence_name: name }) => getText(name));
    assert.deepEqual(await names('sort=asc(grade)'), ['design-1', 'design-2', 'design-3', 'design-4'], path);
    assert.deepEqual(await names('sort=desc(grade)'), ['design-3', 'design-2', 'design-1', 'design-4'], path);
    const walked: string[] = [];
    let query: string | undefined = 'sort=asc(grade)&limit=1';
    while (query !== undefined) {
      const page: Json = expectStatus(await ask('GET', `${path}?${query}`), 200).body;
      walked.push(...getItems(page.items).map(({ sequence_name: name }) => getText(name)));
      query = page.next === undefined ? undefined : `sort=asc(grade)&limit=1&cursor=${getText(page.next)}`;
    }
    assert.deepEqual(walked, ['design-1', 'design-2', 'design-3', 'design-4'], path);
  }
});
