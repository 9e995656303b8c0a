import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface FastaRecord {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly chains: readonly string[];
}

function readFasta(text: string): readonly FastaRecord[] {
  return text
    .split('>')
    .slice(1)
    .map((block) => {
      const [header = '', ...lines] = block.split('\n');
      const [title = '', ...rest] = header.split(' | ');
      const fields = rest.map((field): [string, string] => {
        const at = field.indexOf('=');
        return [field.slice(0, at), field.slice(at + 1)];
      });
      const chains = lines.join('').trim().split(':');
      return { name: title.split(/\s/)[0] ?? '', fields: new Map(fields), chains };
    });
}

const fastaUrl = new URL('../../../examples/antibodies.fasta', import.meta.url);
const fastaText = readFileSync(fastaUrl, 'utf8');
const records = readFasta(fastaText);

/** Residues between the two conserved cysteines of a V domain (IMGT positions 23 and 104), by domain. */
const CYS_SPAN = { VH: [70, 78], VL: [62, 72], VHH: [70, 78] } as const;
/** Residues of a V domain from its first strand to the end of the J segment, by domain. */
const LENGTH = { VH: [110, 135], VL: [100, 118], VHH: [110, 140] } as const;
/** The end of the J segment, WGxG or FGxG and what follows; some single domains have R in place of W. */
const FR4 = {
  VH: /[WR]G[A-Z]G[TS][A-Z]{2}TVS[SA]$/,
  VL: /FG[A-Z]GT[A-Z]{5}$/,
  VHH: /[WR]G[A-Z]GT[A-Z]VTVSS$/,
} as const;

function checkDomain(domain: keyof typeof LENGTH, sequence: string, name: string): void {
  const where = `${name} ${domain}`;
  const [shortest, longest] = LENGTH[domain];
  assert.ok(
    sequence.length >= shortest && sequence.length <= longest,
    `${where}: ${sequence.length} residues`,
  );
  const first = sequence.indexOf('C');
  assert.ok(first >= 20 && first <= 23, `${where}: first cysteine at ${first + 1}`);
  const [least, most] = CYS_SPAN[domain];
  const partner = sequence.indexOf('C', first + least);
  assert.ok(partner !== -1 && partner - first <= most, `${where}: no partner for the conserved cysteine`);
  assert.match(sequence.slice(partner - 2, partner + 1), /[YF][YFLH]C/, `${where}: motif before the partner`);
  assert.match(sequence, FR4[domain], `${where}: end of the J segment`);
}

test('examples: the FASTA file → at least 24 records with unique plain names', () => {
  assert.ok(records.length >= 24);
  assert.equal(new Set(records.map((record) => record.name)).size, records.length);
  for (const record of records) assert.match(record.name, /^[A-Za-z0-9_-]+$/);
});

test('examples: every header → names target, format and source', () => {
  for (const { name, fields } of records) {
    for (const field of ['target', 'format', 'source']) assert.ok(fields.get(field), `${name}: ${field}`);
  }
});

test('examples: every chain → the twenty letters, at most 400 residues', () => {
  for (const { name, chains } of records) {
    for (const chain of chains) {
      assert.match(chain, /^[ACDEFGHIKLMNPQRSTVWY]+$/, name);
      assert.ok(chain.length <= 400, name);
    }
  }
  const distinct = new Set(records.map((record) => record.chains.join(':')));
  assert.equal(distinct.size, records.length);
});

test('examples: every V domain → its cysteine pair, a usual length and a J segment', () => {
  for (const { name, fields, chains } of records) {
    const domains = fields.get('format')?.split(':') ?? [];
    assert.equal(domains.length, chains.length, name);
    for (const [index, domain] of domains.entries()) {
      assert.ok(domain === 'VH' || domain === 'VL' || domain === 'VHH', name);
      checkDomain(domain, chains[index] ?? '', name);
    }
  }
});
