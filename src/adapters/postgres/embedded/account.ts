/**
 * Chooses the user id of the database, and checks what it can reach. PostgreSQL refuses to run as root, so a service
 * started by root gives the cluster to an unprivileged id and starts the server under it.
 */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';

/** `nobody` on Linux. */
const UNPRIVILEGED_ID = 65_534;

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Whether the server runs under another id than the service. */
  readonly switched: boolean;
}

/** For root, the owner of an existing cluster, else the unprivileged id; for everybody else their own id. */
export function chooseAccount(clusterDir: string): Account {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  if (uid === undefined || gid === undefined) {
    throw new EmbeddedPostgresError(
      `The embedded database does not run on ${process.platform}; set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  const existing = statSync(clusterDir, { throwIfNoEntry: false });
  if (uid === 0) {
    const owner = existing !== undefined && existing.uid !== 0 ? existing : undefined;
    return { uid: owner?.uid ?? UNPRIVILEGED_ID, gid: owner?.gid ?? UNPRIVILEGED_ID, switched: true };
  }
  if (existing !== undefined && existing.uid !== uid) {
    throw new EmbeddedPostgresError(
      `The database in ${clusterDir} belongs to user id ${existing.uid} and this service runs as ${uid}; start it as root or as that user, or give it another data directory.`,
    );
  }
  return { uid, gid, switched: false };
}

/** Whether the account may pass through this directory and every one above it. */
export function canReach(directory: string, account: Account): boolean {
  let current = resolve(directory);
  for (;;) {
    const stats = statSync(current, { throwIfNoEntry: false });
    if (stats !== undefined) {
      const bit = stats.uid === account.uid ? 0o100 : stats.gid === account.gid ? 0o010 : 0o001;
      if ((stats.mode & bit) === 0) return false;
    }
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}
