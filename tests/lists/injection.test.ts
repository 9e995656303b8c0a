/**
 * Hostile values in every place of every list's query, over HTTP. `npm test` asks each field in a third of the places
 * that name a field, and each kind of field and each list in every place; each list meets every value, and every value
 * every place. `npm run test:nightly` asks all combinations.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloads, listQueries } from '../fuzz/injection-corpus.ts';
import { listWorld, type List, type Parameters } from './world.ts';

const { lists } = await listWorld();
const isWhole = process.env['ASSAYER_INJECTION'] === 'whole';
const places = listQueries('name', '').length;
/** Whether a query in that place names a field; the others are the same for every field of a list. */
const namesField = listQueries('one', '').map(
  (query, place) => JSON.stringify(query) !== JSON.stringify(listQueries('other', '')[place]),
);
const TURNS = 3;
/** A list of fewer fields is asked by each field in all places. */
const MANY_FIELDS = 10;
const RARE_KINDS = new Set(['bool', 'json']);

interface Asked {
  readonly name: string;
  readonly kind: string;
  readonly row: number;
  readonly place: number;
}

/** Places and values that have met so far; kinds of fields and values. */
const pairs = new Set<string>();
const kindPairs = new Set<string>();

function listPlaces(list: List, index: number, kind: string): number[] {
  const isEvery = isWhole || list.fields.fields.size < MANY_FIELDS || RARE_KINDS.has(kind);
  return namesField.flatMap((named, place) => {
    const isTurn = named ? isEvery || (index + place) % TURNS === 0 : isWhole || index < 2;
    return isTurn ? [place] : [];
  });
}

/** What a list is asked: in each place a value that neither the place nor the list nor the kind of field has met. */
function listAsked(list: List): Asked[] {
  const met = new Set<number>();
  const chooseRow = (kind: string, place: number): number => {
    const rate = (row: number) =>
      Number(!pairs.has(`${row} ${place}`)) +
      Number(!met.has(row)) +
      Number(namesField[place] && !kindPairs.has(`${row} ${kind}`));
    const rows = [...payloads.keys()];
    return rows.reduce((best, row) => (rate(row) > rate(best) ? row : best), place);
  };
  return [...list.fields.fields.values()].flatMap(({ name, kind }, index) =>
    listPlaces(list, index, kind).flatMap((place) =>
      (isWhole ? [...payloads.keys()] : [chooseRow(kind, place)]).map((row) => {
        met.add(row);
        pairs.add(`${row} ${place}`);
        if (namesField[place]) kindPairs.add(`${row} ${kind}`);
        return { name, kind, row, place };
      }),
    ),
  );
}

const askedByList = new Map(lists.map((list) => [list, listAsked(list)]));

test('sample: all lists → each meets every value and every place, and values, places and kinds of fields meet each other', () => {
  const kinds = new Set<string>();
  const ofKinds = new Set<string>();
  for (const [{ id }, asked] of askedByList) {
    assert.equal(new Set(asked.map(({ row }) => row)).size, payloads.length, id);
    assert.equal(new Set(asked.map(({ place }) => place)).size, places, id);
    for (const { kind, place } of asked) {
      kinds.add(kind);
      if (namesField[place]) ofKinds.add(`${kind} ${place}`);
    }
  }
  assert.equal(pairs.size, payloads.length * places);
  assert.equal(kindPairs.size, payloads.length * kinds.size);
  assert.equal(ofKinds.size, kinds.size * namesField.filter(Boolean).length);
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
    for (const [name, asked] of Map.groupBy(askedByList.get(list) ?? [], (one) => one.name)) {
      test(`filter_type: hostile values in ${name} → refused or answered, never anything else`, async () => {
        for (const { row, place } of asked) {
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
