/** Guarantees that a database server must give before this service acknowledges anything. */
import { getExactlyOne, type Sql } from '#core/sql.ts';

interface DurabilityRow {
  readonly fsync: string | null;
  readonly synchronous_commit: string | null;
  readonly version: string | null;
}

const MIN_SERVER_VERSION = 150_000;

/** The server answers but cannot be used; the message is one sentence for the operator. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError';
}

/** Rejects a server that is older than the migrations require. */
export function requireVersion(versionNumber: string | null): void {
  const version = Number(versionNumber);
  if (version >= MIN_SERVER_VERSION) return;
  const major = Math.floor(version / 10_000);
  const shown = major > 0 ? `PostgreSQL ${major}` : 'of an unknown version';
  throw new UnsuitableServerError(`The database server is ${shown}, and this service needs 15 or newer.`);
}

/** Rejects, with one sentence, a server that could lose acknowledged changes or is too old. */
export async function requireDurability(sql: Sql): Promise<void> {
  const settings = getExactlyOne(
    await sql.query<DurabilityRow>(
      `select current_setting('fsync', true) as fsync, current_setting('synchronous_commit', true) as synchronous_commit,
              current_setting('server_version_num', true) as version`,
    ),
  );
  requireVersion(settings.version);
  if (settings.fsync !== 'on') {
    throw new UnsuitableServerError(
      'The database server runs with fsync off and could lose acknowledged changes; set fsync = on.',
    );
  }
  // remote_apply waits for more than on does.
  if (settings.synchronous_commit !== 'on' && settings.synchronous_commit !== 'remote_apply') {
    throw new UnsuitableServerError(
      `The database server runs with synchronous_commit = ${settings.synchronous_commit ?? 'unknown'} and could lose acknowledged changes; set it to on.`,
    );
  }
}
