import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { importPriceList as operation } from './draft-contract.ts';
import { insertDraftList } from './store.ts';
import { readPriceListFile } from './price-list-file.ts';
import { refuseContentProblems, requirePriceListJson } from './price-list-content.ts';

/** `POST /lab/price-lists/import`. */
export async function importPriceList({ body }: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock } = context;
  const at = clock.now();
  const { problems, ...listed } = await readPriceListFile(tx, body.content);
  if (problems.length > 0)
    throw fail(
      'import_refused',
      { count: problems.length },
      { problems: problems.map(({ line, message }) => ({ path: `line ${line}`, message })) },
    );
  const content = {
    ...listed,
    effective_from: body.effective_from ?? at.toISOString(),
    note: body.note ?? '',
  };
  await refuseContentProblems(tx, content);
  const id = ids.createUuid();
  await insertDraftList(tx, id, content, at);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ price_list_id: id, ...content });
  return requirePriceListJson(tx, id, at);
}
