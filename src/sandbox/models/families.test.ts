import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { ROOT } from '#core/package-root.ts';
import { seedTargets } from '../seed/targets.ts';
import { findRelative, markLoops } from './families.ts';
import { toCanonicalSequence } from './latent.ts';
import { createRandomSource } from './random.ts';
import { drawTruth } from './truth.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

function readExamples(file: string) {
  const text = readFileSync(new URL(`examples/${file}`, ROOT), 'utf8');
  return [...text.matchAll(/^>(\S+) \| ([^\n]*)\n([^>]+)/gm)].map(
    ([, name = '', facts = '', lines = '']) => ({
      name,
      antigen: /target=(\S+)/.exec(facts)?.[1] ?? '',
      role: /role=(\S+)/.exec(facts)?.[1] ?? '',
      sequence: toCanonicalSequence(lines),
    }),
  );
}

const examples = readExamples('antibodies.fasta');

function findTarget(name: string): string {
  return seedTargets.find((candidate) => candidate.name === name)?.id ?? assert.fail(`no target ${name}`);
}

function getSequence(name: string): string {
  return examples.find((example) => example.name === name)?.sequence ?? assert.fail(`no example ${name}`);
}

const EGFR = findTarget('EGFR');
const PARENT = getSequence('7D12_VHH');
const LOOPS = markLoops(PARENT).flatMap((isInLoop, position) => (isInLoop ? [position] : []));

const getLog10Kd = (sequence: string): number =>
  Math.log10(drawTruth({ sequence, targetId: EGFR }).kdM ?? Number.NaN);

function replaceResidue(sequence: string, position: number, letter: string): string {
  return sequence.slice(0, position) + letter + sequence.slice(position + 1);
}

/** Returns variants with a number of changes at the positions. */
function drawVariants(count: number, changes: number, positions: readonly number[]): string[] {
  const random = createRandomSource('variants', changes, positions.length);
  const pick = <Item>(items: ArrayLike<Item>, or: Item): Item =>
    items[Math.floor(random.drawUniform() * items.length)] ?? or;
  return Array.from({ length: count }, () => {
    let variant = PARENT;
    for (let change = 0; change < changes; change += 1)
      variant = replaceResidue(variant, pick(positions, 0), pick<string>(LETTERS, 'A'));
    return variant;
  });
}

for (const antigen of ['EGFR', 'HER2', 'TNF', 'PD-L1', 'CD20', 'PCSK9', 'GFP']) {
  test(`published antibodies: the examples and ${antigen} → those against it bind strongly, the others do not`, () => {
    const targetId = findTarget(antigen);
    assert.ok(examples.some((example) => example.antigen === antigen));
    for (const example of examples) {
      const truth = drawTruth({ sequence: example.sequence, targetId });
      assert.equal(truth.strength === 'strong', example.antigen === antigen, example.name);
      if (example.antigen !== antigen) assert.equal(truth.binds, false, example.name);
    }
  });
}

test('published antibodies: a target of the lab itself → no relative, and the truth of any sequence', () => {
  assert.equal(findRelative(PARENT, '01980000-0000-7000-8000-00000000ffff'), undefined);
});

describe('variants', () => {
  it('variants: one change in a loop → nearly all bind, most hardly changed, some better, some much worse', () => {
    const shifts = drawVariants(400, 1, LOOPS).map((variant) => getLog10Kd(variant) - getLog10Kd(PARENT));
    const bound = shifts.filter((shift) => !Number.isNaN(shift));
    assert.ok(bound.length > 0.95 * shifts.length);
    const countWithin = (low: number, high: number): number =>
      bound.filter((shift) => shift > low && shift < high).length / bound.length;
    assert.ok(countWithin(-0.3, 0.5) > 0.5, 'hardly changed');
    assert.ok(countWithin(-9, -0.3) > 0.02 && countWithin(-9, -0.3) < 0.2, 'better by a factor of two');
    assert.ok(countWithin(1, 9) > 0.05, 'worse by a factor of ten');
  });

  it('variants: more changes → weaker on the median, and fewer bind', () => {
    const medians = [1, 3, 6].map((changes) => {
      const shifts = drawVariants(300, changes, LOOPS).map(
        (variant) => getLog10Kd(variant) - getLog10Kd(PARENT),
      );
      const bound = shifts.filter((shift) => !Number.isNaN(shift));
      return { share: bound.length / shifts.length, median: computeMedian(bound) };
    });
    const [one, three, six] = medians;
    assert.ok(one !== undefined && three !== undefined && six !== undefined);
    assert.ok(one.median < three.median && three.median < six.median, JSON.stringify(medians));
    assert.ok(one.share > three.share && three.share > six.share, JSON.stringify(medians));
  });

  it('variants: changes in the framework → less harm than in the loops', () => {
    const framework = Array.from(PARENT, (_, position) => position).filter(
      (position) => !LOOPS.includes(position),
    );
    const compute = (positions: readonly number[]): number =>
      computeMedian(
        drawVariants(300, 3, positions)
          .map(getLog10Kd)
          .filter((kd) => !Number.isNaN(kd)),
      );
    assert.ok(compute(framework) + 0.2 < compute(LOOPS));
  });

  it('variants: two changes together → the sum of the effects of each', () => {
    const effectOf = (sequence: string): number =>
      findRelative(sequence, EGFR)?.effect ?? assert.fail(sequence);
    const [first = 0, , , second = 0] = LOOPS;
    const one = replaceResidue(PARENT, first, 'D');
    const other = replaceResidue(PARENT, second, 'D');
    const both = replaceResidue(one, second, 'D');
    assert.ok(Math.abs(effectOf(both) - effectOf(one) - effectOf(other)) < 1e-9);
    assert.equal(effectOf(PARENT), 0);
  });

  it('variants: a residue more or less → a relative; too many changes or another number of chains → none', () => {
    const [position = 0] = LOOPS;
    const inserted = `${PARENT.slice(0, position)}GG${PARENT.slice(position)}`;
    const deleted = `${PARENT.slice(0, position)}${PARENT.slice(position + 1)}`;
    for (const sequence of [inserted, deleted]) {
      const relative = findRelative(sequence, EGFR) ?? assert.fail(sequence);
      assert.equal(relative.parent, PARENT);
      assert.notEqual(relative.effect, 0);
    }
    const [far = ''] = drawVariants(
      1,
      60,
      Array.from(PARENT, (_, index) => index),
    );
    assert.equal(findRelative(far, EGFR), undefined);
    assert.equal(findRelative(`${PARENT}:${PARENT}`, EGFR), undefined);
  });
});

test('loops: heavy chain, light chain, single domain → the loops that the literature names', () => {
  const listLoops = (sequence: string): readonly string[] => {
    const marks = markLoops(sequence);
    return Array.from(sequence, (residue, position) => (marks[position] ? residue : ' '))
      .join('')
      .split(/ +/)
      .filter((loop) => loop !== '');
  };
  assert.deepEqual(listLoops(getSequence('Trastuzumab_Fv')), [
    'GFNIKDTYIH',
    'RIYPTNGYTR',
    'RWGGDGFYAMDY',
    'RASQDVNTAVA',
    'SASFLYS',
    'QQHYTTPPT',
  ]);
  assert.deepEqual(listLoops(PARENT), ['GRTSRSYGMG', 'GISWRGDSTG', 'AAAGSAWYGTLYEYDY']);
  assert.deepEqual(listLoops('MKTAYIAKQR:GGSG'), []);
});

test('campaign of the examples: simulated affinities → the parent among its variants, and no decoy binds', () => {
  const campaign = readExamples('campaign.fasta');
  const listKds = (role: string): number[] =>
    campaign
      .filter((design) => design.role === role)
      .map(({ sequence }) => drawTruth({ sequence, targetId: EGFR }).kdM ?? Infinity);
  const [parent = Number.NaN] = listKds('parent');
  const variants = listKds('variant');
  assert.ok(variants.filter((kd) => kd < parent).length >= 4, 'some variants are better');
  assert.ok(variants.filter((kd) => kd > 10 * parent).length >= 4, 'some are much worse');
  assert.ok(listKds('reference').every((kd) => kd < 5e-8));
  const decoys = campaign.filter(({ role }) => role === 'decoy');
  assert.ok(decoys.length >= 5 && decoys.every(({ name }) => name.startsWith('Decoy_')));
  assert.ok(listKds('decoy').every((kd) => kd === Infinity));
});
