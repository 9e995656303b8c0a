/** The curves of one result as Apache Parquet: typed columns that notebooks read without guessing. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import { curveColumns, curveRecords, type CellValue } from './curve-table.ts';
import type { ResultCurves } from './store.ts';

/** One row group per 100,000 points, snappy; the unit of the signal stands in the metadata of the file. */
export function curvesParquet(result: ResultCurves): Uint8Array {
  const columns = curveColumns(result.experiment_type);
  const data: CellValue[][] = columns.map(() => []);
  for (const record of curveRecords(result))
    for (const [index, cell] of record.entries()) data[index]?.push(cell);
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, type }, index) => ({
      name,
      type,
      data: data[index] ?? [],
      nullable: true,
    })),
    kvMetadata: [
      { key: 'experiment_code', value: result.experiment_code },
      { key: 'sequence_name', value: result.sequence_name },
      { key: 'signal_unit', value: result.signal_unit },
    ],
  });
  return new Uint8Array(buffer);
}
