/**
 * Curves as Apache Parquet, whose typed columns notebooks read without guessing. Snappy, one row group per result.
 */
import type { ByteWriter, ColumnSource } from 'hyparquet-writer';
import { listCurveColumns, listCurveRecords, type CellValue } from './curve-table.ts';
import type { ResultCurves } from '#domain/results/store.ts';

/** Writes the curves of one result; the unit of the signal is in the metadata of the file. */
export async function writeCurvesParquet(result: ResultCurves): Promise<Uint8Array> {
  async function* yieldResult() {
    yield result;
  }
  const metadata = {
    experiment_code: result.experiment_code,
    sequence_name: result.sequence_name,
    signal_unit: result.signal_unit,
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeParquet(result.experiment_type, yieldResult(), metadata)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Writes the curves of many results of one experiment to one table, piece by piece. */
export async function* writeParquet(
  experimentType: string,
  results: AsyncIterable<ResultCurves>,
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  // Loaded on first use instead of at the start of the service.
  const { ByteWriter: Bytes, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const bytes = new Bytes();
  const table = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: buildColumns(experimentType, []) }),
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  for await (const result of results) {
    const columnData = buildColumns(experimentType, [...listCurveRecords(result)]);
    const [first] = columnData;
    if (first === undefined || first.data.length === 0) continue;
    // The schema already has the types.
    await table.write({ columnData: columnData.map(({ name, data }) => ({ name, data })) });
    yield takeBytes(bytes);
  }
  await table.finish();
  yield takeBytes(bytes);
}

function buildColumns(experimentType: string, records: readonly (readonly CellValue[])[]): ColumnSource[] {
  return listCurveColumns(experimentType).map(({ name, type }, index) => ({
    name,
    type,
    data: records.map((record) => record[index] ?? null),
    nullable: true,
  }));
}

/** Returns the bytes written since the last call; positions in the file continue. */
function takeBytes(bytes: ByteWriter): Uint8Array {
  const chunk = bytes.getBytes().slice();
  bytes.index = 0;
  return chunk;
}
