/**
 * Hostile values in every place of every list's query, over HTTP. `npm test` asks each field in each place, each list
 * with each value, and each value in each place of some field; `npm run test:nightly` asks all combinations.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloads, listQueries } from '../fuzz/injection-corpus.ts';
import { listWorld, type List, type Parameters } from './world.ts';

const { lists } = await listWorld();
const isWhole = process.env['ASSAYER_INJECTION'] === 'whole';
const places = listQueries('name', '').length;

/** How many values the sample moves on from field to field, so that three fields meet every value. */
const STEP = places - 1;

/** Row and place of the queries of a field. */
function* listCombinations(field: number): Generator<readonly [row: number, place: number]> {
  for (let place = 0; place < places; place += 1) {
    if (isWhole) for (const row of payloads.keys()) yield [row, place];
    else yield [(place + field * STEP) % payloads.length, place];
  }
}

/** Fields of all lists so far. */
let fieldsBefore = 0;

test('sample: the fields of all lists → every list meets every value, and every value every place', () => {
  const pairs = new Set<string>();
  let field = 0;
  for (const list of lists) {
    const rows = new Set<number>();
    for (const _name of list.fields.fields.keys()) {
      for (const [row, place] of listCombinations(field)) {
        rows.add(row);
        pairs.add(`${row} ${place}`);
      }
      field += 1;
    }
    assert.equal(rows.size, payloads.length, list.id);
  }
  assert.equal(pairs.size, payloads.length * places);
});

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
    let answered = 0;
    for (const name of list.fields.fields.keys()) {
      const field = fieldsBefore++;
      test(`filter_type: hostile values in ${name} → refused or answered, never anything else`, async () => {
        for (const [row, place] of listCombinations(field)) {
          const query = listQueries(name, payloads[row] ?? '')[place];
          assert.ok(query !== undefined);
          if (await assertHarmless(list, asParameters(query))) answered += 1;
        }
      });
    }

    test('filter injection: after all hostile values → every row still exists', async () => {
      assert.ok(answered > 0, 'every value was refused');
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
