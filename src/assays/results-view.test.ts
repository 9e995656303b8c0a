import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { result as example } from '#features/results/examples.ts';
import type { Result } from './columns.ts';
import { writeResultsCsv, summarizeResults, createResultsTable } from './results-view.ts';

const nonBinder: Result = {
  ...example,
  sequence_name: 'design-2',
  outcome: 'non_binder',
  place: null,
  quantities: {},
  qc: { pass: true, flags: ['LOW_SIGNAL'] },
  rows: example.rows.map((row) => ({
    ...row,
    binding: 'false' as const,
    call: 'non_binder' as const,
    binding_strength: 'none',
  })),
};

const open: Result = {
  ...example,
  assessment: { grade: 'with_reservations', reasons: ['The interval reaches into another strength class.'] },
  quantities: {
    ...example.quantities,
    kd: {
      ...example.quantities.kd,
      value: 27e-9,
      relation: '=',
      ci95_low: 14e-9,
      ci95_high: 165e-9,
    },
  },
};

describe('results as a table', () => {
  it('resultsTable: a binder and a non-binder → ranked, with value, interval and class', () => {
    const [titles, first, second] = createResultsTable([example, nonBinder]).lines;
    assert.match(titles ?? '', /^GRADE\s+#\s+NAME\s+OUTCOME\s+KD\s+95 % INTERVAL\s+CLASS\s+PASSED\s+FLAGS$/);
    assert.match(first ?? '', /^solid {2}1 {2}design-1 {2}measured +9\.3 nM +8\.1–10\.7 +strong +3\/3$/);
    assert.match(second ?? '', /^solid +design-2 {2}non binder +3\/3 {2}LOW_SIGNAL$/);
  });

  it('resultsTable: an interval that crosses a border of the classes → both classes, in the table and in CSV', () => {
    const [, row] = createResultsTable([open]).lines;
    assert.match(row ?? '', /^with reservations .* strong to medium +3\/3$/);
    const [titles = '', first = ''] = writeResultsCsv([open]).split('\r\n');
    const cells = first.split(',');
    const getCell = (title: string): string | undefined => cells[titles.split(',').indexOf(title)];
    assert.deepEqual(
      [getCell('binding_strength'), getCell('strength_classes'), getCell('grade')],
      ['strong', 'strong to medium', 'with_reservations'],
    );
  });

  it('resultsSummary: the best result is not solid → its grade stands beside its value', () => {
    assert.match(summarizeResults([open]), /the best is design-1 with [\d.]+ nM \(with reservations\)\.$/);
  });

  it('resultsSummary: results → one sentence with the best', () => {
    assert.equal(
      summarizeResults([example, nonBinder]),
      '1 of 2 sequences binds; the best is design-1 with 9.3 nM.',
    );
    assert.equal(summarizeResults([nonBinder]), '0 of 1 sequence binds.');
  });

  it('resultsSummary: sequences that failed QC or were not tested → named, and counted in no share', () => {
    const failed: Result = { ...example, outcome: 'failed_qc' };
    const untested: Result = { ...example, outcome: 'not_tested' };
    assert.equal(
      summarizeResults([example, failed, untested]),
      '1 of 1 sequence binds; the best is design-1 with 9.3 nM; 2 more failed QC or were not tested.',
    );
    assert.equal(summarizeResults([failed]), 'No sequence was measured: 1 failed QC or was not tested.');
  });
});

describe('results as CSV', () => {
  const rows = (results: readonly Result[]): string[][] =>
    writeResultsCsv(results)
      .split('\r\n')
      .map((line) => line.split(','));

  it('resultsCsv: a result → one record with values in base units', () => {
    const [titles = [], first = []] = rows([example]);
    const getValue = (title: string): string | undefined => first[titles.indexOf(title)];
    assert.equal(getValue('kd_m'), '9.3e-9');
    assert.equal(getValue('kd_relation'), '=');
    assert.equal(getValue('sequence_name'), 'design-1');
    assert.equal(getValue('kon_per_m_s'), '');
    assert.equal(first.length, titles.length);
  });

  it('resultsCsv: a name that a spreadsheet would run → quoted; negative numbers → unchanged', () => {
    const wild: Result = {
      ...example,
      sequence_name: '=HYPERLINK("http://x")',
      rows: example.rows.map((row) => ({ ...row, z_score: -1.5 })),
    };
    const text = writeResultsCsv([wild]);
    assert.match(text, /,"'=HYPERLINK\(""http:\/\/x""\)",/);
    assert.match(text, /,-1\.5,/);
  });
});
