import { defineOperation } from '#core/operation.ts';
import { Type } from '#core/schema.ts';

export const checkHealth = defineOperation({
  id: 'health',
  method: 'GET',
  path: '/info/health',
  tag: 'info',
  summary: 'Liveness: the process answers, whatever its database does',
  effect: 'read',
  permission: 'public',
  output: Type.Object({ status: Type.String() }),
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
  permission: 'public',
  output: Type.Object({ status: Type.String(), db: Type.String() }),
  alternatives: {
    503: {
      description: 'The database does not answer',
      schema: Type.Object({ status: Type.String(), db: Type.String() }),
    },
  },
  failures: [],
  example: { output: { status: 'ok', db: 'ok' } },
});
