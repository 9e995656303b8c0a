import type { WireRule } from './rules.ts';

export const section1: readonly WireRule[] = [
  {
    rule: 'Keys of answers and values of a status are lower snake_case.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'names: every answer of every reading operation → keys and statuses are lower snake_case',
    },
  },
  {
    rule: 'A filter takes a status in either spelling, snake_case or PascalCase.',
    test: {
      file: 'tests/lists/spellings.test.ts',
      title: 'status: snake_case and PascalCase in every style → the same rows',
    },
  },
  {
    rule: 'With another brand prefix a client works that sends and reads only the lab’s own header and field names.',
    test: {
      file: 'tests/journeys/branding.test.ts',
      title: 'branding: an experiment from draft to results → works under the names of the lab alone',
    },
  },
  {
    rule: 'With an alias set, every provider_ field of an answer is accompanied by one of the alias with the same value.',
    test: {
      file: 'tests/journeys/branding.test.ts',
      title: 'branding: every provider_ field of every answer → has its alias',
    },
  },
  {
    rule: 'The alias accompanies provider_ fields in the answers of tools, too.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title:
        'branding: a tool answers in a branded lab → the lab’s field names stand beside the canonical ones',
    },
  },
  {
    rule: 'A replayed answer has the alias, too.',
    test: {
      file: 'tests/journeys/branding.test.ts',
      title: 'branding: a repeated request → replays the aliases too',
    },
  },
  {
    rule: 'Requests accept a contract header in the lab’s spelling and in the canonical one.',
    test: {
      file: 'tests/journeys/branding.test.ts',
      title: 'branding: a token in the header of either name → accepted',
    },
  },
  {
    rule: 'Where two generations of a record exist, the answer has the fields of both: the target flat and as an object.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title:
        'union of two generations: experiment, estimate and targets → the flat fields and the object, with equal values',
    },
  },
  {
    rule: 'A creation ignores unknown top-level keys, and every other body refuses an unknown key by name.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'unknown keys: beside a creation → ignored; in every other body → 400 that names the key',
    },
  },
  {
    rule: 'A misspelt key in the specification of an attenuation makes no token.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'unknown keys: in a specification of an attenuation → 400, and no token',
    },
  },
  {
    rule: 'Ids are UUIDv7; codes, quote ids and external invoice ids have the form of the contract.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title:
        'ids: an experiment, its records and its invoice → UUIDv7; code, quote id and external id have their form',
    },
  },
  {
    rule: 'The code of an experiment is accepted wherever its id is.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'ids: an operation on an experiment, by its id or by its code → the same answer',
    },
  },
  {
    rule: 'Paths accept an invoice by its UUID and by its in_… id, and a quote by its qt_… id.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'ids: an invoice by its UUID or its in_… id, a quote by its qt_… id → the same record',
    },
  },
  {
    rule: 'Times are RFC 3339 in UTC, and money is in whole minor units.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'times and amounts: every answer of every reading operation → RFC 3339 in UTC, and whole cents',
    },
  },
  {
    rule: 'Concentrations of requests are nM; KD is in M, kon in M⁻¹s⁻¹ and koff in s⁻¹.',
    test: {
      file: 'tests/conformance/wire-names.test.ts',
      title: 'units: concentrations are ordered in nM → results give KD, rates and concentrations in M',
    },
  },
];
