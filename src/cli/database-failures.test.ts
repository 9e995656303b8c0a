import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { EmbeddedPostgresError } from '#adapters/postgres/embedded/errors.ts';
import { MigrationError } from '#adapters/postgres/migrate.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';
import { createFullDiskError } from '#testing/full-disk.ts';
import { CommandError } from './command-error.ts';
import { explainFullDisk } from './database-failures.ts';

const embedded = { dataDir: tmpdir(), databaseUrl: null };
const refused = Object.assign(new Error('could not extend file "base/1/2"'), { code: '53100' });

const ERRORS: Readonly<Record<string, Error>> = {
  'a small file of the start, disk': createFullDiskError('ENOSPC'),
  'a small file of the start, quota': createFullDiskError('EDQUOT'),
  'the copy of the programs': new EmbeddedPostgresError('The PostgreSQL binaries cannot be placed.', {
    cause: createFullDiskError('ENOSPC', 'copyfile'),
  }),
  initdb: new EmbeddedPostgresError(
    'The database could not be created (initdb ended with 1): FATAL:  could not write to file "pg_wal/xlogtemp.504": No space left on device\nchild process exited with exit code 1',
  ),
  'the server while it starts, quota': new EmbeddedPostgresError(
    'The database ended while starting. Its log says:\nPANIC:  could not write to file: Disk quota exceeded',
  ),
  'a migration': new MigrationError('The migration 0046_feed.sql failed: could not extend file.', {
    cause: refused,
  }),
  'a first row': new DatabaseUnavailableError('The database is not available now.', { cause: refused }),
};

for (const [part, error] of Object.entries(ERRORS))
  test(`start: ${part} finds the disk full → one sentence names DATA_DIR`, () => {
    const explained = explainFullDisk(error, embedded);
    assert.ok(explained instanceof CommandError);
    assert.match(
      explained.message,
      /^DATA_DIR \S+: its disk, or the quota of this user, is full; make room there [^\n]+\.$/,
    );
    assert.ok(explained.message.includes(tmpdir()));
  });

test('start: a file outside of DATA_DIR has no room → one sentence names that file', () => {
  const error = Object.assign(createFullDiskError('ENOSPC', 'open'), { path: '/elsewhere/file' });
  const { message } = explainFullDisk(error, embedded) ?? {};
  assert.match(message ?? '', /^\/elsewhere\/file cannot be written: its disk/);
});

test('start: the disk of a server of one’s own is full → one sentence names DATABASE_URL and not DATA_DIR', () => {
  const ownServer = { dataDir: tmpdir(), databaseUrl: 'postgres://assayer@127.0.0.1:5432/assayer' };
  const { message } = explainFullDisk(ERRORS['a migration'], ownServer) ?? {};
  assert.match(message ?? '', /^DATABASE_URL: the disk of this server is full; make room on it/);
});

test('start: an error with another cause on a disk with room → not explained by the disk', () => {
  assert.equal(explainFullDisk(new Error('another cause'), embedded), undefined);
});
