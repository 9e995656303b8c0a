/** The operations of pricing, each with what carries it out. */
import { bindCompute, bindLabList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as assayTypesContract from './assay-types/contract.ts';
import * as calendarContract from './calendar-contract.ts';
import * as listContract from './list-contract.ts';
import * as draftContract from './draft-contract.ts';
import { publishPriceList } from './publish-price-list.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { RawJson } from '#core/reply.ts';
import { assayTypeFields } from './assay-types/list-fields.ts';
import {
  listOfferedPage,
  listAssayTypePage,
  findAssayTypeJson,
  lockAssayType,
  rewriteAssayType,
  selectOffered,
} from './assay-types/store.ts';
import {
  selectPriceListAt,
  listPriceListPage,
  insertDraftList,
  rewriteDraftList,
  deleteDraftList,
  findPriceList,
} from './store.ts';
import { getCalendar, lockCalendar, rewriteCalendar } from './calendar-store.ts';
import { findCalendarProblem, weekdays } from '#core/expected-date.ts';
import { parseList } from '#core/parse-list.ts';
import { isDeepStrictEqual } from 'node:util';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { findEntryProblems, type OfferEntry } from './assay-types/rules.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import {
  requirePriceListJson,
  mergeContent,
  refuseContentProblems,
  lockDraft,
} from './price-list-content.ts';
import {
  type PriceListContent,
  comparePriceLists,
  listUnpriced,
  nameEntry,
  type MaterialPrice,
} from './price-list.ts';
import { writePriceListCsv, readPriceListCsv, type PriceListReading } from './list-csv.ts';
import { selectNumbers, selectTargetPrices } from '../targets/store.ts';
import { answerCsvFile } from '../targets/csv-answer.ts';
import type { Sql } from '#core/sql.ts';
import type { comparePriceList as operation, PriceComparison } from './list-contract.ts';

export const pricingOperations: readonly Binding[] = [
  bindRead(assayTypesContract.listAssayTypes, listAssayTypes),
  bindLabList(assayTypesContract.listLabAssayTypes, ({ sql }, query) => listAssayTypePage(sql, query)),
  bindWrite(assayTypesContract.editAssayType, editAssayType),
  bindRead(calendarContract.getLabCalendar, getLabCalendar),
  bindWrite(calendarContract.editLabCalendar, editLabCalendar),
  bindLabList(listContract.listPriceLists, ({ sql, clock }, query) =>
    listPriceListPage(sql, query, clock.now()),
  ),
  bindRead(listContract.getPriceList, getPriceList),
  bindRead(listContract.comparePriceList, comparePriceList),
  bindWrite(listContract.createPriceList, createPriceList),
  bindWrite(listContract.editPriceList, editPriceList),
  bindWrite(listContract.deletePriceList, deletePriceList),
  bindWrite(listContract.publishPriceList, publishPriceList),
  bindRead(draftContract.getPriceListFile, getPriceListFile),
  bindCompute(draftContract.validatePriceListImport, validatePriceListImport),
  bindWrite(draftContract.importPriceList, importPriceList),
];

/** `GET /assay-types`. */
async function listAssayTypes(
  input: Input<typeof assayTypesContract.listAssayTypes>,
  context: ReadContext,
): Promise<RawJson> {
  const list = await selectPriceListAt(context.sql, context.clock.now(), null);
  const priced = (list?.prices ?? []).map(({ experiment_type: type }) => type);
  return listOfferedPage(context.sql, priced, parseList(context, assayTypeFields, input.query));
}

/** `PATCH /lab/assay-types/{experiment_type}`. */
async function editAssayType(input: Input<typeof assayTypesContract.editAssayType>, context: WriteContext) {
  const { tx, clock } = context;
  const { body } = input;
  const type = input.params.experiment_type;
  const before = await lockAssayType(tx, type);
  if (before === undefined) throw fail('assay_type_not_found');
  const after: OfferEntry = {
    ...before,
    offered: body.offered ?? before.offered,
    methods: body.methods ?? before.methods,
    replicates_min: body.n_replicates_min ?? before.replicates_min,
    replicates_max: body.n_replicates_max ?? before.replicates_max,
    turnaround_workdays:
      body.turnaround_workdays === undefined ? before.turnaround_workdays : body.turnaround_workdays,
  };
  const problems = findEntryProblems(after);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  if (!isDeepStrictEqual(before, after)) await rewriteAssayType(tx, after, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ before, after });
  const json = await findAssayTypeJson(tx, type);
  if (json === undefined) throw fail('assay_type_not_found');
  return new RawJson(json);
}

/** `GET /lab/calendar`. */
function getLabCalendar(_input: Input<typeof calendarContract.getLabCalendar>, { sql }: ReadContext) {
  return describeCalendar(sql);
}

/** `PATCH /lab/calendar`. */
async function editLabCalendar(
  { body }: Input<typeof calendarContract.editLabCalendar>,
  context: WriteContext,
) {
  const { tx, clock } = context;
  const { updated_at: _updatedAt, ...before } = await lockCalendar(tx);
  const wanted = { ...before, ...body };
  const after = {
    ...wanted,
    workdays: weekdays.filter((day) => wanted.workdays.includes(day)),
    closing_days: [...new Set(wanted.closing_days)].sort(),
  };
  const problem = findCalendarProblem(after);
  if (problem !== null) throw createInvalidFieldsFailure([problem]);
  if (!isDeepStrictEqual(before, after)) await rewriteCalendar(tx, after, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ before, after });
  return describeCalendar(tx);
}

async function describeCalendar(sql: Sql) {
  const { workdays, closing_days: closingDays, ...calendar } = await getCalendar(sql);
  return {
    ...calendar,
    workdays: weekdays.filter((day) => workdays.includes(day)),
    closing_days: [...closingDays],
  };
}

/** `GET /lab/price-lists/{price_list_id}`. */
function getPriceList(
  input: Input<typeof listContract.getPriceList>,
  { sql, clock }: ReadContext,
): Promise<RawJson> {
  return requirePriceListJson(sql, input.params.price_list_id, clock.now());
}

/** `POST /lab/price-lists`. */
async function createPriceList(input: Input<typeof listContract.createPriceList>, context: WriteContext) {
  const { tx, ids, clock } = context;
  const content = mergeContent(input.body);
  await refuseContentProblems(tx, content);
  const id = ids.createUuid();
  await insertDraftList(tx, id, content, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ price_list_id: id, ...content });
  return requirePriceListJson(tx, id, clock.now());
}

/** `PATCH /lab/price-lists/{price_list_id}`. */
async function editPriceList(input: Input<typeof listContract.editPriceList>, context: WriteContext) {
  const { tx, clock } = context;
  const id = input.params.price_list_id;
  const { id: _id, version: _version, status: _status, ...before } = await lockDraft(tx, id);
  const after = mergeContent(input.body, before);
  await refuseContentProblems(tx, after);
  const changes = listChanges(before, after);
  if (changes.length > 0) await rewriteDraftList(tx, id, after, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ changes });
  return requirePriceListJson(tx, id, clock.now());
}

function listChanges(before: PriceListContent, after: PriceListContent) {
  const former = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]: [string, unknown]) =>
    isDeepStrictEqual(former.get(field), value) ? [] : [{ field, before: former.get(field), after: value }],
  );
}

/** `DELETE /lab/price-lists/{price_list_id}`. */
async function deletePriceList(input: Input<typeof listContract.deletePriceList>, context: WriteContext) {
  const {
    id,
    version: _version,
    status: _status,
    ...content
  } = await lockDraft(context.tx, input.params.price_list_id);
  await deleteDraftList(context.tx, id);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails(content);
  return { id };
}

/** `GET /lab/price-lists/{price_list_id}/export`: a price list as a CSV file, which staff edit and import again. */
async function getPriceListFile(input: Input<typeof draftContract.getPriceListFile>, { sql }: ReadContext) {
  const list = await findPriceList(sql, input.params.price_list_id);
  if (list === undefined) throw fail('price_list_not_found');
  const numbers = (await selectNumbers(sql)).filter((target) => target.is_for_everyone);
  const content = writePriceListCsv(
    list,
    new Map(numbers.map(({ id, catalog_number: number }) => [id, number] as const)),
  );
  const count = list.prices.length + list.volume_discounts.length + list.materials.length;
  return answerCsvFile(input.headers.accept, {
    name: `prices-${list.version ?? 'draft'}.csv`,
    content,
    count,
  });
}

/** `POST /lab/price-lists/import/validate`. */
async function validatePriceListImport(
  input: Input<typeof draftContract.validatePriceListImport>,
  { sql, clock }: ReadContext,
) {
  const { problems, ...list } = await readPriceListFile(sql, input.body.content);
  return {
    n_prices: list.prices.length,
    n_volume_discounts: list.volume_discounts.length,
    n_materials: list.materials.length,
    comparison: problems.length > 0 ? null : await describeChanges(sql, list, clock.now()),
    problems: [...problems],
  };
}

/** `POST /lab/price-lists/import`. */
async function importPriceList({ body }: Input<typeof draftContract.importPriceList>, context: WriteContext) {
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

/** `GET /lab/price-lists/{price_list_id}/comparison`. */
async function comparePriceList(
  input: Input<typeof operation>,
  { sql, clock }: ReadContext,
): Promise<PriceComparison> {
  const list = await findPriceList(sql, input.params.price_list_id);
  if (list === undefined) throw fail('price_list_not_found');
  return describeChanges(sql, list, clock.now());
}

/** Says what differs from the list in effect, and what is offered without a price. */
async function describeChanges(
  sql: Sql,
  list: Pick<PriceListContent, 'prices' | 'volume_discounts' | 'materials'>,
  at: Date,
): Promise<PriceComparison> {
  const present = await selectPriceListAt(sql, at, null);
  const unpriced = listUnpriced(list, await selectOffered(sql));
  return {
    base: present === undefined ? null : { id: present.id, version: present.version },
    ...comparePriceLists(present ?? { prices: [], volume_discounts: [] }, list),
    materials: await compareMaterials(sql, list.materials),
    warnings: unpriced.map(
      (entry) =>
        `${nameEntry(entry)} is offered, and this list has no price for it; add one or stop offering it.`,
    ),
  };
}

async function compareMaterials(sql: Sql, materials: readonly MaterialPrice[]) {
  if (materials.length === 0) return [];
  const rows = await selectTargetPrices(
    sql,
    materials.map(({ target_id }) => target_id),
  );
  const present = new Map(rows.map((row) => [row.id, row] as const));
  return materials.flatMap(({ target_id, pricing: after }) => {
    const row = present.get(target_id);
    if (row === undefined || isDeepStrictEqual(row.pricing, after)) return [];
    return [{ target_id, name: row.name, before: row.pricing, after }];
  });
}

/** Reads the file and finds every problem in it. */
async function readPriceListFile(sql: Sql, content: string): Promise<PriceListReading> {
  const targets = await selectNumbers(sql);
  const listed = targets.filter((target) => target.is_for_everyone);
  return readPriceListCsv(content, {
    idByNumber: new Map(listed.map(({ id, catalog_number: number }) => [number, id] as const)),
    ids: new Set(targets.map(({ id }) => id)),
  });
}
