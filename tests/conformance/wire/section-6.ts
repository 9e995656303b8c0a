import type { WireRule } from './rules.ts';

const RECORD = 'tests/journeys/result-record.test.ts';
const RESULTS = 'tests/operations/results.test.ts';
const BRANDING = 'tests/journeys/branding.test.ts';
const PACKAGE = 'tests/journeys/data-package.test.ts';

/** Results. */
export const section6: readonly WireRule[] = [
  {
    rule: 'summary has the rows of every shape unless RESULT_SUMMARY says otherwise.',
    test: {
      file: RECORD,
      title: 'RESULT_SUMMARY: nothing is said → summary and rows have the row of every shape',
    },
  },
  {
    rule: 'With an alias and nothing else said, summary has only rows of affinity and thermostability, and rows has every row.',
    test: {
      file: BRANDING,
      title:
        'RESULT_SUMMARY: an alias and nothing else is said → summary has the two published shapes, rows has all',
    },
  },
  {
    rule: 'What RESULT_SUMMARY says wins over the alias.',
    test: {
      file: 'src/settings/result-settings.test.ts',
      title: 'RESULT_SUMMARY: nothing is said → all, or published with an alias; what is said wins',
    },
  },
  {
    rule: 'A binding row and its replicates use the published meanings, and our own words have names of their own.',
    test: {
      file: RECORD,
      title:
        'published meanings: an affinity result → fit, technique and concentrations each under the published name',
    },
  },
  {
    rule: 'Every model of the engine has a fit name and a kind, and an inconclusive or unexpressed sequence has a published word.',
    test: {
      file: 'src/assays/binding/published.test.ts',
      title: 'published meanings: each word of the engine → a published one, or null',
    },
  },
  {
    rule: 'Rows that an earlier version stored are answered with the published meanings.',
    test: {
      file: RESULTS,
      title:
        'published meanings: a row that an earlier version stored → is answered as one that is written today',
    },
  },
  {
    rule: 'A record has the same fields in the list, in the list of its experiment and in the detail; its result_type is the assay, that of a row its shape.',
    test: {
      file: RESULTS,
      title:
        'list_results: by organization, experiment and id → one record per sequence, everywhere the same',
    },
  },
  {
    rule: 'A value that cannot be measured is null, never 0.',
    test: {
      file: RECORD,
      title:
        'unmeasurable: a sequence does not bind or is not expressed → its KD and rates are null, and no quantity',
    },
  },
  {
    rule: 'A number that is a limit or an estimate has a relation.',
    test: {
      file: 'tests/journeys/assays.test.ts',
      title:
        'expression: simulated run → yields agree with the truth, and below the lowest standard a bound is given',
    },
  },
  {
    rule: 'The curves of a result come as JSON, or as CSV by Accept.',
    test: {
      file: RESULTS,
      title: 'get_result_curves: Accept is JSON or CSV → the curves in that format',
    },
  },
  {
    rule: 'The figure of a result is an SVG.',
    test: { file: RESULTS, title: 'get_result_plot: a result → an SVG' },
  },
  {
    rule: 'The data package of an experiment is behind a signed link, which every record has as data_package_url.',
    test: {
      file: PACKAGE,
      title: 'data_package_url: every result record → a link that works without a token',
    },
  },
];
