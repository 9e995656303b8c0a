import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { compareSequences, computeIdentity, findClosest, type Difference } from './align.ts';

const write = ({ own, at, other, otherAt }: Difference): string => `${other}${otherAt}>${own}${at}`;
const listAll = (own: string, other: string): string[][] =>
  compareSequences(own, other).map(({ differences }) => differences.map(write));

test('comparison of sequences: exchanges, a gap, another chain → each difference with its places in both', () => {
  assert.deepEqual(listAll('QVQLVES', 'QVKLVES'), [['K3>Q3']]);
  assert.deepEqual(listAll('QVQLVESGG', 'QVQLVEGG'), [['6>S7']]);
  assert.deepEqual(listAll('QVQLVEGG', 'QVQLVESGG'), [['S7>6']]);
  assert.deepEqual(listAll('ACD:EF', 'ACD:EG'), [[], ['G2>F2']]);
  assert.deepEqual(listAll('ACD:EF', 'ACD'), [[], ['0>E1', '0>F2']]);
  assert.equal(computeIdentity('ACD:EF', 'ACD:EG'), 0.8);
});

test('comparison of sequences: any two chains → the differences turn one into the other', () => {
  const chain = fc
    .array(fc.constantFrom('A', 'C', 'D', 'E'), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(chain, chain, (own, other) => {
      const [{ differences } = { differences: [] }] = compareSequences(own, other);
      const rebuilt = other.split('');
      for (const { kind, otherAt, own: mine } of differences.toReversed()) {
        if (kind === 'exchange') rebuilt[otherAt - 1] = mine;
        else if (kind === 'deletion') rebuilt.splice(otherAt - 1, 1);
        else rebuilt.splice(otherAt, 0, mine);
      }
      assert.equal(rebuilt.join(''), own);
    }),
  );
});

test('closest sequence: variants, other lengths, strangers → the one with the fewest exchanges, or none', () => {
  const name = (id: string, aa: string) => ({ id, aa_string: aa });
  const others = [name('long', 'ACDEFGHIKLM'), name('two', 'ACDEFGHIAA'), name('one', 'ACDEFGHIKA')];
  assert.equal(findClosest('ACDEFGHIKL', others)?.id, 'one');
  assert.equal(findClosest('WWWWWWWWWW', others), undefined);
});
