import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { seedTargets } from '../seed/targets.ts';
import { toCanonicalSequence } from './latent.ts';
import { isPublishedPair } from './published-pairs.ts';
import { drawTruth } from './truth.ts';

const fasta = readFileSync(new URL('../../../examples/antibodies.fasta', import.meta.url), 'utf8');
const examples = fasta
  .split('>')
  .slice(1)
  .map((record) => {
    const [head = '', ...lines] = record.split('\n');
    return {
      name: head.split(' ')[0],
      antigen: /target=(\S+)/.exec(head)?.[1] ?? '',
      sequence: toCanonicalSequence(lines.join('')),
    };
  });

function findTarget(name: string): string {
  const target = seedTargets.find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  return target.id;
}

for (const antigen of ['EGFR', 'HER2', 'TNF', 'PD-L1', 'CD20', 'PCSK9', 'GFP']) {
  test(`published pairs: antibodies of the examples against ${antigen} → exactly they bind it strongly`, () => {
    const targetId = findTarget(antigen);
    const expected = examples.filter((example) => example.antigen === antigen);
    const known = examples.filter(({ sequence }) => isPublishedPair(sequence, targetId));
    assert.ok(expected.length > 0);
    assert.deepEqual(
      known.map(({ name }) => name),
      expected.map(({ name }) => name),
    );
    for (const { sequence } of expected) {
      const truth = drawTruth({ sequence, targetId });
      assert.equal(truth.expressed, true);
      assert.equal(truth.strength, 'strong');
    }
  });
}

test('published pairs: a target of the lab itself → none', () => {
  assert.equal(isPublishedPair(examples[0]?.sequence ?? '', '01980000-0000-7000-8000-00000000ffff'), false);
});
