import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkTargets, seedTargets } from './targets.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
// The form of accession numbers as UniProt documents it.
const UNIPROT_ACCESSION =
  /^(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})(?:-[0-9]+)?$/;
const PDB_ID = /^[1-9][A-Z0-9]{3}$/;

// Average residue masses in daltons (IUPAC standard atomic weights), and water for the two ends.
const RESIDUE_MASS_DA: Readonly<Record<string, number>> = {
  A: 71.0788,
  C: 103.1388,
  D: 115.0886,
  E: 129.1155,
  F: 147.1766,
  G: 57.0519,
  H: 137.1411,
  I: 113.1594,
  K: 128.1741,
  L: 113.1594,
  M: 131.1926,
  N: 114.1038,
  P: 97.1167,
  Q: 128.1307,
  R: 156.1875,
  S: 87.0782,
  T: 101.1051,
  V: 99.1326,
  W: 186.2132,
  Y: 163.176,
};
const WATER_DA = 18.0153;

function computeMassKda(sequence: string): number {
  let da = WATER_DA;
  for (const letter of sequence) {
    const residue = RESIDUE_MASS_DA[letter];
    assert.ok(residue !== undefined, `unknown residue ${letter}`);
    da += residue;
  }
  return da / 1000;
}

/** Mature or tagged constructs with published masses: a check on the residues that needs no sequence. */
const PUBLISHED_KDA: readonly (readonly [uniprotId: string, kda: number])[] = [
  ['P00648', 12.383],
  ['P00698', 14.313],
  ['P42212', 26.886],
  ['P02768', 66.472],
  ['P61769', 11.731],
];

test('catalog: the seeded targets → at least thirty', () => {
  assert.ok(seedTargets.length >= 30);
});

test('catalog: ids, catalog numbers and names → unique, and ids are UUID version 7', () => {
  for (const key of ['id', 'catalog_number', 'name'] as const) {
    assert.equal(new Set(seedTargets.map((target) => target[key])).size, seedTargets.length, key);
  }
  for (const target of seedTargets) {
    assert.match(target.id, UUID_V7, target.name);
    assert.match(target.catalog_number, /^DEMO-\d{4}$/, target.name);
  }
});

test('catalog: UniProt and PDB identifiers → their documented form', () => {
  for (const target of seedTargets) {
    assert.match(target.uniprot_id, UNIPROT_ACCESSION, target.name);
    if (target.construct.isoform !== undefined) {
      assert.match(target.construct.isoform, UNIPROT_ACCESSION, target.name);
      assert.ok(target.construct.isoform.startsWith(`${target.uniprot_id}-`), target.name);
    }
    for (const structure of target.structures) assert.match(structure, PDB_ID, target.name);
  }
});

test('catalog: residue range, tag, sequence and length → agree', () => {
  for (const target of seedTargets) {
    const { first, last } = target.construct;
    assert.match(target.sequence, /^[ACDEFGHIKLMNPQRSTVWY]+$/, target.name);
    assert.equal(target.sequence.length, target.sequence_length, target.name);
    const tagLength = target.tags.includes('His') ? 6 : 0;
    assert.equal(target.sequence.endsWith('HHHHHH'), tagLength > 0, target.name);
    assert.equal(target.sequence_length, last - first + 1 + tagLength, target.name);
  }
});

test('molecular weight: every target → the mass of its sequence within 0.5 %', () => {
  for (const target of seedTargets) {
    const expected = computeMassKda(target.sequence);
    assert.ok(Math.abs(target.molecular_weight_kda - expected) / expected < 0.005, target.name);
  }
});

test('molecular weight: untagged reference proteins → the published mass', () => {
  for (const [uniprotId, kda] of PUBLISHED_KDA) {
    const target = seedTargets.find((candidate) => candidate.uniprot_id === uniprotId);
    assert.ok(target, uniprotId);
    assert.ok(Math.abs(target.molecular_weight_kda - kda) < 0.002, uniprotId);
  }
});

test('catalog prices: all targets → both models and unpriced ones, and every price is a positive integer', () => {
  const count = (type: string | null) =>
    seedTargets.filter((target) => (target.pricing?.type ?? null) === type).length;
  assert.ok(count('per_sequence') > 0);
  assert.ok(count('per_broken_lot') > 0);
  assert.ok(count(null) >= 6);
  for (const { name, pricing } of seedTargets) {
    if (pricing?.type === 'per_sequence') {
      assert.ok(Number.isInteger(pricing.price_per_sequence_cents), name);
      assert.ok(pricing.price_per_sequence_cents > 0, name);
    } else if (pricing?.type === 'per_broken_lot') {
      assert.ok(pricing.lot_prices.length > 0, name);
      for (const lot of pricing.lot_prices) {
        assert.ok(Number.isInteger(lot.num_sequences) && lot.num_sequences > 0, name);
        assert.ok(Number.isInteger(lot.price_usdcent) && lot.price_usdcent > 0, name);
      }
    }
  }
});

test('catalog prices: EGFR → 500 cents per sequence, as in the example of the contract', () => {
  const egfr = seedTargets.find((target) => target.name === 'EGFR');
  assert.deepEqual(egfr?.pricing, { type: 'per_sequence', price_per_sequence_cents: 500 });
  assert.deepEqual(egfr.construct, { first: 25, last: 645 });
});

test('conjugates: a conjugated target → differs from its parent only by the biotin tag', () => {
  const conjugated = seedTargets.filter((target) => target.conjugated);
  assert.ok(conjugated.length >= 3);
  for (const target of seedTargets)
    assert.equal(target.tags.includes('Biotin'), target.conjugated, target.name);
  for (const target of conjugated) {
    const parent = seedTargets.find((other) => !other.conjugated && other.uniprot_id === target.uniprot_id);
    assert.ok(parent, target.name);
    assert.equal(target.sequence, parent.sequence);
    assert.notEqual(target.id, parent.id);
  }
});

test('catalog file: an entry that its schema refuses → refused with its place', () => {
  const [first] = seedTargets;
  const broken = [first, { ...first, construct: { first: 0, last: 10 } }];
  assert.throws(() => checkTargets(broken, 'tumor.json'), /^Error: tumor\.json\/1\/construct\/first /);
  assert.throws(() => checkTargets([{ ...first, color: 'red' }], 'tumor.json'), /^Error: tumor\.json/);
});
