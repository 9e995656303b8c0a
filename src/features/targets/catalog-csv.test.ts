import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '#testing/properties.ts';
import { planCatalogImport, readCatalogCsv, writeCatalogCsv } from './catalog-csv.ts';
import { EMPTY_ENTRY, findEntryProblems, normalizeEntry, type TargetEntry } from './entry.ts';

/** Characters that mean something in a CSV file: separators, quotes, starts of formulas, spaces of several kinds. */
const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Array.from(`;,"'=+-@ \u00a0aZ0:%β`)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const text = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(''));
const maybe = fc.option(text);
const texts = fc.array(text, { maxLength: 4 });
const cents = fc.nat({ max: 1_000_000 });
const lots = fc.uniqueArray(
  fc.record({ num_sequences: fc.integer({ min: 1, max: 99 }), price_usdcent: cents }),
  {
    minLength: 1,
    maxLength: 3,
    selector: (lot) => lot.num_sequences,
  },
);

const entry: fc.Arbitrary<TargetEntry> = fc
  .record({
    name: text.map((value) => `n${value}`),
    vendor_name: text.map((value) => `${value}n`),
    gene_names: texts,
    organism: maybe,
    family: maybe,
    conjugated: fc.boolean(),
    description: maybe,
    synonyms: texts,
    construct: maybe,
    tags: texts,
    purity: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    molecular_weight: maybe,
    bioactivity: fc.option(fc.record({ bli: fc.boolean(), elisa: fc.boolean(), spr: fc.boolean() })),
    lot: maybe,
    stock_ug: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
    control_kd_m: fc.option(fc.double({ min: 1e-15, max: 1e-3, noNaN: true })),
    pricing: fc.oneof(
      fc.constant(null),
      cents.map((price) => ({ type: 'per_sequence' as const, price_per_sequence_cents: price })),
      lots.map((tiers) => ({ type: 'per_broken_lot' as const, lot_prices: tiers })),
    ),
    retired: fc.boolean(),
    catalog_number: text,
  })
  .map((fields) => normalizeEntry({ ...EMPTY_ENTRY, ...fields }))
  .filter((made) => made.catalog_number !== '' && findEntryProblems(made).length === 0);

const VALID_ENTRY = { ...EMPTY_ENTRY, catalog_number: 'A-1', name: 'x', vendor_name: 'x' };

describe('the catalog as a CSV file', () => {
  test('round trip: any catalog is exported and imported → every entry is unchanged', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { maxLength: 4, selector: (made) => made.catalog_number }),
        (entries) => {
          const read = readCatalogCsv(writeCatalogCsv(entries));
          const { planned, problems } = planCatalogImport(read, new Map());
          assert.deepEqual(problems, []);
          assert.deepEqual(
            planned.map(({ after }) => JSON.stringify(after)),
            entries.map((made) => JSON.stringify(made)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('round trip: texts begin like a formula, end in a space or contain a separator → they are unchanged', () => {
    const odd = {
      ...EMPTY_ENTRY,
      catalog_number: "'=1+1",
      name: ' EGFR ',
      vendor_name: "''@x",
      synonyms: ['HER1; ErbB1', '"quoted"', " '=a", '-b'],
    };
    const file = writeCatalogCsv([odd]);
    assert.doesNotMatch(file, /(?:^|,|\n)"?[=@+-]\D/);
    assert.deepEqual(readCatalogCsv(file).records[0]?.fields, odd);
  });

  test('cells: spaces surround an unquoted cell or a list item → they are removed', () => {
    const { records, problems } = readCatalogCsv(
      'catalog_number, name ,synonyms\n A-1 ,  "EGFR " , a ;b;; c \n',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(records[0]?.fields, {
      catalog_number: 'A-1',
      name: 'EGFR ',
      synonyms: ['a', 'b', 'c'],
    });
  });

  test('cells: a list item lacks its closing quote → the line has a problem', () => {
    const { problems } = readCatalogCsv('catalog_number,synonyms\nA-1,"""a; b"\n');
    assert.match(problems[0]?.message ?? '', /^synonyms .* is not texts separated by ";"/);
  });

  test('control characters: a text contains a line separator or a control of text direction → it is rejected', () => {
    for (const control of ['\u2028', '\u2029', '\u0085', '\u202e', '\u2066', '\u200f', '\u061c', '\n'])
      for (const wrong of [{ organism: `a${control}b` }, { synonyms: [`a${control}b`] }])
        assert.equal(findEntryProblems({ ...VALID_ENTRY, ...wrong }).length, 1, JSON.stringify(wrong));
  });

  test('control characters: a text has letters of any script and no control character → it is accepted', () => {
    assert.deepEqual(findEntryProblems({ ...VALID_ENTRY, organism: 'αβ 日本 é ‑ 🧬' }), []);
  });
});
