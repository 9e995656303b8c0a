import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { toMapping } from './raw-files/mapping-rules.ts';
import type { mapRunRawFiles as operation } from './file-contract.ts';
import { insertSharedMapping } from './file-store.ts';
import { lockRun } from './store.ts';
import { refuseWrongEntries } from './raw-files/map-raw-files.ts';
import { createNotRunningFailure, listPlannedNames, loadSharedRun } from './shared-run.ts';

/** `POST /lab/runs/{run_id}/mapping`. */
export async function mapRunRawFiles({ params, body }: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const locked = await lockRun(tx, params.run_id);
  if (locked === undefined) throw fail('lab_run_not_found');
  // A complete run may be mapped too: the next analysis of each experiment uses it.
  if (locked.status === 'planned' || locked.status === 'canceled')
    throw createNotRunningFailure(locked, 'have its raw files mapped');
  const shared = await loadSharedRun(tx, locked.id);
  const entries = toMapping(body.entries);
  refuseWrongEntries(entries, listPlannedNames(shared), 'plan');
  const mapping = await insertSharedMapping(tx, {
    runId: locked.id,
    version: shared.mappingVersion + 1,
    entries,
    reason: body.reason ?? null,
    created_by: principal.userEmail,
    at: clock.now(),
  });
  context.addAuditDetails({ run: locked.code, version: mapping.version, entries: entries.length });
  return { run_id: locked.id, run_code: locked.code, mapping: { ...mapping, entries } };
}
