/**
 * This folder: whether the service and its database answer. Not here: metrics and logs.
 */
import { defineOperation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';

const Readiness = Type.Object({
  status: Type.String({
    description:
      'ok; degraded where the database refuses writes or the disk of raw files is full; or unavailable with status 503',
  }),
  db: Type.String({
    description:
      'connected; read_only where only reads work; disk_full for a minute after a write found the disk of the database full; or unreachable with status 503',
  }),
  raw_files: Type.Optional(
    Type.String({
      description:
        'disk_full for a minute after a write found the disk of raw files, or its quota, full; absent otherwise',
    }),
  ),
});

export const checkHealth = defineOperation({
  id: 'health',
  method: 'GET',
  path: '/info/health',
  tag: 'info',
  summary: 'Liveness: the process answers, even without its database',
  effect: 'read',
  permission: 'public',
  output: Type.Object({ status: Type.String({ description: 'ok' }) }),
  failures: [],
  example: { output: { status: 'ok' } },
});

export const checkDatabase = defineOperation({
  id: 'health_db',
  method: 'GET',
  path: '/info/health-db',
  tag: 'info',
  summary: 'Readiness: the database answers',
  effect: 'read',
  permission: 'any',
  output: Readiness,
  outage: { status: 'unavailable', db: 'unreachable' },
  failures: [],
  example: { output: { status: 'ok', db: 'connected' } },
});
