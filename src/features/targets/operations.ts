/** The operations of targets, each with what carries it out. */
import { bindCompute, bindLabList, bindList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as requestContract from './request-contract.ts';
import * as answerContract from './answer-contract.ts';
import * as catalogContract from './catalog-contract.ts';
import type { ReadContext, WriteContext, Work } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { RawJson } from '#core/reply.ts';
import { targetFields } from './list-fields.ts';
import {
  listTargetPage,
  findTargetJson,
  insertTargetRequest,
  insertTarget,
  isCatalogNumberTaken,
  rewriteTarget,
  listLabTargetPage,
  selectEntries,
  lockCatalog,
  lockEntry,
  findLabTargetJson,
} from './store.ts';
import { parseList } from '#core/parse-list.ts';
import { fail, createInvalidFieldsFailure } from '#core/failures.ts';
import { listTargetRequestPage, findTargetRequestJson, listLabTargetRequestPage } from './request-store.ts';
import { insertFact } from '../notifications/notice-store.ts';
import { checkTargetRequest, REQUESTED_ALREADY } from './request-rules.ts';
import { writeCatalogCsv, planCatalogImport, readCatalogCsv, type PlannedEntry } from './catalog-csv.ts';
import { readEntry, EMPTY_ENTRY, findEntryProblems, normalizeEntry, type EntryRow } from './entry.ts';
import { listChanges } from '#core/record.ts';
import { answerCsvFile } from './csv-answer.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { LineProblem } from '#core/csv.ts';
import type { Sql } from '#core/sql.ts';

export const targetsOperations: readonly Binding[] = [
  bindRead(contract.listTargets, listTargets),
  bindRead(contract.getTargetInfo, getTargetInfo),
  bindList(requestContract.listCustomTargetRequests, ({ scope, sql }, query) =>
    listTargetRequestPage(scope, sql, query),
  ),
  bindWrite(requestContract.createCustomTargetRequest, createCustomTargetRequest),
  bindRead(requestContract.getCustomTargetRequest, getCustomTargetRequest),
  bindLabList(answerContract.listLabTargetRequests, ({ scope, sql }, query) =>
    listLabTargetRequestPage(scope, sql, query),
  ),
  bindLabList(catalogContract.listLabTargets, ({ sql, site }, query) =>
    listLabTargetPage(sql, query, site.baseUrl),
  ),
  bindRead(catalogContract.getCatalogFile, getCatalogFile),
  bindRead(catalogContract.getLabTarget, getLabTarget),
  bindWrite(catalogContract.createTarget, createTarget),
  bindWrite(catalogContract.editTarget, editTarget),
  bindCompute(catalogContract.validateTargetImport, validateTargetImport),
  bindWrite(catalogContract.importTargets, importTargets),
];

/** `GET /targets`: lists the catalog of targets. */
function listTargets(input: Input<typeof contract.listTargets>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, targetFields, input.query, [
    'selfservice_only',
    'show_conjugated',
    'detailed',
  ]);
  return listTargetPage(getScope(context.principal), context.sql, query, {
    baseUrl: context.site.baseUrl,
    selfServiceOnly: input.query.selfservice_only ?? false,
    showConjugated: input.query.show_conjugated ?? false,
    detailed: input.query.detailed ?? false,
  });
}

/** `GET /targets/{target_id}`: one target of the catalog with its details. */
async function getTargetInfo(
  input: Input<typeof contract.getTargetInfo>,
  context: ReadContext,
): Promise<RawJson> {
  const { site, sql, principal } = context;
  const json = await findTargetJson(getScope(principal), sql, input.params.target_id, site.baseUrl);
  if (json === undefined) throw fail('target_not_found');
  return new RawJson(json);
}

/** `POST /targets/request-custom`: requests a target that the catalog does not have. */
async function createCustomTargetRequest(
  input: Input<typeof requestContract.createCustomTargetRequest>,
  context: WriteContext,
) {
  const { request, problems } = checkTargetRequest(input.body, context.site.limits);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.createUuid();
  const at = context.clock.now();
  const { name, product_id, ...details } = request;
  const isNew = await insertTargetRequest(getScope(context.principal), context.tx, {
    id,
    experiment_id: null,
    name,
    product_id,
    request: details,
    created_at: at,
  });
  if (!isNew) throw createInvalidFieldsFailure([{ path: 'product_id', message: REQUESTED_ALREADY }]);
  await insertFact(getScope(context.principal), context.tx, {
    id,
    kind: 'target.requested',
    experiment_code: null,
    details: { subject: name },
    at,
  });
  return { id, status: 'pending_review' as const, created_at: at.toISOString() };
}

/** `GET /targets/request-custom/{request_id}`: one target request of the caller's organization. */
async function getCustomTargetRequest(
  input: Input<typeof requestContract.getCustomTargetRequest>,
  context: ReadContext,
): Promise<RawJson> {
  const json = await findTargetRequestJson(getScope(context.principal), context.sql, input.params.request_id);
  if (json === undefined) throw fail('custom_target_request_not_found');
  return new RawJson(json);
}

/** `GET /lab/targets/export`: the targets for everyone as a CSV file, which staff edit and import again. */
async function getCatalogFile(input: Input<typeof catalogContract.getCatalogFile>, { sql }: ReadContext) {
  const rows = await selectEntries(sql);
  const content = writeCatalogCsv(rows.map(readEntry));
  return answerCsvFile(input.headers.accept, { name: 'targets.csv', content, count: rows.length });
}

/** `GET /lab/targets/{target_id}`. */
function getLabTarget(
  input: Input<typeof catalogContract.getLabTarget>,
  context: ReadContext,
): Promise<RawJson> {
  return requireLabTargetJson(context, context.sql, input.params.target_id);
}

/** `POST /lab/targets`. */
async function createTarget(input: Input<typeof catalogContract.createTarget>, context: WriteContext) {
  const { tx, ids, clock } = context;
  const entry = normalizeEntry({ ...EMPTY_ENTRY, ...input.body });
  const problems = findEntryProblems(entry);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const id = ids.createUuid();
  const target = { entry, id, created_at: clock.now(), owner_organization_id: null };
  if (!(await insertTarget(tx, target)))
    throw fail('target_exists', { catalog_number: entry.catalog_number });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ target_id: id, catalog_number: entry.catalog_number });
  return requireLabTargetJson(context, tx, id);
}

/** `PATCH /lab/targets/{target_id}`. */
async function editTarget(input: Input<typeof catalogContract.editTarget>, context: WriteContext) {
  const { tx, clock } = context;
  const id = input.params.target_id;
  if (input.body.catalog_number !== undefined) await lockCatalog(tx);
  const row = await lockEntry(tx, id);
  if (row === undefined) throw fail('target_not_found');
  const before = readEntry(row);
  const after = normalizeEntry({ ...before, ...input.body });
  const problems = findEntryProblems(after);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const target = {
    entry: after,
    id,
    created_at: new Date(row.created_at),
    owner_organization_id: row.owner_organization_id,
  };
  const isRenumbered = after.catalog_number !== before.catalog_number;
  if (isRenumbered && (await isCatalogNumberTaken(tx, target)))
    throw fail('target_exists', { catalog_number: after.catalog_number });
  const changes = listChanges(before, after);
  if (changes.length > 0) await rewriteTarget(tx, target, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ changes });
  return requireLabTargetJson(context, tx, id);
}

/** `POST /lab/targets/import/validate`. */
async function validateTargetImport(
  input: Input<typeof catalogContract.validateTargetImport>,
  { sql }: ReadContext,
) {
  const plan = await planTargetImport(sql, input.body.content);
  return { ...describeImport(plan), problems: [...plan.problems] };
}

/** `POST /lab/targets/import`. */
async function importTargets(input: Input<typeof catalogContract.importTargets>, context: WriteContext) {
  await lockCatalog(context.tx);
  const plan = await planTargetImport(context.tx, input.body.content);
  if (plan.problems.length > 0)
    throw fail(
      'import_refused',
      { count: plan.problems.length },
      { problems: plan.problems.map(({ line, message }) => ({ path: `line ${line}`, message })) },
    );
  await writePlan(context, plan);
  const described = describeImport(plan);
  const listNumbers = (action: string): string[] =>
    described.items.filter((item) => item.action === action).map((item) => item.catalog_number);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ added: listNumbers('add'), changed: listNumbers('change') });
  return described;
}

async function writePlan({ tx, ids, clock }: WriteContext, { planned, rows }: ImportPlan): Promise<void> {
  const at = clock.now();
  for (const { action, after } of planned) {
    const id = rows.get(after.catalog_number)?.id ?? ids.createUuid();
    const target = { entry: after, id, created_at: at, owner_organization_id: null };
    if (action === 'add') await insertTarget(tx, target);
    if (action === 'change') await rewriteTarget(tx, target, at);
  }
}

/** Reads a file of targets against the current catalog: what it would change, and what is wrong with it. */
interface ImportPlan {
  readonly planned: readonly PlannedEntry[];
  readonly problems: readonly LineProblem[];
  readonly rows: ReadonlyMap<string, EntryRow>;
}

async function planTargetImport(sql: Sql, content: string): Promise<ImportPlan> {
  const rows = new Map((await selectEntries(sql)).map((row) => [row.catalog_number, row] as const));
  const present = new Map([...rows].map(([number, row]) => [number, readEntry(row)] as const));
  return { ...planCatalogImport(readCatalogCsv(content), present), rows };
}

function describeImport({ planned }: ImportPlan) {
  const count = (action: PlannedEntry['action']): number =>
    planned.filter((entry) => entry.action === action).length;
  return {
    added: count('add'),
    changed: count('change'),
    unchanged: count('keep'),
    items: planned.flatMap(({ line, action, before, after }) =>
      action === 'keep'
        ? []
        : [
            {
              line,
              catalog_number: after.catalog_number,
              name: after.name,
              action,
              changes: listChanges(before ?? EMPTY_ENTRY, after),
            },
          ],
    ),
  };
}

/** A target as staff see it. Throws `target_not_found`. */
async function requireLabTargetJson({ site }: Pick<Work, 'site'>, sql: Sql, id: string): Promise<RawJson> {
  const json = await findLabTargetJson(sql, id, site.baseUrl);
  if (json === undefined) throw fail('target_not_found');
  return new RawJson(json);
}
