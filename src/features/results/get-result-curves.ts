import type { ReadContext } from '#core/context.ts';
import { Answer, type Input } from '#core/operation.ts';
import { type getResultCurves as operation, PARQUET_MEDIA } from './contract.ts';
import { writeCurvesCsv } from './package/curve-table.ts';
import { writeCurvesParquet } from './package/parquet.ts';
import { type ResultCurves, findCurves } from './store.ts';
import { fail } from '#core/failures.ts';
import { getScope } from '#core/principal.ts';

/** `GET /results/{result_id}/curves`: the curves of a result with their fits, as JSON, CSV or Parquet. */
export async function getResultCurves(input: Input<typeof operation>, context: ReadContext) {
  return writeCurves(await requireCurves(input.params.result_id, context), input);
}

/** Writes curves in the media type that the caller prefers. */
export async function writeCurves(
  found: ResultCurves,
  input: Pick<Input<typeof operation>, 'headers'> & { readonly params: { readonly result_id: string } },
) {
  const media = choosePreferredMedia(input.headers.accept);
  if (media === PARQUET_MEDIA) {
    return new Answer(200, Buffer.from(await writeCurvesParquet(found)), { 'content-type': PARQUET_MEDIA });
  }
  if (media === CSV_MEDIA) {
    return new Answer(200, writeCurvesCsv(found), { 'content-type': 'text/csv; charset=utf-8' });
  }
  return {
    result_id: input.params.result_id,
    experiment_code: found.experiment_code,
    sequence_name: found.sequence_name,
    signal_unit: found.signal_unit,
    curves: [...found.curves],
  };
}

const CSV_MEDIA = 'text/csv';

const JSON_MEDIA = 'application/json';

const CURVE_MEDIA: ReadonlySet<string> = new Set([JSON_MEDIA, CSV_MEDIA, PARQUET_MEDIA]);

/** Chooses the first media type of the header that is offered; JSON when none is. */
function choosePreferredMedia(accept: string | undefined): string {
  const mediaTypes = (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim() ?? '');
  return mediaTypes.find((media) => CURVE_MEDIA.has(media)) ?? JSON_MEDIA;
}

/** Throws `result_not_found`. */
export async function requireCurves(resultId: string, context: ReadContext) {
  const curves = await findCurves(getScope(context.principal), context.sql, resultId);
  if (curves === undefined) throw fail('result_not_found');
  return curves;
}
