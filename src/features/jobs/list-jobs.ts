import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listJobs as operation } from './contract.ts';
import { listJobsPage } from './lab-store.ts';
import { jobFields } from './list-fields.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/jobs`. */
export function listJobs(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  return listJobsPage(labScope, context.sql, parseList(context, jobFields, input.query, [], LAB_LIST));
}
