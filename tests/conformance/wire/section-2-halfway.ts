import type { WireRule } from './rules.ts';

export const section2Halfway: readonly WireRule[] = [
  {
    rule: 'A target of the catalog may be given by its exact name or its id in estimate, validation and creation.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'target: a name in any case, or an id → the target of that name, priced and stored by its id',
    },
  },
  {
    rule: 'A name that nobody has is answered with the nearest names.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'target_not_found: a name that nobody has → 404 with the nearest names',
    },
  },
  {
    rule: 'A name of several targets is refused with the id of each.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'target_ambiguous: two targets have the name → 422 with the id of each',
    },
  },
  {
    rule: 'Sequences are taken as a map or as a list wherever they are taken.',
    test: {
      file: 'tests/operations/sequences.test.ts',
      title: 'sequences: a list or a map → the same experiment, by creation, change and addition',
    },
  },
  {
    rule: 'Fields of a creation without their wrapper are named with the wrapper they belong under.',
    test: {
      file: 'tests/operations/sequences.test.ts',
      title:
        'invalid_experiment: fields without their wrapper, or too deep in it → each says where it belongs',
    },
  },
];
