/**
 * Curves as Apache Parquet, whose typed columns notebooks read without guessing. Snappy.
 */
import type { ByteWriter, ColumnSource } from 'hyparquet-writer';
import { listCurveColumns, listCurveRecords, type CellValue } from './curve-table.ts';
import type { ResultCurves } from '../store.ts';

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

/** Results that have a row group each. Later ones share groups, because the file ends with a record of every group. */
const OWN_GROUPS_MAX = 500;
/** Rows from which on a shared group is written, and the most that one group has. */
const SHARED_ROWS = 20_000;
const GROUP_ROWS_MAX = 100_000;

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
  let groups = 0;
  let records: (readonly CellValue[])[] = [];
  const writeGroup = async (): Promise<Uint8Array> => {
    // The schema already has the types.
    const columnData = buildColumns(experimentType, records).map(({ name, data }) => ({ name, data }));
    // By itself the library gives the first thousand rows a group of their own.
    const rowGroupSize = groups < OWN_GROUPS_MAX ? undefined : GROUP_ROWS_MAX;
    records = [];
    groups += 1;
    await table.write({ columnData, ...(rowGroupSize === undefined ? {} : { rowGroupSize }) });
    return takeBytes(bytes);
  };
  for await (const result of results) {
    for (const record of listCurveRecords(result)) records.push(record);
    if (records.length > (groups < OWN_GROUPS_MAX ? 0 : SHARED_ROWS)) yield await writeGroup();
  }
  if (records.length > 0) yield await writeGroup();
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
