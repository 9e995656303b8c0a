import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listAssayTypes as operation } from './contract.ts';
import { assayTypeFields } from './list-fields.ts';
import { listOfferedPage } from './store.ts';
import { selectPriceListAt } from '../store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /assay-types`. */
export async function listAssayTypes(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const list = await selectPriceListAt(context.sql, context.clock.now(), null);
  const priced = (list?.prices ?? []).map(({ experiment_type: type }) => type);
  return listOfferedPage(context.sql, priced, parseList(context, assayTypeFields, input.query));
}
