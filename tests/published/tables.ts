/** Published tables that are no measurements: each is refused with a sentence that says what a lab can bring. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getItems, getText } from '#testing/service.ts';
import { readPublished, type Doors } from './doors.ts';

const TABLES = [
  'egfr_round_1/result_summary.csv',
  'egfr_round_1/replicate_summary.csv',
  'egfr_round_1/sequence_similarity.csv',
  'titrationanalysis/Titration Analysis_BLI_Report_Example.csv',
  'titrationanalysis/Example Data Info Sheet - BLI.xlsx',
] as const;

export function testTables(doors: Doors): void {
  test('raw_file_refused: tables of results brought as raw files → refused with the formats that are read', async (context) => {
    const id = await doors.order({ experimentType: 'affinity', method: 'bli', sequences: ['design'] });
    for (const name of TABLES) {
      const files = readPublished(context, name);
      if (files === null) return;
      const answer = await doors.upload(id, files[0]);
      assert.equal(answer.status, 422, answer.text);
      assert.equal(getText(answer.body.code), 'raw_file_refused');
      const [problem] = getItems(answer.body.problems);
      assert.match(
        getText(problem?.message),
        /expected a trace file \(.*X–Y text.*\), found an unknown format/,
      );
    }
  });
}
