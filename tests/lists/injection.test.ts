/**
 * Hostile values in every place of every list's query, over HTTP. `npm test` asks each field in each place and with each
 * value, but not every combination of the two; `npm run test:nightly` does.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloads, listQueries } from '../fuzz/injection-corpus.ts';
import { listWorld, type List, type Parameters } from './world.ts';

const { lists } = await listWorld();
const isWhole = process.env['ASSAYER_INJECTION'] === 'whole';
/** Of the places that a value can stand in, how many it is tried in when not all of them are. */
const SHARE = 2;

function asParameters(query: ReturnType<typeof listQueries>[number]): Parameters {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

async function assertHarmless(list: List, parameters: Parameters): Promise<boolean> {
  const answer = await list.ask(parameters);
  const isFine = answer.status === 200 || answer.status === 400;
  assert.ok(
    isFine,
    `${list.id} ${JSON.stringify(parameters).slice(0, 300)}: ${answer.status} ${answer.text}`,
  );
  return answer.status === 200;
}

for (const list of lists) {
  describe(`hostile values in ${list.id}`, () => {
    for (const name of list.fields.fields.keys()) {
      test(`filter_type: hostile values in ${name} → refused or answered, never anything else`, async () => {
        let answered = 0;
        for (const [row, payload] of payloads.entries()) {
          const all = listQueries(name, payload);
          const count = isWhole ? all.length : SHARE;
          for (let step = 0; step < count; step += 1) {
            const query = all[(row * SHARE + step) % all.length];
            assert.ok(query !== undefined);
            if (await assertHarmless(list, asParameters(query))) answered += 1;
          }
        }
        assert.ok(answered > 0);
      });
    }

    test('filter injection: after all hostile values → every row still exists', async () => {
      const { total } = await list.readPage();
      assert.ok(total > 10, `${list.id} needs rows in tests/lists/rows.ts`);
    });
  });
}

test('filter: a value that looks like an always-true condition → selects nothing', async () => {
  for (const list of lists) {
    const name = list.fields.filterable.find((each) => list.fields.fields.get(each)?.kind === 'text');
    if (name === undefined) continue;
    for (const value of ["x' or '1'='1", "' or true --", "x') or ('a'='a", '$1', '%']) {
      for (const parameters of [{ [`equ(${name})`]: value }, { [name]: value }]) {
        assert.equal((await list.readPage(parameters)).total, 0, `${list.id} ${name} ${value}`);
      }
    }
  }
});
