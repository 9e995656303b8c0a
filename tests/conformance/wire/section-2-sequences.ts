import type { WireRule } from './rules.ts';

export const section2Sequences: readonly WireRule[] = [
  {
    rule: 'DNA in the file of an import or in the changes of a copy is refused.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title: 'looks_like_dna: DNA in a file or in a change of a copy → 422 that names its line',
    },
  },
  {
    rule: 'DNA in the arguments of a tool is refused.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'looks_like_dna: DNA as an argument of a tool → refused with the code and the way out',
    },
  },
  {
    rule: 'DNA of 30 letters or more that is sold as protein is 422 looks_like_dna.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'looks_like_dna: one chain is DNA in create, validate, estimate and PATCH → 422 that names it and the way out',
    },
  },
  {
    rule: 'POST /sequences refuses DNA as well.',
    test: {
      file: 'tests/operations/sequences.test.ts',
      title: 'looks_like_dna: a chain of DNA in add_sequences → 422 and nothing is added',
    },
  },
  {
    rule: 'A creation ignores unknown top-level keys, and a validation warns about them.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title:
        'validate_exp: unknown keys beside the specification → a warning each, with the key that was meant',
    },
  },
  {
    rule: 'Warnings come grouped by rule, with counts and examples.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title:
        'create_exp: many sequences with the same flaw → one warning for each rule, with its count and examples',
    },
  },
];
