/** The operations of installation, each with what carries it out. */
import { bindPublic, bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { PublicContext, ReadContext } from '#core/context.ts';
import { findDatabaseState } from './store.ts';
import type { Input } from '#core/operation.ts';
import { describeSetup } from './setup-rules.ts';

export const installationOperations: readonly Binding[] = [
  bindPublic(contract.checkHealth, checkHealth),
  bindRead(contract.checkDatabase, checkDatabase),
  bindRead(contract.getLabSetup, getLabSetup),
];

/** `GET /info/health`: answers while the process serves requests; it asks nothing of the database. */
async function checkHealth(_input: unknown, _context: PublicContext) {
  return { status: 'ok' };
}

/** `GET /info/health-db`. The door answers while the database cannot be reached. */
async function checkDatabase(_input: unknown, { sql, database, rawFiles }: ReadContext) {
  const db = await findDatabaseState(sql, database);
  const isFull = rawFiles.blobs.isDiskFull();
  return {
    status: db === 'connected' && !isFull ? 'ok' : 'degraded',
    db,
    ...(isFull ? { raw_files: 'disk_full' } : {}),
  };
}

/** `GET /lab/setup`: what the settings of the installation leave open. */
async function getLabSetup(_input: Input<typeof contract.getLabSetup>, { site }: ReadContext) {
  return { items: describeSetup(site) };
}
